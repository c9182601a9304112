"""The sections of a report, in order; each is shown when it has something to show."""

from collections.abc import Callable
from typing import Any, NamedTuple

from robotid.reporting.sections import (
    bodies,
    coverage,
    data,
    errors,
    filters,
    friction,
    identifiability,
    parameters,
    payload,
    provenance,
    residuals,
    torques,
    training,
    verdict,
)
from robotid.reporting.view import FitView


class Section(NamedTuple):
    """A section: its template is `sections/<name>.html.j2`.

    Args:
        name: of the template, and of the element on the page.
        title: its heading.
        build: what the template sees as `section` (it sees the facts as `fit`); None hides it.
        of_data: whether it is about the data alone, which several fits may have in common.
    """

    name: str
    title: str
    build: Callable[[FitView], Any]
    of_data: bool = False


SECTIONS = (
    Section("verdict", "Verdict", verdict.section),
    Section("payload", "What the robot carries", payload.section),
    Section("errors", "Errors on held-out data, beside baselines", errors.section),
    Section("torques", "Measured and predicted torques", torques.section),
    Section("data", "Data", data.section, of_data=True),
    Section("coverage", "Where the data are", coverage.section, of_data=True),
    Section("identifiability", "What the data can tell", identifiability.section),
    Section("parameters", "Parameters", parameters.section),
    Section("bodies", "Links as rigid bodies", bodies.section),
    Section("friction", "Friction over velocity", friction.section),
    Section("residuals", "What the model leaves", residuals.section),
    Section("training", "Training", training.section),
    Section("filters", "Spectra before and after the filter", filters.section, of_data=True),
    Section("provenance", "Where it comes from", provenance.section),
)
