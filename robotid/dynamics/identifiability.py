"""What data tell about base parameters: rank, condition, and what they determine worst."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.base_parameters import TOLERANCE, BaseParameters
from robotid.errors import UsageError

Array = NDArray[np.float64]
_MOST_SHOWN = 4  # combinations in one sentence
_DIGITS = 6  # of weights that differ by rounding, the first counts as the largest


class Identifiability(NamedTuple):
    """How well a log determines the base parameters, each in units of its own column's length.

    Args:
        structural_rank: base parameters that some motion would show.
        rank: how many of them this motion shows.
        condition: ratio of the best to the worst determined combination; infinite when there is
            one that makes no difference to the torques.
        singular_values: of the scaled columns, descending, shape (structural_rank,).
        worst: the combination that is determined worst: weights of the scaled base parameters,
            unit length, largest positive, shape (structural_rank,).
        undetermined: combinations that make no difference to the torques, the same for all data
            that leave the same ones open, each with its largest weight at one,
            shape (structural_rank - rank, structural_rank).
        names: of the base parameters.
        silent: base parameters that do not act in this motion at all.
    """

    structural_rank: int
    rank: int
    condition: float
    singular_values: Array
    worst: Array
    undetermined: Array
    names: tuple[str, ...]
    silent: tuple[str, ...]

    def worst_text(self, least: float = 0.1) -> str:
        """What is not determined, or worst, in words, without weights far below the largest."""
        shown = self.undetermined if len(self.undetermined) else self.worst[None]
        texts = [self._combination(weights, least) for weights in shown[:_MOST_SHOWN]]
        more = len(shown) - len(texts)
        return "; ".join(texts) + (f" and {more} more" if more else "")

    def _combination(self, weights: Array, least: float) -> str:
        weights = weights / weights[_largest(np.abs(weights))]
        order = np.argsort(-np.abs(weights).round(_DIGITS), kind="stable")
        kept = [(weights[i], self.names[i]) for i in order if abs(weights[i]) >= least]
        text = "".join(f" {'+' if w > 0 else '-'} {abs(w):.2f} {name}" for w, name in kept)
        return text.removeprefix(" + ")


def identifiability(
    R: Array, base: BaseParameters, *, tolerance: float = TOLERANCE
) -> Identifiability:
    """Rank, condition and worst-determined combination of data.

    Args:
        R: the stacked regressor of all parameters or a triangular factor of it, rows weighted as in
            the fit, shape (rows, parameters).
        base: the structure of the robot.
        tolerance: singular values below this share of the largest count as zero.
    """
    R = np.asarray(R, dtype=np.float64)
    if R.ndim != 2 or R.shape[1] != len(base.names):
        raise UsageError(
            "wrong-shape",
            f"data have shape {R.shape}, base parameters of {len(base.names)} columns are given",
        )
    columns = base.reduced(R)
    length = np.linalg.norm(columns, axis=0)
    silent = length <= tolerance * length.max(initial=0.0)
    scaled = columns / np.where(silent, 1.0, length)
    scaled[:, silent] = 0.0
    if len(scaled) < base.rank:  # fewer rows than columns: the missing ones say nothing
        scaled = np.concatenate([scaled, np.zeros((base.rank - len(scaled), base.rank))])
    _, values, directions = np.linalg.svd(scaled, full_matrices=False)
    worst = directions[-1]
    worst = worst * np.sign(worst[_largest(np.abs(worst))])
    rank = int((values > tolerance * values[0]).sum()) if values[0] > 0 else 0
    return Identifiability(
        structural_rank=base.rank,
        rank=rank,
        condition=float(values[0] / values[-1]) if rank == base.rank else np.inf,
        singular_values=values,
        worst=worst,
        undetermined=_undetermined(directions[rank:], silent),
        names=base.base_names,
        silent=tuple(np.array(base.base_names)[silent].tolist()),
    )


def _undetermined(directions: Array, silent: NDArray[np.bool_]) -> Array:
    """A basis of what these span that does not depend on how they were chosen.

    Each of its combinations has a parameter of its own, the one that they are most about; silent
    parameters, which are a combination each, come last.
    """
    left, own = directions.copy(), list[int]()
    for _ in directions:
        own.append(_largest(np.linalg.norm(left, axis=0)))
        axis = left[:, own[-1]] / np.linalg.norm(left[:, own[-1]])
        left = left - np.outer(axis, axis @ left)
    found = np.asarray(np.linalg.solve(directions[:, own], directions), dtype=np.float64)
    return found[sorted(range(len(own)), key=lambda i: (silent[own[i]], own[i]))]


def _largest(sizes: Array) -> int:
    """Where the largest is; of several that differ by rounding, the first."""
    return int((sizes >= (1.0 - 10.0**-_DIGITS) * sizes.max()).argmax())
