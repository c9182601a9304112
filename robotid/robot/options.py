"""What a user may change in a robot once it is read: configuration keys that stages share.

Light to import: pipeline files and help are read without numpy.
"""

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

if TYPE_CHECKING:
    from robotid.robot.edit import Payload

_PAYLOAD = "LINK,MASS,CX,CY,CZ[,IXX,IYY,IZZ,IXY,IXZ,IYZ]"


class RobotOptions(BaseModel):
    """Locks, a part of the robot, its base, loads and gravity, applied in this order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lock: tuple[str, ...] = Field(
        default=(), description="A joint to hold and where, as NAME=VALUE [rad or m]."
    )
    chain: str | None = Field(
        default=None, description="Keep what lies between two links, as BASE:TIP."
    )
    base: Literal["fixed", "floating"] | None = Field(
        default=None, description="Hold the root or let it float; by default as in the robot file."
    )
    payload: tuple[str, ...] = Field(
        default=(),
        description=f"A load tied to a link, in its frame, as {_PAYLOAD} [kg, m, kg m²]; "
        "inertia about the centre of mass.",
    )
    gravity: str | None = Field(
        default=None, description="Gravity in the axes of the base, as X,Y,Z [m/s²]."
    )
    mount: str | None = Field(
        default=None, description="How the base is tilted, as ROLL,PITCH,YAW [rad]."
    )

    @field_validator("lock")
    @classmethod
    def _locks(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        names = [_lock(text)[0] for text in given]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"joint {twice} is locked twice")
        return given

    @field_validator("chain")
    @classmethod
    def _chain(cls, given: str | None) -> str | None:
        if given is not None and (given.count(":") != 1 or not all(given.split(":"))):
            raise ValueError(f"{given!r} is not BASE:TIP")
        return given

    @field_validator("payload")
    @classmethod
    def _payloads(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for text in given:
            link, *rest = text.split(",")
            values = _numbers(",".join(rest), text, _PAYLOAD)
            if not link or len(values) not in (4, 10):
                raise ValueError(f"{text!r} is not {_PAYLOAD}")
        return given

    @field_validator("gravity", "mount")
    @classmethod
    def _vectors(cls, given: str | None) -> str | None:
        if given is not None and len(_numbers(given, given, "X,Y,Z")) != 3:
            raise ValueError(f"{given!r} is not three numbers, as in 0,0,-9.81")
        return given

    @property
    def locked(self) -> frozenset[str]:
        """Names of the joints that are held."""
        return frozenset(_lock(text)[0] for text in self.lock)

    def changes(self) -> dict[str, Any]:
        """The same as arguments of `load_robot`."""
        return {
            "lock": dict(_lock(text) for text in self.lock),
            "chain": tuple(self.chain.split(":")) if self.chain else None,
            "base": self.base,
            "payloads": tuple(_payload(n, text) for n, text in enumerate(self.payload, start=1)),
            "gravity": _vector(self.gravity),
            "mount": _vector(self.mount),
        }


def _lock(text: str) -> tuple[str, float]:
    name, sign, value = text.rpartition("=")
    if not sign or not name:
        raise ValueError(f"{text!r} is not NAME=VALUE")
    (position,) = _numbers(value, text, "NAME=VALUE")
    return name, position


def _payload(number: int, text: str) -> "Payload":
    from robotid.robot.edit import Payload

    link, *rest = text.split(",")
    mass, x, y, z, *six = map(float, rest)
    xx, yy, zz, xy, xz, yz = six or (0.0,) * 6
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return Payload(f"payload{number}", link, mass, (x, y, z), inertia)


def _vector(text: str | None) -> tuple[float, ...] | None:
    return None if text is None else tuple(map(float, text.split(",")))


def _numbers(text: str, whole: str, form: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{whole!r} is not {form}") from None
