"""What a user asked for besides parameters, in words: a load, gains of drives, the whole mass."""

import math
from collections.abc import Mapping, Sequence

from robotid.contracts.fit import DriveGain, PayloadFound
from robotid.contracts.fit_sums import TotalMass

_REACH = 1.96  # standard deviations of a 95 % interval


def load_in_words(found: PayloadFound) -> str:
    """Mass and centre of mass with 95 % intervals."""
    centre = ", ".join(_of_interval(*entry) for entry in found.centre)
    return f"Load at {found.frame}: {_of_interval(*found.mass)} kg, centre of mass ({centre}) m"


def gains_in_words(gains: Sequence[DriveGain], units: Mapping[str, str]) -> str:
    """Gains with 95 % intervals; nothing without any.

    Args:
        gains: of drives.
        units: of torque, by joint.
    """
    said = (
        f"{gain.joint} {_measured(gain.value, _REACH * gain.std)} {units[gain.joint]}"
        for gain in gains
    )
    return f"Gains per A: {', '.join(said)}" if gains else ""


def mass_in_words(found: TotalMass | None) -> str:
    """The mass of a floating robot with its 95 % interval; nothing of others."""
    if found is None:
        return ""
    return f"Total mass {_measured(found.value, _REACH * found.std)} kg"


def _of_interval(value: float | None, lower: float | None, upper: float | None) -> str:
    if value is None or lower is None or upper is None:
        return "unknown"
    return _measured(value, (upper - lower) / 2)


def _measured(value: float, reach: float) -> str:
    """A number with as many digits as its interval is worth two."""
    if not 0 < reach < math.inf:
        return f"{value:.4g}"
    digits = max(0, 1 - math.floor(math.log10(reach)))
    return f"{value:.{digits}f} ± {reach:.2g}"
