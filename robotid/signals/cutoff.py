"""How good accelerations are, and the cut-off that makes them best: predicted from spectra.

With the spectrum P of what is differentiated, the noise N in it, and S = P - N where P stands out:

    error(f_c) = sum over f of |D|^2 ((1 - G)^2 S + G^2 N)

G is the gain of the low-pass and D the response of the differentiators: what the filter takes from
the motion, and what it leaves of the noise.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.signals.butterworth import gain
from robotid.signals.spectrum import Noise, Spectrum, in_bins

Array = NDArray[np.float64]

_CANDIDATES = 64
_HIGHEST = 0.4  # of the rate
_STANDS_OUT = 2.0  # times the noise
_FALLING = -1.5  # noise with a steeper slope has been filtered before


class Motion(NamedTuple):
    """What the acceleration of a joint comes from: its channel, and |D|^2 at each frequency."""

    channel: int
    response: Array


class Choice(NamedTuple):
    """The cut-off of least predicted error, and the evidence.

    `candidates_hz` and `error` are the curve, as a share of the acceleration's power. `by_joint` is
    what each joint alone would want. `residual` is the power that the filter takes out above what
    noise alone would be: 1 when nothing but noise is taken out. `filtered_before` names joints
    whose noise falls off as if the logger had filtered it: there the choice says little.
    """

    cutoff_hz: float
    candidates_hz: Array
    error: Array
    by_joint: dict[str, float]
    residual: dict[str, float]
    filtered_before: list[str]


def choose_cutoff(
    spectrum: Spectrum, noise: Noise, motions: Mapping[str, Motion], order: int, rate_hz: float
) -> Choice:
    """The design value of the cut-off with the least error of acceleration, for all joints.

    Args:
        spectrum: of all channels before filtering.
        noise: in them.
        motions: by joint.
        order: of the low-pass.
        rate_hz: of the grid.
    """
    f = spectrum.frequency_hz
    candidates = np.geomspace(4 * f[0], _HIGHEST * rate_hz, _CANDIDATES)
    gains = np.array([gain(f, cutoff, order, rate_hz) for cutoff in candidates])
    errors: dict[str, Array] = {}
    for joint, motion in motions.items():
        signal, disturbance = _parts(spectrum, noise, motion)
        if signal.sum() > 0:
            lost, left = ((1 - gains) ** 2) @ signal, (gains**2) @ disturbance
            errors[joint] = (lost + left) / signal.sum()
    if not errors:
        said = "no joint moves by more than its noise, so no cut-off can be chosen"
        raise BadDataError("no-motion", said, hint="give cutoff_hz in Hz")
    mean = np.mean(list(errors.values()), axis=0)
    best = int(np.argmin(mean))
    taken = (1 - gains[best]) ** 2
    return Choice(
        cutoff_hz=float(candidates[best]),
        candidates_hz=candidates,
        error=mean,
        by_joint={joint: float(candidates[np.argmin(e)]) for joint, e in errors.items()},
        residual={
            joint: float(
                (taken @ spectrum.density[motions[joint].channel])
                / (taken @ noise.density[motions[joint].channel])
            )
            for joint in errors
            if (taken @ noise.density[motions[joint].channel]) > 0
        },
        filtered_before=[j for j in errors if noise.slope[motions[j].channel] < _FALLING],
    )


def acceleration_snr_db(
    spectrum: Spectrum,
    noise: Noise,
    motions: Mapping[str, Motion],
    gains: Sequence[Array],
) -> dict[str, float | None]:
    """Power of the acceleration over that of the noise in it, after filtering, by joint [dB].

    Args:
        spectrum: of all channels before filtering.
        noise: in them.
        motions: by joint.
        gains: of the low-pass of each channel.

    Returns:
        None for a joint that does not move, or has no noise that could be seen.
    """
    found: dict[str, float | None] = {}
    for joint, motion in motions.items():
        passed = gains[motion.channel] ** 2
        signal, disturbance = (float(passed @ part) for part in _parts(spectrum, noise, motion))
        ok = signal > 0 and disturbance > 0
        found[joint] = float(10 * np.log10(signal / disturbance)) if ok else None
    return found


def _parts(spectrum: Spectrum, noise: Noise, motion: Motion) -> tuple[Array, Array]:
    """Densities of the motion and of the noise as they show in the acceleration."""
    density, floor = spectrum.density[motion.channel], noise.density[motion.channel]
    # Single lines scatter about the noise; bins of many lines do so less.
    smooth = in_bins(Spectrum(spectrum.frequency_hz, density[None]))
    level = np.interp(spectrum.frequency_hz, smooth.frequency_hz, smooth.density[0])
    signal = np.where(level > _STANDS_OUT * floor, np.maximum(density - floor, 0.0), 0.0)
    return signal * motion.response, floor * motion.response
