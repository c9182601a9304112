"""Configuration keys of rollouts. Light to import: help is made without numpy."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator

RANDOM = "random"
_FORM = "JOINT=POSITION or JOINT=POSITION:VELOCITY, with commas between joints"


class JointState(NamedTuple):
    """Position and velocity of a joint that was named [rad or m, per s]."""

    joint: str
    position: float
    velocity: float


class RolloutOptions(BaseModel):
    """How long, in which steps, and from where."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    horizon_s: float = Field(default=1.0, gt=0, le=3600, description="How long motions are [s].")
    step_s: float = Field(
        default=0.004, gt=0, description="Step of the integrator, halved where it has to be [s]."
    )
    starts: int = Field(
        default=20, ge=1, le=100_000, description="How many recorded or random starts."
    )
    state: tuple[str, ...] = Field(
        default=(),
        description=f"A state to start from, as {_FORM} [rad or m, per s], joints not named are 0; "
        f"or {RANDOM}, for states within the training data.",
    )
    seed: int = Field(default=0, ge=0, description="Of random states.")
    label: str = Field(
        default="",
        max_length=80,
        description="What the data are, in a few words; compare puts what is of one robot and "
        "label in one column.",
    )
    tolerance: float = Field(
        default=1e-6,
        ge=1e-12,
        le=1e-2,
        description="Error of a step, in units of the training data's ranges.",
    )

    @field_validator("state")
    @classmethod
    def _states_can_be_read(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        if RANDOM in texts and len(texts) > 1:
            raise ValueError(f"{RANDOM} stands alone, without other states")
        for text in texts:
            joint_states(text)
        return texts

    @property
    def at_random(self) -> bool:
        """Whether starts are random states."""
        return self.state == (RANDOM,)

    @property
    def steps(self) -> int:
        """How many steps the horizon has."""
        return round(self.horizon_s / self.step_s)


def joint_states(text: str) -> list[JointState]:
    """The joints that a state names; of `random`, none."""
    if text == RANDOM:
        return []
    found = [_joint_state(part.strip()) for part in text.split(",")]
    names = [one.joint for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{text!r} names {twice} twice")
    return found


def _joint_state(text: str) -> JointState:
    joint, equals, values = text.rpartition("=")
    position, _, velocity = values.partition(":")
    try:
        state = JointState(joint.strip(), float(position), float(velocity or 0))
    except ValueError:
        state = None
    # Written so that what is not a number is refused as well.
    if state is None or not (equals and joint and abs(state.position) + abs(state.velocity) < 1e9):
        raise ValueError(f"{text!r} is not {_FORM}")
    return state
