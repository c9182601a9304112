"""The map of a log: which column is what. A TOML file, or the table `map` of a pipeline.

    joints = ["shoulder", "elbow"]              # names in the robot file, in the order of columns

    [time]
    column = "Time"
    unit = "ms"

    [q]
    columns = "Position{n}"                     # {n}: 1, 2, …   {i}: 0, 1, …   {joint}: its name
    unit = "deg"

    [tau]
    columns = ["cur_a", "cur_b"]
    unit = "A"
    constant = [0.12, 0.09]                     # N m/A
    side = "motor"

    [motor]
    gear = [100, 50]

    [base.vel]                                  # of a floating base; also pos, quat and acc
    columns = ["vx", "vy", "vz", "wx", "wy", "wz"]
    frame = "world"                             # or "base"

    [contact.FL_foot]                           # a link of the robot file
    columns = ["fx", "fy", "fz"]                # or six, with moments about its origin
    frame = "local"                             # or "world"

Light to import: pipeline files and help are read without numpy.
"""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

SIGNALS = ("q", "qd", "tau", "tau_cmd", "current", "temperature")
BASE_PARTS = {"pos": "xyz", "quat": "xyzw", "vel": ("x", "y", "z", "rx", "ry", "rz")}
BASE_PARTS |= {"acc": BASE_PARTS["vel"]}
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
_PLACES = re.compile(r"\{(n|i|joint)\}")


def interval(text: str) -> tuple[float, float]:
    """T0:T1 as two numbers [s]; either may be left out."""
    first, colon, last = text.partition(":")
    try:
        start, end = float(first or "-inf"), float(last or "inf")
    except ValueError:
        start, end = 1.0, 0.0
    if not colon or not start < end:
        raise ValueError(f"{text!r} is not T0:T1 [s] with T0 before T1")
    return start, end


def _intervals(given: tuple[str, ...]) -> tuple[str, ...]:
    for text in given:
        interval(text)
    return given


