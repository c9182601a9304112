"""What a campaign will tell: expected deviations of the parameters, and what would help."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from robotid.contracts.excitation import CertificateLine, ExpectedParameter
from robotid.excitation.forecast import FASTER
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.setting import Setting

Array = NDArray[np.float64]

BADLY_KNOWN = 0.05  # standard deviation as a share of the scale
_HELPS = 1.3  # times smaller
_MANY = 10  # times the periods: other things are easier


def deviations(A: Array) -> Array:
    """Standard deviation of each parameter, shape (b,), from their information."""
    result: Array = np.sqrt(np.diag(cho_solve(cho_factor(A), np.eye(len(A)))))
    return result


def expected_parameters(
    setting: Setting, after: Sequence[Array], faster: Array | None
) -> list[ExpectedParameter]:
    """All base parameters.

    Args:
        setting: what they are.
        after: information after each trajectory, scaled.
        faster: after all, had they been run faster; None where limits do not allow it.
    """
    unknowns = setting.unknowns
    stds = np.stack([deviations(A) for A in after])
    with_speed = stds[-1] if faster is None else deviations(faster)
    speed = FASTER * max(setting.options.speeds)
    wanted = set(unknowns.target.wanted.tolist())
    result = []
    for i, name in enumerate(unknowns.names):
        scale = float(unknowns.target.scale[i])
        result.append(
            ExpectedParameter(
                name=name,
                base=unknowns.base.base_names[i],
                groups=unknowns.groups[i],
                unit=unknowns.units[i],
                nominal=float(unknowns.nominal[i]),
                scale=scale,
                std=float(stds[-1, i] * scale),
                std_after=[float(std * scale) for std in stds[:, i]],
                wanted=i in wanted,
                advice=_advice(float(stds[-1, i]), float(with_speed[i]), speed),
            )
        )
    return result


def can_be_faster(options: ExcitationOptions, lines: Sequence[CertificateLine]) -> bool:
    """Whether limits leave room for the same motion at a higher speed."""
    share = max(options.speeds)
    if FASTER * share > 1.0:
        return False
    # Of torques the part of gravity does not grow: this is on the safe side.
    powers = {"acceleration": 2, "jerk": 3, "torque": 2}
    return all(
        FASTER ** powers[line.quantity] * abs(line.reached) <= abs(line.limit)
        for line in lines
        if line.part == "series" and line.quantity in powers
    )


def _advice(std: float, faster: float, speed: float) -> str:
    if std < BADLY_KNOWN:
        return ""
    if std > _HELPS * faster:
        return f"speeds of {speed:g} ({FASTER:g} times faster): {std / faster:.1f} times better"
    times = np.ceil((std / BADLY_KNOWN) ** 2)
    wider = "wider limits, or " if times > _MANY else ""
    return f"{wider}{times:.0f} times as many periods or trajectories"
