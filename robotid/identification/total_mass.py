"""The mass of a floating robot as a whole, which its weight shows."""

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit_sums import TotalMass
from robotid.fitting.linear import Estimate
from robotid.information.layout import Layout

Array = NDArray[np.float64]
_HIDDEN = 1e-6  # of a coefficient: what the data leave of the sum of all masses


def total_mass(layout: Layout, phi: Array, estimate: Estimate) -> TotalMass | None:
    """The sum of all masses with its deviation; None where the data do not show it.

    Args:
        layout: robot and terms.
        phi: all parameters, shape (p,).
        estimate: least squares of the same data, for the uncertainty.
    """
    if not layout.robot.floating or phi.size != layout.parameters:
        return None
    masses = np.zeros(layout.parameters)
    masses[: layout.links : 10] = 1.0
    # A sum of parameters that data determine is one of base parameters: masses = combined B.
    base = estimate.base
    combined = masses[list(base.independent)]
    if np.abs(combined @ base.projection - masses).max() > _HIDDEN:
        return None
    std = float(np.sqrt(combined @ estimate.covariance @ combined))
    value, seen = float(masses @ phi), float(combined @ estimate.beta)
    return TotalMass(
        value=value,
        std=float(np.hypot(std, value - seen)),
        nominal=float(layout.robot.phi[:, 0].sum()),
    )
