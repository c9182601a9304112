"""How well torques are predicted, under names that cannot be mistaken."""

import numpy as np
from numpy.typing import NDArray

METRICS = ("rmse", "relative", "r2", "nmse_var", "nmse_range")


def errors(tau: NDArray[np.float64], predicted: NDArray[np.float64]) -> dict[str, float | None]:
    """All metrics of one joint; None where a metric has no value (a constant torque).

    With e = tau - predicted: rmse = sqrt(mean e^2) [N m], relative = |e| / |tau|,
    nmse_var = mean(e^2) / var(tau), r2 = 1 - nmse_var, nmse_range = mean(e^2) / (max - min)^2.

    Args:
        tau: measured torques, shape (samples,) [N m].
        predicted: predicted torques, same shape.
    """
    e = tau - predicted
    mse = float(np.mean(e**2))
    variance, size = float(np.var(tau)), float(np.linalg.norm(tau))
    extent = float(np.ptp(tau))
    return {
        "rmse": float(np.sqrt(mse)),
        "relative": float(np.linalg.norm(e)) / size if size > 0 else None,
        "r2": 1.0 - mse / variance if variance > 0 else None,
        "nmse_var": mse / variance if variance > 0 else None,
        "nmse_range": mse / extent**2 if extent > 0 else None,
    }
