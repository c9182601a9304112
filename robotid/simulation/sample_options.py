"""What a user may ask of samples of the state space: the configuration keys of `sample`.

Light to import: pipeline files and help are read without numpy.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from robotid.simulation.plant_options import EngineName

SampleFriction = Literal["none", "viscous"]


class SampleOptions(BaseModel):
    """How many states, from which part of the limits, and what resists the joints."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    engine: EngineName = Field(
        default="mujoco",
        description="What computes accelerations: MuJoCo, or robotid's own algorithm.",
    )
    seed: int = Field(default=0, ge=0, description="Seed of all that is random.")
    samples: int = Field(
        default=5000, ge=2, le=10_000_000, description="Samples of each recording."
    )
    train_recordings: int = Field(
        default=1, ge=1, le=1000, description="Recordings for training, named train1, train2, …"
    )
    val_recordings: int = Field(
        default=1, ge=0, le=1000, description="Recordings for validation, named val1, val2, …"
    )
    test_recordings: int = Field(
        default=1, ge=0, le=1000, description="Recordings for the test, named test1, test2, …"
    )
    position_share: float = Field(
        default=1.0, gt=0, le=1, description="Share of the joints' ranges, about their middle."
    )
    speed_share: float = Field(
        default=1.0, gt=0, le=1, description="Share of the joints' velocity limits."
    )
    effort_share: float = Field(
        default=1.0, gt=0, le=1, description="Share of the joints' effort limits."
    )
    perturb: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Change of the links' inertial parameters against the nominal robot, as a "
        "share; random, physical.",
    )
    friction: SampleFriction = Field(
        default="none",
        description="Friction of the joints: none, or the viscous one of the robot file.",
    )
    noise_qdd: float = Field(
        default=0.0,
        ge=0,
        description="Noise of accelerations, std, as a share of the std of each joint's.",
    )
