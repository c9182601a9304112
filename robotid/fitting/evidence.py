"""Evidence: all factors a fit works on, by block and row, and how many samples they count for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.errors import UsageError
from robotid.information.factor import Factor, merge
from robotid.information.system import System, assemble

Array = NDArray[np.float64]

_LEAST_NOISE = 1e-6  # of the torque: no sensor is better


@dataclass(frozen=True, eq=False)
class Evidence:
    """Blocks of one or several recordings of the same robot with the same terms.

    Args:
        blocks: factors by block and row; rows come in the same order in every block.
        parameters: how many parameters there are.
        independent: share of the samples that count as independent: filtered residuals are
            correlated, and uncertainties that ignore it are too small.
    """

    blocks: tuple[tuple[Factor, ...], ...]
    parameters: int
    independent: float = 1.0

    def __post_init__(self) -> None:
        rows = {tuple(factor.row for factor in block) for block in self.blocks}
        if len(rows) != 1:
            said = f"{len(self.blocks)} blocks with {len(rows)} different sets of rows"
            raise UsageError("factors-differ", said, hint="same robot, joints and terms are needed")
        if not 0 < self.independent <= 1:
            said = f"a share of {self.independent:g} independent samples"
            raise UsageError("bad-share", said, hint="it lies above 0 and is at most 1")

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows of torque."""
        return tuple(factor.row for factor in self.blocks[0])

    @cached_property
    def counts(self) -> Array:
        """Samples of each block and row, shape (blocks, rows)."""
        return np.array([[float(factor.count) for factor in block] for block in self.blocks])

    @cached_property
    def powers(self) -> Array:
        """Sums of squares of the torque of each block and row, shape (blocks, rows)."""
        return np.array([[factor.power for factor in block] for block in self.blocks])

    @cached_property
    def least_noise(self) -> Array:
        """The least standard deviation that errors of a row are credited with [N m], shape (rows,).

        Exact data would have infinite weights otherwise.
        """
        size = np.sqrt(self.powers.sum(axis=0) / self.counts.sum(axis=0))
        return np.asarray(np.maximum(_LEAST_NOISE * size, np.finfo(float).tiny))

    def merged(self, weights: ArrayLike = 1.0) -> list[Factor]:
        """One factor per row.

        Args:
            weights: of the errors, anything that broadcasts to (blocks, rows).
        """
        given = np.broadcast_to(np.asarray(weights, dtype=np.float64), self.counts.shape)
        return [self._of_row(row, given[:, row]) for row in range(len(self.rows))]

    def _of_row(self, row: int, weights: Array) -> Factor:
        if (weights == weights[0]).all():  # blocks need to be merged only once
            whole, weight = self._whole[row], float(weights[0])
            return whole if weight == 1.0 else replace(whole, R=weight * whole.R)
        return merge(
            [
                replace(block[row], R=weight * block[row].R)
                for block, weight in zip(self.blocks, weights.tolist(), strict=True)
            ]
        )

    @cached_property
    def _whole(self) -> list[Factor]:
        """One factor per row, all blocks alike."""
        return [merge(column) for column in zip(*self.blocks, strict=True)]

    def system(self, weights: ArrayLike = 1.0) -> System:
        """The least-squares problem in all parameters; weights as for `merged`."""
        return assemble(self.merged(weights), self.parameters)

    def losses(self, phi: Array) -> Array:
        """Sums of squared errors of torque, shape (blocks, rows), for all parameters."""
        return np.array([[factor.loss(phi) for factor in block] for block in self.blocks])


def together(
    parts: Sequence[tuple[float, Sequence[Sequence[Factor]]]], parameters: int
) -> Evidence:
    """The evidence of several recordings, each with its share of independent samples."""
    blocks = tuple(tuple(block) for _, some in parts for block in some)
    counts = [sum(block[0].count for block in some) for _, some in parts]
    shares = [share for share, _ in parts]
    return Evidence(blocks, parameters, float(np.average(shares, weights=counts)))
