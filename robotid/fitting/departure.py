"""How far bounds, a prior or training that stops early keep a fit from what the data alone say.

A value that a bound holds where the data would not have put it is as sharp as any other in least
squares, and wrong by as much as it was moved. What was moved by several deviations is named so.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from robotid.errors import Notice
from robotid.fitting.linear import Estimate
from robotid.fitting.solved import Problem, Solved

Array = NDArray[np.float64]
Cause = Literal["bounds", "prior", "training"]

FAR = 2.0  # standard deviations: a value outside of about 95 % is not what the data say
_WORTH_SAYING = 3.0  # the same for a remark: of many values some are moved by more than `FAR`
_CHANCE = 1e-3  # that true parameters fit worse than least squares by so much
_SHOWN = 3  # constraints that a remark lists


@dataclass(frozen=True, eq=False)
class Departure:
    """What a fit gives out beside what the data alone say.

    Args:
        free: least squares without bounds and prior.
        values: that are given out for its sums, shape (rank,).
        causes: why a value is more than `FAR` deviations away, None where it is not.
        times: squared errors over those of least squares.
        beyond_chance: whether they are larger than true parameters would have them.
        active: constraints that hold parameters back, in words.
        otherwise: the cause where it is not seen in single values.
    """

    free: Estimate
    values: Array
    causes: tuple[Cause | None, ...]
    times: float
    beyond_chance: bool
    active: tuple[str, ...]
    otherwise: Cause

    @property
    def deviations(self) -> Array:
        """How far each value was moved, in standard deviations, shape (rank,)."""
        return _far(self.values, self.free)

    def said(self, row: int) -> str:
        """What the data say of a sum."""
        return f"the data say {self.free.beta[row]:.4g} ± {self.free.std[row]:.2g}"

    def std(self, row: int, own: float) -> float:
        """Of a value: its own, or where it was moved far, what that adds to it."""
        if self.causes[row] is None:
            return own
        return float(np.hypot(own, self.values[row] - self.free.beta[row]))

    def notices(self) -> list[Notice]:
        """What moved values, by how much, and what it costs."""
        moved: dict[Cause, list[int]] = {}
        for row, cause in enumerate(self.causes):
            if cause is not None:
                moved.setdefault(cause, []).append(row)
        if not self.beyond_chance:
            far = self.deviations
            moved = {c: rows for c, rows in moved.items() if max(far[rows]) > _WORTH_SAYING}
        elif not moved:
            moved = {self.otherwise: []}
        return [self._notice(cause, rows) for cause, rows in moved.items()]

    def _notice(self, cause: Cause, rows: list[int]) -> Notice:
        code, what, hint = _CODES[cause]
        cost = f"squared errors are {self.times:.3g} times those of least squares"
        said = f"{what} cost accuracy: {cost}"
        if rows:
            worst = max(rows, key=lambda row: float(self.deviations[row]))
            name, far = self.free.base.base_names[worst], self.deviations[worst]
            count = f"{len(rows)} of {len(self.causes)} base parameters"
            said = f"{what} keep {count} from what the data say, {name} by {far:.3g} deviations: "
            said += cost
        if cause == "bounds" and self.active:
            more = f" and {len(self.active) - _SHOWN} more" if len(self.active) > _SHOWN else ""
            # Boxes that a user gave come last, and are what can be changed at once.
            said += f"; {', '.join(self.active[::-1][:_SHOWN])}{more}"
        return Notice(code=code, message=said, hint=hint)


# code, what it is, what to do
_CODES: dict[Cause, tuple[str, str, str]] = {
    "bounds": (
        "held-by-bounds",
        "bounds",
        "check centre, the robot file and the units; model wls shows what the data say",
    ),
    "prior": (
        "held-by-prior",
        "the prior and the robot file",
        "give a weaker prior, or none, unless you trust the robot file more than the data",
    ),
    "training": (
        "short-of-the-data",
        "steps that ended early",
        "train for longer, or start from the SDP",
    ),
}


def departure_of(problem: Problem, solved: Solved) -> Departure | None:
    """How far a fit is from least squares; None for inertias of nine entries, which have none."""
    if solved.phi.size != problem.layout.parameters:
        return None
    free = solved.free or solved.estimate
    values = free.base.beta(solved.phi)
    otherwise: Cause = "training" if problem.options.optimizer == "adam" else "bounds"
    kinds = [otherwise] * free.base.rank
    if solved.without_prior is not None:
        otherwise = "prior"
        held = (_far(free.base.beta(solved.without_prior), free) > FAR).tolist()
        kinds = ["bounds" if by else "prior" for by in held]
    far = (_far(values, free) > FAR).tolist()
    growth = free.system.loss(solved.phi) - free.system.loss(free.around(solved.phi))
    counts = solved.evidence.counts
    noise = float(np.sum(counts * np.square(free.weights * free.noise)))
    samples = float(counts.sum()) * solved.evidence.independent
    return Departure(
        free=free,
        values=values,
        causes=tuple(kind if moved else None for kind, moved in zip(kinds, far, strict=True)),
        times=1.0 + growth / noise,
        beyond_chance=samples * growth / noise > float(chdtri(free.base.rank, _CHANCE)),
        active=solved.active,
        otherwise=otherwise,
    )


def _far(values: Array, free: Estimate) -> Array:
    return np.asarray(np.abs(values - free.beta) / free.std)
