"""What can be said of each parameter, and of the data as a whole."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.base_parameters import BaseParameters
from robotid.dynamics.groupings import groupings
from robotid.dynamics.identifiability import Identifiability, identifiability
from robotid.fitting.estimable import estimable
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import Estimate

Array = NDArray[np.float64]
Status = Literal["identified", "in combination", "not excited", "from prior"]

_FROM_DATA = 0.5  # share of a prior's variance that data have to take away to be given the credit


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
    status: Status
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
        sums: what the estimate determines, in the order of its beta.
        excitation: rank, condition number and worst combination, with weights as in the fit.
    """

    parameters: tuple[Known, ...]
    sums: tuple[Known, ...]
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
    evidence: Evidence, estimate: Estimate, base: BaseParameters, sizes: Array
) -> Knowledge:
    """The status of every parameter and sum of an estimate.

    Args:
        evidence: the data of the estimate.
        estimate: of `linear` or `robust`.
        base: base parameters of the robot, as given to the estimator.
        sizes: that parameters may have, shape (p,), as from `prior.sizes`. What is more uncertain
            than that is no better known than without the data.
    """
    data = evidence.system(estimate.weights)
    shown = estimable(data, base)
    texts = tuple(grouping.text() for grouping in groupings(estimate.base))
    size_of_sum = np.max(np.abs(estimate.base.projection) * sizes, axis=1)
    weak = estimate.std > size_of_sum
    sums = []
    for row, (text, value, std) in enumerate(
        zip(texts, estimate.beta.tolist(), estimate.std.tolist(), strict=True)
    ):
        column = estimate.base.independent[row]
        status: Status = "not excited" if weak[row] else "identified"
        said = _hardly(std) if weak[row] else ""
        if estimate.prior is not None and _prior_rules(estimate, row, column):
            status, said = "from prior", "the data add little to the prior"
        sums.append(Known(text, status, said, value, std))
    return Knowledge(
        parameters=tuple(
            _parameter(column, estimate, base, shown, sums) for column in range(len(base.names))
        ),
        sums=tuple(sums),
        excitation=identifiability(data.R, base),
    )


def _parameter(
    column: int,
    estimate: Estimate,
    base: BaseParameters,
    shown: BaseParameters,
    sums: list[Known],
) -> Known:
    """What is known of one parameter.

    Args:
        column: of the parameter.
        estimate: the estimate.
        base: what some motion shows.
        shown: what these data show.
        sums: what the estimate determines.
    """
    name = base.names[column]
    rows = np.flatnonzero(estimate.base.projection[:, column]).tolist()
    if not rows:
        never = column in base.unidentifiable
        said = "no motion of this robot shows it" if never else "nothing in this motion shows it"
        return Known(name, "not excited", said, None, None)
    own, alone = sums[rows[0]], _alone(estimate.base, column)
    if not alone and all(sums[row].status == "not excited" for row in rows):
        return Known(name, "not excited", own.said, None, None)
    if not alone:
        combined = "; ".join(sums[row].name for row in rows)
        return Known(name, "in combination", f"only in {combined}", None, None)
    if own.status == "identified" and not _alone(shown, column):
        # A prior gave it a value of its own; the data know a sum that it is part of.
        said = "the data know a sum, the prior shares it out"
        return own._replace(name=name, status="in combination", said=said)
    return own._replace(name=name)


def _alone(base: BaseParameters, column: int) -> bool:
    """Whether a parameter is a base parameter that none is grouped with."""
    rows = np.flatnonzero(base.projection[:, column])
    return rows.size == 1 and np.count_nonzero(base.projection[rows[0]]) == 1


def _prior_rules(estimate: Estimate, row: int, column: int) -> bool:
    """Whether most of a parameter's certainty is the prior's."""
    if estimate.prior is None or not np.isfinite(estimate.prior.std[column]):
        return False
    left = float(estimate.std[row] / estimate.prior.std[column]) ** 2
    return left > 1 - _FROM_DATA


def _hardly(std: float) -> str:
    return f"the motion hardly shows it: uncertain by {std:.2g}"
