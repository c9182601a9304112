"""Links as rigid bodies: masses, centres, moments."""

from typing import Any

from robotid.reporting.view import FitView


def section(view: FitView) -> Any:
    """What the template shows; None if there is nothing."""
    return view.fit.links or None
