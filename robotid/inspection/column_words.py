"""What the words in the name of a column say: which signal it is, in which unit, and of what kind.

`PositionCmptd1` is a position that was computed, `rec.act_vel_deg_per_s[0]` a measured velocity in
deg/s. Words tell what people usually mean by them; values decide where they can.
"""

import re
from typing import NamedTuple

from robotid.ingestion.units import TIME_UNITS, UNITS, spelled

# Words for signals that a map knows, and for some that it does not, so that they are not mistaken.
SIGNAL_WORDS: dict[str, tuple[str, ...]] = {
    "tau": ("tau", "torque", "torques", "effort", "efforts", "trq", "tq", "moment", "moments"),
    "current": ("current", "currents", "curr", "cur", "amps", "ampere", "i", "iq"),
    "temperature": ("temp", "temps", "temperature", "temperatures"),
    "qdd": ("qdd", "ddq", "acc", "accel", "acceleration", "accelerations", "qddot"),
    "qd": ("qd", "dq", "qdot", "vel", "velocity", "velocities", "speed", "speeds", "omega", "rpm"),
    "q": (
        *("q", "pos", "position", "positions", "angle", "angles", "ang", "theta", "phi"),
        *("jointangle", "jpos", "encoder", "enc", "turns"),
    ),
}  # fmt: skip
WEAK_WORDS: dict[str, str] = {"load": "tau", "force": "tau", "joint": "q", "joints": "q"}
TIME_WORDS = ("t", "time", "times", "timestamp", "stamp", "clock", "sec", "secs", "seconds", "ts")

# What marks a signal as measured, asked for, computed, smoothed; or as nothing to be used.
MARKS: dict[str, tuple[str, ...]] = {
    "measured": (
        *("meas", "measured", "act", "actual", "read", "sensor", "sm", "sens", "state", "present"),
        *("fb", "feedback", "raw", "msr"),
    ),
    "commanded": (
        *("cmd", "command", "commanded", "commands", "des", "desired", "ref", "reference", "goal"),
        *("target", "set", "setpoint", "sp", "con", "ctrl", "control", "r", "ff", "feedforward"),
    ),
    "computed": (
        *("cmptd", "computed", "calc", "calculated", "model", "modeled", "modelled", "pred"),
        *("predicted", "est", "estimated", "sim", "fric", "friction", "grav", "gravity"),
    ),
    "filtered": ("filt", "filtered", "smooth", "smoothed", "lp", "lowpass"),
    "external": ("ext", "external", "contact", "payload"),
    "error": ("err", "error", "errors", "residual", "diff"),
    "limit": ("limit", "limits", "max", "min", "lower", "upper", "amp", "rate"),
    "cartesian": (
        *("x", "y", "z", "w", "qx", "qy", "qz", "qw", "rx", "ry", "rz", "tcp", "tool", "ee"),
        *("pose", "cartesian", "cart", "base", "imu", "odom", "roll", "pitch", "yaw", "wrench"),
    ),
    "switch": ("enable", "enabled", "status", "flag", "mode", "id", "volts", "voltage", "pwm"),
    "motor": ("motor", "mot", "rotor"),
}  # fmt: skip
_MARK_OF = {word: mark for mark, words in MARKS.items() for word in words}
_SIGNAL_OF = {word: signal for signal, words in SIGNAL_WORDS.items() for word in words}
_DOTS = {"dot": 1, "d": 1, "ddot": 2, "dd": 2}
_ORDER = re.compile(r"(?<![A-Za-z0-9])d(\d)(?![A-Za-z0-9])")  # phi_d2: the second derivative
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")


class Word(NamedTuple):
    """A word of a name in small letters, or a number, and where it stands."""

    text: str
    start: int
    end: int


class NameFacts(NamedTuple):
    """What a name says.

    Args:
        signal: `q`, `qd`, `tau`, …; `qdd` is known and not used; `time`; None if it says nothing.
        weak: whether only a word says so that often means something else.
        marks: kinds of values, keys of `MARKS`; `current` for a torque that comes from a current.
        unit: the unit that words name, as in `pos_deg`.
        words: all words that are no numbers.
    """

    signal: str | None
    weak: bool
    marks: frozenset[str]
    unit: str | None
    words: tuple[str, ...]