Stretches = Annotated[tuple[str, ...], AfterValidator(_intervals)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SignalMap(_Table):
    """Columns of one signal, and what turns them into SI units at the joint.

    value = coupling(scale * unit(column)) + offset
    """

    columns: str | tuple[str, ...] = Field(
        description="The column of each joint: a list, or a pattern with {n} (1, 2, …), {i} "
        "(0, 1, …) or {joint}."
    )
    file: str | None = Field(
        default=None, description="The file it is in, where a recording is a folder of files."
    )
    stream: str | None = Field(
        default=None, description="The topic, group or list it is in, where there are several."
    )
    unit: str | None = Field(
        default=None, description="Its unit; by default what the file says, else the SI unit."
    )
    scale: float | tuple[float, ...] = Field(
        default=1.0, description="A factor for all joints or for each; -1 flips the sign."
    )
    offset: float | tuple[float, ...] = Field(
        default=0.0, description="What is added at the end, in SI units at the joint."
    )
    side: Literal["joint", "motor"] = Field(
        default="joint", description="Whether it is given behind the gears or at the motors."
    )
    lag_s: float = Field(
        default=0.0,
        ge=-3600,
        le=3600,
        description="How much later it was stamped than it was measured [s].",
    )
    bits: int | None = Field(
        default=None,
        ge=2,
        le=32,
        description="Width of numbers with a sign that were logged without it.",
    )

    @field_validator("columns")
    @classmethod
    def _some(cls, given: str | tuple[str, ...]) -> str | tuple[str, ...]:
        if isinstance(given, str) and not given.strip():
            raise ValueError("name a column")
        if isinstance(given, tuple):
            twice = sorted({name for name in given if given.count(name) > 1})
            if twice:
                raise ValueError(f"{twice[0]!r} is named twice")
        return given

    @field_validator("scale", "constant", check_fields=False)
    @classmethod
    def _not_zero(cls, given: float | tuple[float, ...] | None) -> object:
        if given is not None and 0 in (given if isinstance(given, tuple) else (given,)):
            raise ValueError("a factor of 0 takes the signal away")
        return given

    def column_names(self, joints: tuple[str, ...]) -> tuple[str, ...]:
        """The column of each joint.

        Args:
            joints: what the joints are called in the log.
        """
        if isinstance(self.columns, tuple):
            return self.columns
        return tuple(fill(self.columns, i, joint) for i, joint in enumerate(joints))


class TorqueMap(SignalMap):
    """A torque: also what it is, and what the controller has taken out of it."""

    constant: float | tuple[float, ...] | None = Field(
        default=None, description="Torque constants [N m/A], where currents are given."
    )
    kind: Literal["measured", "commanded"] = Field(
        default="measured", description="Whether it was measured or only asked for."
    )
    compensated: tuple[Literal["gravity", "friction", "inertia"], ...] = Field(
        default=(), description="What the controller has taken out of it."
    )


class VelocityMap(SignalMap):
    """Velocity of a floating base: of its origin, then how fast it turns."""

    frame: Literal["world", "base"] | None = Field(
        default=None,
        description="In whose coordinates it is. Nothing is assumed: without it, it is refused.",
    )


class AccelerationMap(VelocityMap):
    """Acceleration of a floating base."""

    kind: Literal["rate", "classical", "proper"] | None = Field(
        default=None,
        description="rate: how the components of the velocity in base coordinates change; "
        "classical: acceleration of the origin; proper: less gravity, as an IMU measures it.",
    )


class ContactMap(SignalMap):
    """Force, and moment about the origin of a link, that something exerts on the robot there."""

    columns: str | tuple[str, ...] = Field(
        default=(),
        description="fx, fy, fz, and mx, my, mz where moments are measured: a list, or a pattern "
        "for all six.",
    )
    frame: Literal["world", "local"] | None = Field(
        default=None,
        description="In whose coordinates it is: those of the world, or of the link (local, which "
        "needs a robot file). Nothing is assumed: without it, it is refused.",
    )
    on: str | None = Field(
        default=None,
        description="A column that is 0 where nothing touches the link; used where contacts have "
        "no force sensors.",
    )

    def ends(self) -> tuple[str, ...]:
        """Which parts of a wrench there are."""
        if isinstance(self.columns, str):
            return WRENCH
        return WRENCH[:3] if len(self.columns) == 3 else WRENCH if self.columns else ()


class BaseMap(_Table):
    """Pose, velocity and acceleration of a floating base."""

    pos: SignalMap | None = Field(default=None, description="Position in the world: x, y, z [m].")
    quat: SignalMap | None = Field(
        default=None, description="Quaternion x, y, z, w, from base to world coordinates."
    )
    vel: VelocityMap | None = Field(
        default=None, description="Velocity: x, y, z, rx, ry, rz [m/s, rad/s]."
    )
    acc: AccelerationMap | None = Field(
        default=None, description="Acceleration: x, y, z, rx, ry, rz [m/s², rad/s²]."
    )

    def items(self) -> list[tuple[str, SignalMap]]:
        """The parts that are mapped, by name."""
        found = [(part, getattr(self, part)) for part in BASE_PARTS]
        return [(part, signal) for part, signal in found if signal is not None]


class TimeMap(_Table):
    """Where times are: a column, or the rate of samples without one."""

    column: str | None = Field(default=None, description="The column of times.")
    unit: str | None = Field(
        default=None, description="Its unit: s, ms, us or ns; by default what the file says."
    )
    rate_hz: float | None = Field(
        default=None,
        ge=1e-3,
        le=1e9,
        description="Samples per second, where there is no column of times.",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.column is not None and self.rate_hz is not None:
            raise ValueError("either a column or a rate")
        return self


class MotorMap(_Table):
    """What lies between motors and joints: motor positions = coupling @ joint positions."""

    gear: tuple[float, ...] | None = Field(
        default=None, description="Turns of each motor for one turn of its joint."
    )
    coupling: tuple[tuple[float, ...], ...] | None = Field(
        default=None, description="The same as a matrix, where motors move several joints."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.gear is None) == (self.coupling is None):
            raise ValueError("either gear or coupling")
        if self.gear is not None and 0 in self.gear:
            raise ValueError("a gear of 0")
        coupling = self.coupling
        if coupling is not None and {len(row) for row in coupling} != {len(coupling)}:
            raise ValueError("the coupling is not square")
        return self


class TextMap(_Table):
    """How a text file is to be read where it does not say itself."""

    names: tuple[str, ...] = Field(default=(), description="Names of columns without a header.")
    header: bool | None = Field(
        default=None, description="false: no header, columns are called c1, c2, …"
    )
    comments: tuple[str, ...] = Field(
        default=("#", "%", "//"), description="What lines to leave out begin with."
    )
    na_values: tuple[str, ...] = Field(
        default=(), description="Cells that stand for a missing value."
    )
    split_at_header: bool = Field(
        default=False, description="A repeated header starts a new segment."
    )


class ColumnMap(_Table):
    """Which column of a log is what."""

    joints: tuple[str, ...] | dict[str, str] = Field(
        default=(),
        description="Names of the joints in the order of columns, as the robot file calls them; "
        "or a table from these names to those of the log.",
    )
    time: TimeMap = Field(default=TimeMap(), description="Where times are.")
    text: TextMap = Field(default=TextMap(), description="How to read a text file.")
    motor: MotorMap | None = Field(default=None, description="What lies between motors and joints.")
    exclude: Stretches = Field(
        default=(), description="Stretches to leave out, as T0:T1 [s from the start]."
    )
    q: SignalMap | None = Field(default=None, description="Positions [rad or m].")
    qd: SignalMap | None = Field(default=None, description="Velocities [rad/s or m/s].")
    tau: TorqueMap | None = Field(default=None, description="Torques at the joints [N m or N].")
    tau_cmd: TorqueMap | None = Field(
        default=None, description="Torques that were asked for [N m or N]."
    )
    current: SignalMap | None = Field(default=None, description="Currents of the drives [A].")
    temperature: SignalMap | None = Field(default=None, description="Temperatures [°C].")
    base: BaseMap = Field(default=BaseMap(), description="What is recorded of a floating base.")
    contact: dict[str, ContactMap] = Field(
        default={}, description="Force and moment on a link of the robot file, by its name."
    )

    @field_validator("joints")
    @classmethod
    def _different(
        cls, given: tuple[str, ...] | dict[str, str]
    ) -> tuple[str, ...] | dict[str, str]:
        names = list(given.values() if isinstance(given, dict) else given)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{twice[0]!r} is named twice")
        return given

    @model_validator(mode="after")
    def _coupled(self) -> Self:
        motor_side = [name for name, signal in self.signals().items() if signal.side == "motor"]
        if motor_side and self.motor is None:
            raise ValueError(
                f"{motor_side[0]} is at the motors: [motor] has to say gear or coupling"
            )
        return self

    def signals(self) -> dict[str, SignalMap]:
        """The signals of joints that are mapped, by name."""
        found = {name: getattr(self, name) for name in SIGNALS}
        return {name: signal for name, signal in found.items() if signal is not None}

    def parts(self) -> dict[str, tuple[SignalMap, tuple[str, ...]]]:
        """Signals that belong to no joint: prefix of the names, map, and the last part of each."""
        found = {f"base.{part}": (m, tuple(BASE_PARTS[part])) for part, m in self.base.items()}
        for link, signal in self.contact.items():
            if signal.ends():
                found[f"contact.{link}"] = (signal, signal.ends())
        return found


def fill(pattern: str, index: int, joint: str) -> str:
    """A pattern with the number and the name of a joint put in."""
    values = {"n": str(index + 1), "i": str(index), "joint": joint}
    return _PLACES.sub(lambda found: values[found[1]], pattern)
