"""Parameters with their intervals and status."""

from typing import Any

from robotid.reporting.view import FitView


def section(view: FitView) -> Any:
    """What the template shows; None if there is nothing."""
    return view.fit.parameters or None
