"""What a search has to know of the parameters: their columns and scales, and which of them matter.

Apart from `unknowns`, so that processes that search need not load what base parameters take.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.information.layout import Layout

_ROUNDING = 1e-13  # eigenvalues below this share of the largest mean nothing
_NAMED, _MOST_NAMED = 0.2, 4  # parameters with less weight, or beyond so many, are not named


class Target(NamedTuple):
    """Base parameters as columns of the regressor.

    Args:
        layout: all parameters.
        columns: the parameter each base parameter is called after, among those of the layout.
        scale: what counts as a whole unit of each, shape (b,).
        wanted: which of them the design is for, ascending.
    """

    layout: Layout
    columns: NDArray[np.int64]
    scale: NDArray[np.float64]
    wanted: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many base parameters there are."""
        return int(self.columns.size)

    def tells(self, A: NDArray[np.float64]) -> bool:
        """Whether an information matrix, shape (b, b), says something of every combination."""
        values = np.linalg.eigvalsh(A)
        return bool(values[0] > _ROUNDING * values[-1])

    def check_told(self, A: NDArray[np.float64]) -> None:
        """Refuse an information matrix, shape (b, b), that says nothing of some combination."""
        values, vectors = np.linalg.eigh(A)
        if values[0] > _ROUNDING * values[-1]:
            return
        weights = np.abs(vectors[:, 0])
        order = [i for i in np.argsort(-weights, kind="stable") if weights[i] > _NAMED]
        names = ", ".join(self.layout.names[self.columns[i]] for i in order[:_MOST_NAMED])
        raise ConfigError(
            "not-told",
            f"trajectories of this kind do not tell {names}",
            hint="give more harmonics, wider limits, or fewer terms",
        )
