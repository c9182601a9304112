"""What a forward model can do to energy, as a section."""

from typing import NamedTuple

from robotid.reporting.energy import PROMISES, Promise
from robotid.reporting.view import ForwardView
from robotid.reporting.words import listed


class Energy(NamedTuple):
    """The section; `impossible` are links for which the promise is worth nothing."""

    promise: Promise
    impossible: str


def section(view: ForwardView) -> Energy:
    """What the template shows."""
    bad = [link.name for link in view.fit.links if not link.consistent]
    return Energy(PROMISES[view.fit.energy], listed(bad))
