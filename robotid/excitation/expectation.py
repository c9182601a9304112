"""What a campaign will tell: expected deviations of the parameters, and what would help."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from robotid.contracts.excitation import ExpectedParameter, Play
from robotid.excitation.information import MotionInformation
from robotid.excitation.regressor_adjoint import RegressorAdjoint
from robotid.excitation.setting import Setting

Array = NDArray[np.float64]

BADLY_KNOWN = 0.05  # standard deviation as a share of the scale
_FASTER = 1.5
_HELPS = 1.3  # times smaller


class Expected(NamedTuple):
    """Information of a trajectory as it is to be run, and if it were run faster, scaled."""

    information: Array
    faster: Array


class Forecaster:
    """Information of the plays of trajectories."""

    def __init__(self, setting: Setting) -> None:
        """Prepare for trajectories of a setting."""
        self._options, self._samples = setting.options, setting.samples
        self._maps = setting.space.maps(setting.samples)
        regressor = RegressorAdjoint(setting.robot, setting.samples)
        self._information = MotionInformation(
            setting.unknowns.target,
            setting.noise,
            1.0 / setting.samples,
            setting.samples,
            regressor,
        )

    def of(self, x: Array, plays: Sequence[Play]) -> Expected:
        """What the series of all plays tell; ramps are not counted."""
        motion = self._maps.motion(x)
        return Expected(
            np.sum([self._of(motion, play.slower) for play in plays], axis=0),
            np.sum([self._of(motion, play.slower / _FASTER) for play in plays], axis=0),
        )

    def _of(self, motion: Array, slower: float) -> Array:
        options = self._options
        independent = options.noise_hz * options.period_s * options.periods * slower
        slowed = motion / np.array([1.0, slower, slower**2])[:, None, None]
        return independent * self._information.of(slowed)


def deviations(A: Array) -> Array:
    """Standard deviation of each parameter, shape (b,), from their information."""
    result: Array = np.sqrt(np.diag(cho_solve(cho_factor(A), np.eye(len(A)))))
    return result


def expected_parameters(
    setting: Setting, after: Sequence[Array], faster: Array
) -> list[ExpectedParameter]:
    """All base parameters.

    Args:
        setting: what they are.
        after: information after each trajectory, scaled.
        faster: after all, had they been run faster.
    """
    unknowns = setting.unknowns
    stds = np.stack([deviations(A) for A in after])
    with_speed = deviations(faster)
    wanted = set(unknowns.target.wanted.tolist())
    result = []
    for i, name in enumerate(unknowns.names):
        scale = float(unknowns.target.scale[i])
        result.append(
            ExpectedParameter(
                name=name,
                groups=unknowns.groups[i],
                unit=unknowns.units[i],
                nominal=float(unknowns.nominal[i]),
                scale=scale,
                std=float(stds[-1, i] * scale),
                std_after=[float(std * scale) for std in stds[:, i]],
                wanted=i in wanted,
                advice=_advice(float(stds[-1, i]), float(with_speed[i])),
            )
        )
    return result


def _advice(std: float, faster: float) -> str:
    if std < BADLY_KNOWN:
        return ""
    if std > _HELPS * faster:
        return f"{_FASTER:g} times faster, {std / faster:.1f} times better"
    return f"{np.ceil((std / BADLY_KNOWN) ** 2):.0f} times as many periods or trajectories"
