"""What can be said of each parameter, and of the data as a whole."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import ParameterStatus
from robotid.dynamics.base_parameters import BaseParameters
from robotid.dynamics.groupings import groupings
from robotid.dynamics.identifiability import Identifiability, identifiability
from robotid.fitting.departure import Cause, Departure
from robotid.fitting.estimable import estimable
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import Estimate

Array = NDArray[np.float64]

_FROM_DATA = 0.5  # share of a prior's variance that data have to take away to be given the credit
_MOVED: dict[Cause, ParameterStatus] = {
    "bounds": "held by a bound",
    "prior": "from prior",
    "training": "uncertain",
}


class Known(NamedTuple):
    """A parameter, or a sum of them, with what the data say of it.

    Args:
        name: of the parameter; a sum in words.
        status: where its value comes from.
        said: the reason in words; empty for what is identified.
        value: None where it has none of its own.
        std: standard deviation; None where there is no value.
    """

    name: str
    status: ParameterStatus
    said: str
    value: float | None
    std: float | None

    @property
    def percent(self) -> float | None:
        """Standard deviation in percent of the value; None where that has no meaning."""
        if self.std is None or not self.value:
            return None
        return 100.0 * self.std / abs(self.value)


class Knowledge(NamedTuple):
    """What data tell of a robot.

    Args:
        parameters: all of them, in their order.
        sums: what the data determine, in the order of the beta of `estimate`.
        estimate: of these sums.
        excitation: rank, condition number and worst combination, with weights as in the fit.
    """

    parameters: tuple[Known, ...]
    sums: tuple[Known, ...]
    estimate: Estimate
    excitation: Identifiability

    def sentence(self) -> str:
        """Rank, condition number and the worst-determined combination in words."""
        found = self.excitation
        text = f"The data determine {found.rank} of {found.structural_rank} base parameters"
        if found.rank < found.structural_rank:
            silent = f" ({', '.join(found.silent)} do not act at all)" if found.silent else ""
            return f"{text}{silent}; not determined: {found.worst_text()}."
        worst = found.worst_text()
        return f"{text}, condition number {found.condition:.3g}; determined worst: {worst}."


def knowledge(
    evidence: Evidence,
    estimate: Estimate,
    base: BaseParameters,
    sizes: Array,
    departure: Departure | None = None,
) -> Knowledge:
    """The status of every parameter and of every sum that the data determine.

    With a prior every parameter has a value. Sums are those of the data all the same: what they
    say and how the prior shares it out are two things.

    Args:
        evidence: the data of the estimate.
        estimate: of `linear` or `robust`.
        base: base parameters of the robot, as given to the estimator.
        sizes: that parameters may have, shape (p,), as from `prior.sizes`. What is more uncertain
            than that is no better known than without the data.
        departure: how far the values that are given out are from what the data say.
    """
    data = evidence.system(estimate.weights)
    shown = estimate.base
    if estimate.prior is not None:
        shown = estimable(data, base) if departure is None else departure.free.base
    found = estimate.of(shown)
    sums = tuple(_sum(row, text, found, sizes, departure) for row, text in enumerate(_texts(shown)))
    return Knowledge(
        parameters=tuple(
            _parameter(column, estimate, base, shown, sums) for column in range(len(base.names))
        ),
        sums=sums,
        estimate=found,
        excitation=identifiability(data.R, base),
    )


def _texts(base: BaseParameters) -> list[str]:
    return [grouping.text() for grouping in groupings(base)]


def _sum(row: int, text: str, found: Estimate, sizes: Array, departure: Departure | None) -> Known:
    """What is known of a sum that the data determine."""
    value, std = float(found.beta[row]), float(found.std[row])
    coefficients = found.base.projection[row]
    if _prior_rules(found, coefficients, std):
        return Known(text, "from prior", "the data add little to the prior", value, std)
    if std > np.max(np.abs(coefficients) * sizes):
        return Known(text, "not excited", _hardly(std), value, std)
    cause = None if departure is None else departure.causes[row]
    if departure is not None and cause is not None:
        moved = departure.std(row, std)
        return Known(text, _MOVED[cause], departure.said(row), departure.values[row], moved)
    return Known(text, "identified", "", value, std)


def _parameter(
    column: int,
    estimate: Estimate,
    base: BaseParameters,
    shown: BaseParameters,
    sums: Sequence[Known],
) -> Known:
    """What is known of one parameter.

    Args:
        column: of the parameter.
        estimate: the estimate, with a value for each parameter where there is a prior.
        base: what some motion shows.
        shown: what these data show.
        sums: what is known of that.
    """
    name = base.names[column]
    rows = np.flatnonzero(shown.projection[:, column]).tolist()
    if _alone(shown, column):
        return sums[rows[0]]._replace(name=name)
    if estimate.prior is not None and _alone(estimate.base, column):
        return _shared_out(name, estimate, estimate.base.independent.index(column), bool(rows))
    if not rows:
        never = column in base.unidentifiable
        said = "no motion of this robot shows it" if never else "nothing in this motion shows it"
        return Known(name, "not excited", said, None, None)
    if all(sums[row].status == "not excited" for row in rows):
        return Known(name, "not excited", sums[rows[0]].said, None, None)
    combined = "; ".join(sums[row].name for row in rows)
    return Known(name, "in combination", f"only in {combined}", None, None)


def _shared_out(name: str, estimate: Estimate, row: int, shown: bool) -> Known:
    """A parameter that has a value of its own by a prior alone.

    Args:
        name: of the parameter.
        estimate: with that value.
        row: of the parameter in it.
        shown: whether the data know a sum that it is part of.
    """
    value, std = float(estimate.beta[row]), float(estimate.std[row])
    if not shown or _prior_rules(estimate, estimate.base.projection[row], std):
        return Known(name, "from prior", "the data add little to the prior", value, std)
    said = "the data know a sum, the prior shares it out"
    return Known(name, "in combination", said, value, std)


def _alone(base: BaseParameters, column: int) -> bool:
    """Whether a parameter is a base parameter that none is grouped with."""
    rows = np.flatnonzero(base.projection[:, column])
    return rows.size == 1 and np.count_nonzero(base.projection[rows[0]]) == 1


def _prior_rules(estimate: Estimate, coefficients: Array, std: float) -> bool:
    """Whether most of the certainty of a sum is the prior's.

    Args:
        estimate: that has a prior, or none.
        coefficients: of the sum, shape (p,).
        std: of the sum, by data and prior.
    """
    if estimate.prior is None:
        return False
    part = coefficients != 0
    before = float(np.linalg.norm(coefficients[part] * estimate.prior.std[part]))
    return std**2 > (1 - _FROM_DATA) * before**2


def _hardly(std: float) -> str:
    return f"the motion hardly shows it: uncertain by {std:.2g}"
