"""The metrics of one row of torque, under names that cannot be mistaken."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Values = dict[str, float | None]

# name -> what it is, with e = tau - predicted over the samples of a split
METRICS: dict[str, str] = {
    "rmse": "root of mean e² [N m, or N]",
    "relative": "|e| / |tau|",
    "r2": "1 - nmse_var",
    "nmse_var": "mean e² / variance of tau in the same split",
    "nmse_range": "mean e² / (greatest - least tau of the training data)²",
    "nmse_sum": "mean e² / variance of tau in the training data; summed over the rows",
}
SUMMED = ("nmse_sum",)
# A variance below this share of the mean square is rounding: the torque is constant.
_ROUNDING = 1e-12


class ErrorSums(NamedTuple):
    """What the metrics of a row need to know of its samples.

    Args:
        samples: how many.
        loss: sum of e² [N² m²].
        total: sum of tau [N m].
        power: sum of tau² [N² m²].
    """

    samples: int
    loss: float
    total: float
    power: float

    @property
    def variance(self) -> float | None:
        """Of the torque [N² m²]; None where it is constant."""
        size = self.power / self.samples
        variance = size - (self.total / self.samples) ** 2
        return variance if variance > _ROUNDING * size else None

    def metrics(self, extent: float, training: float | None = None) -> Values:
        """All metrics; None where one has no value, as for a torque that is constant.

        Args:
            extent: greatest minus least torque of the training data [N m].
            training: variance of the torque in the training data [N² m²], if it has one.
        """
        mse, size, variance = self.loss / self.samples, self.power / self.samples, self.variance
        by_variance = None if variance is None else mse / variance
        return {
            "rmse": float(np.sqrt(mse)),
            "relative": float(np.sqrt(mse / size)) if size > 0 else None,
            "r2": 1.0 - by_variance if by_variance is not None else None,
            "nmse_var": by_variance,
            "nmse_range": mse / extent**2 if extent > 0 else None,
            "nmse_sum": None if training is None else mse / training,
        }


def metrics_of_samples(
    tau: Array, predicted: Array, extent: float, training: float | None = None
) -> Values:
    """All metrics of one row, straight from their definitions.

    Args:
        tau: measured torques, shape (samples,) [N m].
        predicted: predicted torques, same shape.
        extent: greatest minus least torque of the training data [N m].
        training: variance of the torque in the training data [N² m²], if it has one.
    """
    e = tau - predicted
    mse, variance = float(np.mean(e**2)), float(np.var(tau))
    size = float(np.linalg.norm(tau))
    varies = variance > _ROUNDING * float(np.mean(tau**2))
    return {
        "rmse": float(np.sqrt(mse)),
        "relative": float(np.linalg.norm(e)) / size if size > 0 else None,
        "r2": 1.0 - mse / variance if varies else None,
        "nmse_var": mse / variance if varies else None,
        "nmse_range": mse / extent**2 if extent > 0 else None,
        "nmse_sum": None if training is None else mse / training,
    }
