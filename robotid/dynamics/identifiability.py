"""What data tell about base parameters: rank, condition, and what they determine worst."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.base_parameters import TOLERANCE, BaseParameters
from robotid.errors import UsageError

Array = NDArray[np.float64]


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
        names: of the base parameters.
        silent: base parameters that do not act in this motion at all.
    """

    structural_rank: int
    rank: int
    condition: float
    singular_values: Array
    worst: Array
    names: tuple[str, ...]
    silent: tuple[str, ...]

    def worst_text(self, least: float = 0.1) -> str:
        """The worst combination in words, without weights below a share of the largest."""
        weights = self.worst / np.abs(self.worst).max()
        order = np.argsort(-np.abs(weights), kind="stable")
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
    worst = worst * np.sign(worst[np.abs(worst).argmax()])
    rank = int((values > tolerance * values[0]).sum()) if values[0] > 0 else 0
    return Identifiability(
        structural_rank=base.rank,
        rank=rank,
        condition=float(values[0] / values[-1]) if rank == base.rank else np.inf,
        singular_values=values,
        worst=worst,
        names=base.base_names,
        silent=tuple(np.array(base.base_names)[silent].tolist()),
    )
