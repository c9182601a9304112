"""Evidence: all factors a fit works on, by block and row, and how many samples they count for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.errors import UsageError
from robotid.information.factor import Factor, merged
from robotid.information.on_file import rows_of, samples_in
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
        fewer: the same samples in fewer factors, where there are such.
    """

    blocks: tuple[Sequence[Factor], ...]
    parameters: int
    independent: float = 1.0
    fewer: tuple[Sequence[Factor], ...] = ()

    def __post_init__(self) -> None:
        rows = {rows_of(block) for block in self.blocks}
        if len(rows) != 1:
            said = f"{len(self.blocks)} blocks with {len(rows)} different sets of rows"
            raise UsageError("factors-differ", said, hint="same robot, joints and terms are needed")
        if not 0 < self.independent <= 1:
            said = f"a share of {self.independent:g} independent samples"
            raise UsageError("bad-share", said, hint="it lies above 0 and is at most 1")

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows of torque."""
        return rows_of(self.blocks[0])

    @cached_property
    def counts(self) -> Array:
        """Samples of each block and row, shape (blocks, rows)."""
        counts = np.array([float(samples_in(block)) for block in self.blocks])
        return np.repeat(counts[:, None], len(self.rows), axis=1)

    @cached_property
    def least_noise(self) -> Array:
        """The least standard deviation that errors of a row are credited with [N m], shape (rows,).

        Exact data would have infinite weights otherwise.
        """
        size = np.sqrt([factor.power / factor.count for factor in self._whole])
        return np.asarray(np.maximum(_LEAST_NOISE * size, np.finfo(float).tiny))

    def merged(self, weights: ArrayLike = 1.0) -> list[Factor]:
        """One factor per row.

        Args:
            weights: of the errors, anything that broadcasts to (blocks, rows).
        """
        given = np.broadcast_to(np.asarray(weights, dtype=np.float64), self.counts.shape)
        if (given == given[0]).all():  # blocks need to be merged only once
            return _weighted(self._whole, given[0])
        blocks = zip(self.blocks, given, strict=True)
        return merged(_weighted(block, own) for block, own in blocks)

    @cached_property
    def _whole(self) -> list[Factor]:
        """One factor per row, all blocks alike."""
        return merged(self.fewer or self.blocks)

    def system(self, weights: ArrayLike = 1.0) -> System:
        """The least-squares problem in all parameters; weights as for `merged`."""
        return assemble(self.merged(weights), self.parameters)

    def losses(self, phi: Array) -> Array:
        """Sums of squared errors of torque, shape (blocks, rows), for all parameters."""
        return np.array([[factor.loss(phi) for factor in block] for block in self.blocks])

    def loss(self, phi: Array, shares: Array) -> Array:
        """Sums of squared errors, shape (rows,), of blocks that count in part.

        Args:
            phi: all parameters, shape (p,).
            shares: with which errors count, shape (blocks, rows).
        """
        if (shares == shares[0]).all():
            return np.asarray(shares[0] * np.array([factor.loss(phi) for factor in self._whole]))
        return np.asarray((shares * self.losses(phi)).sum(axis=0))


class Part(NamedTuple):
    """The data of one recording.

    Args:
        share: of its samples that are independent.
        blocks: factors by block and row.
        whole: the same in one block, where there is such.
    """

    share: float
    blocks: Sequence[Sequence[Factor]]
    whole: Sequence[Factor] | None = None

    @property
    def fewest(self) -> Sequence[Sequence[Factor]]:
        """The same samples in as few factors as there are."""
        return self.blocks if self.whole is None else [self.whole]


def together(parts: Sequence[Part], parameters: int) -> Evidence:
    """The evidence of several recordings."""
    counts = [sum(map(samples_in, part.blocks)) for part in parts]
    return Evidence(
        tuple(block for part in parts for block in part.blocks),
        parameters,
        float(np.average([part.share for part in parts], weights=counts)),
        tuple(block for part in parts for block in part.fewest),
    )


def _weighted(block: Sequence[Factor], weights: Array) -> list[Factor]:
    """The factors of a block, errors of each row multiplied by its weight."""
    return [
        factor if weight == 1.0 else replace(factor, R=weight * factor.R)
        for factor, weight in zip(block, weights.tolist(), strict=True)
    ]
