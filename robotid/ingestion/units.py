"""Units: what they measure, and how many of the SI unit they are."""

from typing import NamedTuple

from robotid.errors import ConfigError, nearest


class Unit(NamedTuple):
    """What a unit measures, and SI = factor * value + offset."""

    measures: str
    factor: float = 1.0
    offset: float = 0.0


_TURN = 6.283185307179586
UNITS: dict[str, Unit] = {
    "rad": Unit("angle"),
    "mrad": Unit("angle", 1e-3),
    "deg": Unit("angle", _TURN / 360),
    "rev": Unit("angle", _TURN),
    "m": Unit("length"),
    "cm": Unit("length", 1e-2),
    "mm": Unit("length", 1e-3),
    "um": Unit("length", 1e-6),
    "rad/s": Unit("angular velocity"),
    "mrad/s": Unit("angular velocity", 1e-3),
    "deg/s": Unit("angular velocity", _TURN / 360),
    "rpm": Unit("angular velocity", _TURN / 60),
    "rev/s": Unit("angular velocity", _TURN),
    "m/s": Unit("velocity"),
    "cm/s": Unit("velocity", 1e-2),
    "mm/s": Unit("velocity", 1e-3),
    "m/s^2": Unit("acceleration"),
    "rad/s^2": Unit("angular acceleration"),
    "Nm": Unit("torque"),
    "mNm": Unit("torque", 1e-3),
    "Ncm": Unit("torque", 1e-2),
    "kNm": Unit("torque", 1e3),
    "N": Unit("force"),
    "mN": Unit("force", 1e-3),
    "kN": Unit("force", 1e3),
    "A": Unit("current"),
    "mA": Unit("current", 1e-3),
    "C": Unit("temperature"),
    "K": Unit("temperature", 1.0, -273.15),
    "1": Unit("number"),
}

# ns in each unit of time: whole numbers, so that whole stamps stay exact.
TIME_UNITS: dict[str, int] = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}

# Other ways to write the same, without blanks and in small letters.
_SPELLINGS: dict[str, str] = {
    "radian": "rad",
    "radians": "rad",
    "degree": "deg",
    "degrees": "deg",
    "°": "deg",
    "°/s": "deg/s",
    "degree/s": "deg/s",
    "degrees/s": "deg/s",
    "radian/s": "rad/s",
    "radians/s": "rad/s",
    "rad/sec": "rad/s",
    "deg/sec": "deg/s",
    "1/min": "rpm",
    "rev/min": "rpm",
    "turn": "rev",
    "turns": "rev",
    "meter": "m",
    "meters": "m",
    "metre": "m",
    "metres": "m",
    "n·m": "Nm",
    "n*m": "Nm",
    "n.m": "Nm",
    "newtonmeter": "Nm",
    "mn·m": "mNm",
    "mn*m": "mNm",
    "n·cm": "Ncm",
    "n*cm": "Ncm",
    "amp": "A",
    "amps": "A",
    "ampere": "A",
    "°c": "C",
    "degc": "C",
    "celsius": "C",
    "kelvin": "K",
    "m/s²": "m/s^2",
    "m/s2": "m/s^2",
    "rad/s²": "rad/s^2",
    "rad/s2": "rad/s^2",
    "sec": "s",
    "second": "s",
    "seconds": "s",
    "msec": "ms",
    "millisecond": "ms",
    "milliseconds": "ms",
    "usec": "us",
    "µs": "us",
    "μs": "us",
    "µm": "um",
    "μm": "um",
    "microsecond": "us",
    "microseconds": "us",
    "nsec": "ns",
    "nanosecond": "ns",
    "nanoseconds": "ns",
    "-": "1",
    "": "1",
}
_BY_SPELLING = {
    **{name.lower(): name for name in (*UNITS, *TIME_UNITS)},
    **_SPELLINGS,
}

# What a signal of a joint may be given in, the SI unit first.
MEASURED: dict[tuple[str, str], tuple[str, ...]] = {
    ("q", "revolute"): ("angle",),
    ("q", "prismatic"): ("length",),
    ("qd", "revolute"): ("angular velocity",),
    ("qd", "prismatic"): ("velocity",),
    ("tau", "revolute"): ("torque", "current"),
    ("tau", "prismatic"): ("force", "torque", "current"),
    ("current", "revolute"): ("current",),
    ("current", "prismatic"): ("current",),
    ("temperature", "revolute"): ("temperature",),
    ("temperature", "prismatic"): ("temperature",),
}
MEASURED |= {("tau_cmd", kind): MEASURED["tau", kind] for kind in ("revolute", "prismatic")}

# What the parts of a base and of a contact measure, in SI units where nothing is said.
_LINEAR, _ANGULAR = ("x", "y", "z"), ("rx", "ry", "rz")
PARTS: dict[tuple[str, str], str] = {
    **{("pos", end): "length" for end in _LINEAR},
    **{("quat", end): "number" for end in (*_LINEAR, "w")},
    **{("vel", end): "velocity" for end in _LINEAR},
    **{("vel", end): "angular velocity" for end in _ANGULAR},
    **{("acc", end): "acceleration" for end in _LINEAR},
    **{("acc", end): "angular acceleration" for end in _ANGULAR},
    **{("contact", f"f{end}"): "force" for end in _LINEAR},
    **{("contact", f"m{end}"): "torque" for end in _LINEAR},
}


def spelled(text: str) -> str | None:
    """The name of a unit in the tables, however it is written; None if it is none of them."""
    bare = "".join(text.split())
    if bare in UNITS or bare in TIME_UNITS:
        return bare
    return _BY_SPELLING.get(bare.lower())


def unit_named(text: str) -> Unit:
    """The unit of a name; an unknown one is refused."""
    name = spelled(text)
    if name is None or name not in UNITS:
        raise ConfigError("unknown-unit", f"unknown unit {text!r}", hint=nearest(text, UNITS))
    return UNITS[name]


def time_unit_named(text: str) -> int:
    """Nanoseconds in the unit of time of a name; an unknown one is refused."""
    name = spelled(text)
    if name is None or name not in TIME_UNITS:
        said = f"{text!r} is no unit of time"
        raise ConfigError("unknown-unit", said, hint=nearest(text, TIME_UNITS))
    return TIME_UNITS[name]
