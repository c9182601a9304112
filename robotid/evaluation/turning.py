"""Where joints turn round: friction jumps there, and a filter smooths the jump.

The torque is smoothed, the column that stands for Coulomb friction is not. Errors at turning points
are no fault of the model; but where much of a motion lies near one, Coulomb friction comes out too
small and viscous friction too large.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import Parameter
from robotid.contracts.recording import RecordingFacts
from robotid.contracts.residuals import Excerpt
from robotid.errors import Notice
from robotid.signals.filtered_noise import FilteredNoise

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_STANDING = 0.05  # of the usual speed: below it the sign of a velocity is noise
# Of the motion near turning points. On the sample arm and UR10, Coulomb friction then is 5 to 12 %
# below what a high cut-off gives; at 0.2 it is 3 %, at 0.6 it is 17 %.
_MUCH = 0.3
_SURE = 2.0  # standard deviations


def moving(qd: Array) -> Mask:
    """Samples at which a joint is not about to stand."""
    return np.asarray(np.abs(qd) > _STANDING * np.sqrt(np.mean(qd**2)))


def near_turns(qd: Array, noise: FilteredNoise) -> Mask:
    """Samples nearer to where a joint turns round than its filter reaches."""
    reach = 0 if noise.cutoff_hz is None else int(np.ceil(noise.rate_hz / noise.cutoff_hz))
    turns = np.flatnonzero(np.diff(np.sign(qd)) != 0)
    begins = np.searchsorted(turns, np.arange(qd.size) - reach - 1)
    ends = np.searchsorted(turns, np.arange(qd.size) + reach)
    return np.asarray(begins != ends)


def smoothed_friction(
    found: Excerpt, recordings: Mapping[str, RecordingFacts], parameters: Sequence[Parameter]
) -> list[Notice]:
    """Joints whose Coulomb friction the filter has made too small.

    Args:
        found: an excerpt of the data.
        recordings: facts by name.
        parameters: that were found.
    """
    notices = []
    for place, joint in enumerate(found.joints):
        if not _has_coulomb(joint, parameters):
            continue
        near, all_moving, cutoff_hz = 0, 0, 0.0
        for window in found.windows:
            if window.split != "train":
                continue
            noise = FilteredNoise.of(recordings[window.recording], joint)
            qd = window.qd[:, place]
            moves = moving(qd)
            near += int(np.count_nonzero(moves & near_turns(qd, noise)))
            all_moving += int(np.count_nonzero(moves))
            cutoff_hz = max(cutoff_hz, noise.cutoff_hz or 0.0)
        if near > _MUCH * all_moving:
            said = (
                f"{100 * near / all_moving:.0f} % of the motion is within the reach of a filter of "
                f"{cutoff_hz:.3g} Hz from a turning point: Coulomb friction comes out too small, "
                "by 5 % or more, and viscous friction too large"
            )
            hint = "filter with a higher cut-off, or record a motion that turns round less often"
            notices.append(Notice(code="coulomb-smoothed", message=said, joint=joint, hint=hint))
    return notices


def _has_coulomb(joint: str, parameters: Sequence[Parameter]) -> bool:
    """Whether there is Coulomb friction, more than its uncertainty."""
    return any(
        one.name.startswith(f"{joint}.coulomb")
        and one.value > (0.0 if one.std is None else _SURE * one.std)
        for one in parameters
    )