def words_of(name: str) -> list[Word]:
    """The words and numbers of a name: `pos_meas1` has pos, meas and 1."""
    return [Word(m[0].lower(), m.start(), m.end()) for m in _WORD.finditer(name)]


def read_name(name: str, context: tuple[str, ...] = ()) -> NameFacts:
    """What the name of a column says.

    Args:
        name: of the column.
        context: other names to look at where that says no signal: of its stream, of its file.
    """
    words = tuple(word.text for word in words_of(name) if not word.text.isdigit())
    signal, weak = _signal(words)
    around = [_words_only(text) for text in context]
    if signal is None or (weak and signal == "q"):
        said = [(found, w) for found, w in map(_signal, around) if found not in (None, "time")]
        if said:
            signal, weak = said[0]
    marks = {_MARK_OF[word] for word in words if word in _MARK_OF}
    for other in around:
        marks |= {m for m in (_MARK_OF.get(w) for w in other) if m in ("commanded", "computed")}
    order = _ORDER.search(name)
    if order is not None and signal == "qd" and int(order[1]) > 1:
        signal = "qdd"
    if signal == "tau" and any(_SIGNAL_OF.get(word) == "current" for word in words):
        marks.add("current")
    return NameFacts(signal, weak, frozenset(marks), _unit(name, words, signal), words)


def time_unit_of(name: str) -> str | None:
    """The unit of time that a name states, as in `time_ms`."""
    for word in reversed(_words_only(name)):
        unit = {"nsec": "ns", "usec": "us", "msec": "ms"}.get(word, word)
        if unit in TIME_UNITS and unit != "s":
            return unit
    return None


def _words_only(text: str) -> tuple[str, ...]:
    return tuple(word.text for word in words_of(text) if not word.text.isdigit())


def _signal(words: tuple[str, ...]) -> tuple[str | None, bool]:
    """The signal that words name, and whether only weakly."""
    found = [_SIGNAL_OF[word] for word in words if word in _SIGNAL_OF]
    named = any(word in TIME_WORDS for word in words) and not set(found) - {"q"}
    if named and (words[-1] in TIME_WORDS or not found):
        return "time", False
    for signal in SIGNAL_WORDS:  # torque before current, velocity before position
        if signal in found and not (signal == "current" and len(set(found)) > 1):
            return _derivative(signal, words), False
    weak = next((WEAK_WORDS[word] for word in words if word in WEAK_WORDS), None)
    return weak, weak is not None


def _derivative(signal: str, words: tuple[str, ...]) -> str:
    """`q_dot` and `phi_d1` are velocities."""
    if signal != "q":
        return signal
    order = sum(_DOTS.get(word, 0) for word in words)
    return ("q", "qd", "qdd")[min(order, 2)]


def _unit(name: str, words: tuple[str, ...], signal: str | None) -> str | None:
    """The unit that words name, where it is one of the signal."""
    if signal is None:
        return None
    joined = "_".join(words)
    for text, rate in (("deg_per_s", "deg/s"), ("rad_per_s", "rad/s"), ("deg_s", "deg/s")):
        if joined.endswith(text) and signal == "qd":
            return rate
    wanted = {
        "q": ("angle", "length"),
        "qd": ("angular velocity", "velocity"),
        "tau": ("torque", "force", "current"),
        "current": ("current",),
        "temperature": ("temperature",),
    }.get(signal, ())
    parts = re.split(r"[^A-Za-z]+", name)  # mNm is one part and two words
    for word in (*reversed(parts), *reversed(words)):
        unit = spelled(word) if len(word) > 1 else None
        if unit in UNITS and UNITS[unit].measures in wanted:
            return unit
        if signal == "qd" and word in ("deg", "rad"):
            return f"{word}/s"
    return None
