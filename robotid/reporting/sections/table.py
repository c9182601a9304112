"""The sections of a report, in order; each is shown when it has something to show."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from robotid.reporting.sections import (
    bodies,
    combinations,
    coverage,
    data,
    drives,
    energy,
    errors,
    filters,
    forward_verdict,
    friction,
    identifiability,
    learned_verdict,
    online,
    parameters,
    parts,
    payload,
    placements,
    provenance,
    residuals,
    torques,
    training,
    verdict,
)
from robotid.reporting.view import FitView, ForwardView, LearnedView, View

Seen = TypeVar("Seen", bound=View[Any])


@dataclass(frozen=True)
class Section(Generic[Seen]):
    """A section: its template is `sections/<name>.html.j2`.

    Args:
        name: of the template, and of the element on the page.
        title: its heading.
        of: the fits it is about: of torques, of accelerations, or both.
        build: what the template sees as `section` (it sees the facts as `fit`); None hides it.
        of_data: whether it is about the data alone, which several fits may have in common.
    """

    name: str
    title: str
    of: type[Seen]
    build: Callable[[Seen], Any]
    of_data: bool = False


SECTIONS: tuple[Section[Any], ...] = (
    Section("verdict", "Verdict", FitView, verdict.section),
    Section("verdict", "Verdict", ForwardView, forward_verdict.section),
    Section("verdict", "Verdict", LearnedView, learned_verdict.section),
    Section("payload", "What the robot carries", FitView, payload.section),
    Section("errors", "Errors on held-out data, beside baselines", FitView, errors.with_folds),
    Section("errors", "Errors on held-out data, beside baselines", ForwardView, errors.section),
    Section("errors", "Errors on held-out data, beside baselines", LearnedView, errors.section),
    Section("torques", "Measured and predicted torques", FitView, torques.section),
    Section("torques", "Measured and predicted torques", LearnedView, torques.of_learned),
    Section("parts", "What its parts add", LearnedView, parts.section),
    Section("energy", "What it does to energy", ForwardView, energy.section),
    Section("data", "Data", View, data.section, of_data=True),
    Section("coverage", "Where the data are", View, coverage.section, of_data=True),
    Section("identifiability", "What the data can tell", FitView, identifiability.section),
    Section("parameters", "Parameters", FitView, parameters.section),
    Section("combinations", "What accelerations can tell", ForwardView, combinations.section),
    Section("bodies", "Links as rigid bodies", FitView, bodies.section),
    Section("bodies", "Links as rigid bodies", ForwardView, bodies.of_forward),
    Section("bodies", "Links as rigid bodies", LearnedView, bodies.of_learned),
    Section("placements", "Where the joints are", ForwardView, placements.section),
    Section("placements", "Where the joints are", LearnedView, placements.section),
    Section("friction", "Friction over velocity", FitView, friction.section),
    Section("drives", "Between command and links", ForwardView, drives.section),
    Section("residuals", "What the model leaves", FitView, residuals.section),
    Section("training", "Training", View, training.section),
    Section("online", "Learning in the order of time", View, online.section),
    Section(
        "filters", "Spectra before and after the filter", FitView, filters.section, of_data=True
    ),
    Section(
        "filters", "Spectra before and after the filter", LearnedView, filters.section, of_data=True
    ),
    Section("provenance", "Where it comes from", FitView, provenance.with_terms),
    Section("provenance", "Where it comes from", LearnedView, provenance.with_terms),
    Section("provenance", "Where it comes from", ForwardView, provenance.section),
)
