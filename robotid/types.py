"""Types that layers share."""

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, NDArray[np.float64] | NDArray[np.int64] | NDArray[np.bool_]]
"""Signals by name, each of shape (samples,): `t` [ns], `<signal>.<joint>` in SI units."""
