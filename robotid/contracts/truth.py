"""`truth.json`: what a simulated log was made from, so that whatever is found can be judged."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.contracts.versions import first_fault
from robotid.errors import BadDataError

TRUTH = "truth.json"


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TrueLink(_Facts):
    """Parameters phi of a link, true and as the nominal robot has them."""

    name: str
    phi: list[float]
    nominal_phi: list[float]


class TrueJoint(_Facts):
    """What a joint adds to the rigid bodies; SI units, absent where the law has no such term.

    `stiffness` and `damping` are those of its spring, absent where it is stiff; `torque_scale` is
    what shares of torque refer to.
    """

    name: str
    kind: str
    rotor_inertia: float
    viscous: float | None
    coulomb: float | None
    static: float | None
    width: float | None
    stribeck_velocity: float | None
    bristle_stiffness: float | None
    bristle_damping: float | None
    stiffness: float | None
    damping: float | None
    kp: float
    kd: float
    torque_scale: float
    noise_tau: float


class TrueSeries(_Facts):
    """The reference of a joint: centre, coefficients a and b, fundamental frequency [rad/s]."""

    centre: float
    a: list[float]
    b: list[float]
    omega: float


class TruePlay(_Facts):
    """Which trajectory of a design was run, how many times slower than it was designed, and when.

    The series that `reference` states runs from `begins_s` to `ends_s`, between two ramps.
    """

    trajectory: str
    slower: float
    begins_s: float
    ends_s: float


class TrueRecording(_Facts):
    """What differs from recording to recording.

    `bias` is the mean that offset and drift of its sensor added to each joint's torque;
    `at_limit` the share of the time each motor was at its limit. `play` is absent but for plays of
    a design.
    """

    speed: float
    reference: dict[str, TrueSeries]
    play: TruePlay | None = None
    bias: dict[str, float]
    at_limit: dict[str, float]


class Truth(_Facts):
    """A simulation: the robot, what was added to it, and how it was computed.

    `options` are the configuration keys it was made with; `substeps` are the steps of the
    integration per control step that were taken; `versions` are those of the engine;
    `design_sha256` is the digest of the design that was run, absent without one; `feet` are the
    links of a floating robot that contacts act on, absent of others.
    """

    format: Literal[1] = 1
    robot: str
    gravity: list[float]
    links: list[TrueLink]
    joints: list[TrueJoint]
    friction: str
    recordings: dict[str, TrueRecording]
    engine: str
    versions: dict[str, str]
    substeps: int
    options: dict[str, bool | int | float | str | list[float] | list[str] | None]
    design_sha256: str = ""
    feet: list[str] = []


def write_truth(folder: Path, truth: Truth) -> None:
    """Write `truth.json`."""
    absent: Any = {}
    if not truth.design_sha256:
        absent |= {"design_sha256": True, "recordings": {"__all__": {"play"}}}
    if not truth.feet:
        absent |= {"feet": True}
    text = truth.model_dump_json(indent=1, exclude=absent) + "\n"
    (folder / TRUTH).write_text(text, encoding="utf-8")


def read_truth(folder: Path) -> Truth:
    """Read what `write_truth` wrote."""
    path = folder / TRUTH
    try:
        return Truth.model_validate_json(path.read_bytes())
    except ValidationError as error:
        said = f"not the truth as simulate writes it: {first_fault(error)}"
        hint = "simulate again"
        raise BadDataError("bad-truth", said, file=str(path), hint=hint) from error
