"""The gravity vector that fits the torques best, with the masses of the robot file."""

from typing import NamedTuple

import numpy as np

from robotid.plausibility.blocks import Array
from robotid.plausibility.model import Fit, Model, friction_terms
from robotid.plausibility.samples import Samples

_DETERMINED = 0.1  # of the best determined direction
_NOT_ITS_WEIGHT = 5.0


class Tilt(NamedTuple):
    """Gravity in base coordinates as the torques have it.

    Args:
        gravity: shape (3,) [m/s²].
        angle: to the robot file's [rad].
        left: mean share of the torques it leaves unexplained.
        nominal: the same with the robot file's gravity, none of its torques of the wrong sign.
        any_sign: the same where torques may have any sign.
    """

    gravity: Array
    angle: float
    left: float
    nominal: float
    any_sign: float


def tilt_of(samples: Samples, model: Model, nominal: Array, fits: list[Fit | None]) -> Tilt | None:
    """Fit the gravity vector; None where the torques do not depend on it.

    Directions that the motion says nothing about stay as in the robot file.
    """
    if not np.any(nominal):
        return None
    rows, values, parts = [], [], []
    for joint, fit in enumerate(fits):
        tau = samples.tau[:, joint]
        good = np.isfinite(tau)
        if fit is None or np.std(model.gravity[good, joint]) > _NOT_ITS_WEIGHT * np.std(tau[good]):
            continue  # a torque of another scale would outweigh all others
        terms = friction_terms(samples.qd[good, joint])
        scale = 1 / np.std(tau[good])
        columns = model.axes[:, good, joint].T
        y = np.column_stack([tau[good] - model.dynamic[good, joint], columns])
        y = scale * (y - terms @ np.linalg.lstsq(terms, y, rcond=None)[0])
        values.append(y[:, 0])
        rows.append(y[:, 1:])
        parts.append(fit)
    if not rows:
        return None
    A, b = np.concatenate(rows), np.concatenate(values)
    if np.linalg.norm(A) * np.linalg.norm(nominal) < 0.05 * np.linalg.norm(b):
        return None
    shift = np.linalg.lstsq(A, b - A @ nominal, rcond=_DETERMINED)[0]
    gravity = nominal + shift
    cosine = gravity @ nominal / (np.linalg.norm(gravity) * np.linalg.norm(nominal))

    def left(vector: Array) -> float:
        shares = []
        for columns, y in zip(rows, values, strict=True):
            x = columns @ vector
            scale = max(float(x @ y), 0.0) / max(float(x @ x), 1e-300)
            shares.append(np.mean((y - scale * x) ** 2))
        return float(np.mean(shares))

    return Tilt(
        gravity,
        float(np.arccos(np.clip(cosine, -1, 1))),
        left(gravity),
        left(nominal),
        float(np.mean([1 - fit.explained for fit in parts])),
    )
