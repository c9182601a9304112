"""Configuration keys of robots under control. Light to import: help is made without numpy."""

from pydantic import Field, field_validator

from robotid.contracts.tracking import Feedback, PublishedTracking, Task
from robotid.simulation.plant_options import PER_JOINT, PlantOptions
from robotid.tracking.gains import FORM, Gain, parse_gain

# Lengths of motions where none are given [s].
DURATIONS_S: dict[Task, tuple[float, ...]] = {
    "impedance": (2.0, 10.0),
    "sines": (23.0,),
    "recorded": (23.0,),
    "reaching": (2.0,),
}
# What only some tasks have a use for.
ONLY_OF: dict[str, tuple[Task, ...]] = {
    "feedback": ("impedance", "sines", "recorded"),
    "hold_s": ("impedance",),
    "sine_periods_s": ("sines",),
    "sine_amplitudes": ("sines",),
    "link": ("reaching",),
    "targets": ("reaching",),
    "reach_kp": ("reaching",),
    "null_kp": ("reaching",),
    "position_share": ("impedance", "sines", "reaching"),
    "speed_share": ("impedance", "sines", "reaching"),
    "assumed_reach": ("impedance", "sines", "reaching"),
}
# What the truth of a simulation decides.
OF_THE_TRUTH = (
    *("rotor_inertia", "rotor_per_effort", "friction", "friction_share", "coulomb", "viscous"),
    *("breakaway", "stribeck_velocity", "friction_width", "bristle_deflection"),
    *("elastic_hz", "elastic_damping"),
)


class TrackOptions(PlantOptions):
    """What the robot should follow, how stiff its feedback is, and what it is like."""

    task: Task = Field(
        default="impedance",
        description="Moves of the joints, a sine per joint, motions of the simulation that the "
        "truth is of, or a hand that follows a path.",
    )
    feedback: Feedback = Field(
        default="model",
        description="How joints are corrected: by accelerations that the model gets, or by springs "
        "and dampers beside it, as stiff as the joints' inertias of the file ask for.",
    )
    gains: tuple[str, ...] = Field(
        default=("soft", "medium", "stiff"),
        min_length=1,
        description=f"How stiff the feedback is; each is {FORM}.",
    )
    durations_s: tuple[float, ...] = Field(
        default=(),
        description="Lengths of motions [s], all are run; by default 2 and 10 for moves, 23 for "
        "sines and recorded motions, 2 from target to target.",
    )
    hold_s: float = Field(
        default=0.0, ge=0, le=3600, description="How long the goal of a move is held [s]."
    )
    motions: int = Field(
        default=5,
        ge=1,
        le=1000,
        description="How many motions each model makes; of recorded ones, the first so many.",
    )
    seed: int = Field(default=0, ge=0, description="Seed of motions and noise.")
    control_hz: float = Field(
        default=1000.0, gt=0, le=1e6, description="Steps of the controller per second."
    )
    warm_up: int = Field(
        default=500,
        ge=0,
        le=1_000_000,
        description="Samples at the start posture that a model sees before a motion begins, at "
        "the rate that it was trained at.",
    )
    position_share: float = Field(
        default=0.7, gt=0, le=1, description="Share of the joints' ranges that may be used."
    )
    speed_share: float = Field(
        default=0.8, gt=0, le=1, description="Share of their velocity limits that may be used."
    )
    assumed_reach: float | None = Field(
        default=None,
        gt=0,
        description="Half range of joints without position limits [rad, m]; without it such "
        "robots are refused.",
    )
    sine_periods_s: tuple[float, ...] = Field(
        default=(), description=f"Periods of the sines [s]: {PER_JOINT}; by default all differ."
    )
    sine_amplitudes: tuple[float, ...] = Field(
        default=(),
        description=f"Amplitudes as shares of the farthest limit from zero: {PER_JOINT}.",
    )
    bodies: bool = Field(
        default=False,
        description="Of hybrids, let the body without its network drive the robot as well.",
    )
    link: str | None = Field(
        default=None, description="The hand that reaches; by default the last link."
    )
    targets: int = Field(default=3, ge=1, le=1000, description="Targets of a hand, one by one.")
    reach_kp: float = Field(
        default=10.0, gt=0, description="Speed of a hand per distance from its path [1/s]."
    )
    null_kp: float = Field(
        default=1.0,
        ge=0,
        description="Speed of joints towards the posture that a path is taken from, per distance, "
        "as far as the hand does not notice [1/s].",
    )
    saturate: bool = Field(default=True, description="Keep torques inside the effort limits.")
    position_margin: float = Field(
        default=0.1,
        ge=0,
        description="How far outside its limits a joint counts as unstable, share of its range.",
    )
    speed_margin: float = Field(
        default=3.0,
        ge=1,
        description="How many times faster than its limit a joint counts as unstable.",
    )
    published: dict[str, PublishedTracking] = Field(
        default={}, description="Published figures by name, to stand beside the models."
    )

    @field_validator("gains")
    @classmethod
    def _gains_can_be_read(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        names = [parse_gain(text).name for text in texts]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice} is given twice")
        return texts

    @field_validator("durations_s", "sine_periods_s", "sine_amplitudes")
    @classmethod
    def _are_positive(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(value > 0 for value in values):
            raise ValueError("every value must be above 0")
        return values

    @field_validator("durations_s")
    @classmethod
    def _are_moderate_and_differ(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(value <= 3600 for value in values):
            raise ValueError("no value may be above 3600")
        if len(set(values)) < len(values):
            raise ValueError("a length is given twice")
        return values

    @property
    def parsed_gains(self) -> list[Gain]:
        """The gains, in the order in which they were given."""
        return [parse_gain(text) for text in self.gains]

    @property
    def lengths_s(self) -> tuple[float, ...]:
        """Lengths of motions, given or those of the task [s]."""
        return self.durations_s or DURATIONS_S[self.task]
