"""What a search has to know of the parameters: their columns and scales, and which of them matter.

Apart from `unknowns`, so that processes that search need not load what base parameters take.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.information.layout import Layout


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
