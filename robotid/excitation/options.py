"""What a user may ask of a design: the configuration keys of `excite`.

Light to import: pipeline files and help are read without numpy.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

CriterionName = Literal["logdet", "cond", "mineig", "trace-inv"]

_PER_JOINT = "one value, or one per joint"
_LEAST_NOISE, _MOST_NOISE = 1e-9, 1e9  # beyond, squares of it would not mean much


class ExcitationOptions(BaseModel):
    """The shape of the trajectories, what they are to tell, the limits, and the search."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    trajectories: int = Field(
        default=1,
        ge=1,
        le=100,
        description="How many trajectories; each is designed to add to those before it.",
    )
    period_s: float = Field(default=10.0, gt=0, description="Period of the base frequency [s].")
    harmonics: int = Field(default=5, ge=1, le=50, description="Harmonics of every joint.")
    joint_harmonics: tuple[str, ...] = Field(
        default=(),
        description="Harmonics of one joint, as JOINT=1,2,4: whole multiples of the base "
        "frequency.",
    )
    periods: int = Field(
        default=1, ge=1, le=1000, description="How many times the series is run through."
    )
    at_rest: bool = Field(
        default=True, description="Start and end the series with no speed and no acceleration."
    )
    posture: tuple[float, ...] = Field(
        default=(),
        description="Where the series starts and ends [rad, m], one value per joint; by default "
        "wherever it is best.",
    )
    home: tuple[float, ...] = Field(
        default=(),
        description="Where the robot is before and after, one value per joint: ramps lead from "
        "there and back. By default the posture that the series starts with.",
    )
    ramp_share: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="Share of the limits of speed, acceleration and jerk that ramps may use.",
    )
    ramp_s: float | None = Field(
        default=None, gt=0, description="Length of a ramp [s]; by default as short as allowed."
    )
    speeds: tuple[float, ...] = Field(
        default=(1.0,),
        min_length=1,
        description="Shares of the velocity limits: each trajectory is designed for the largest "
        "and is to be run, slowed down, at each.",
    )
    rate_hz: float = Field(
        default=1000.0, gt=0, description="Samples per second of the files, as the controller's."
    )

    ros_hz: float = Field(
        default=100.0,
        gt=0,
        description="Points per second of a ROS JointTrajectory, at most; whoever runs it "
        "interpolates between them.",
    )

    criterion: CriterionName = Field(
        default="trace-inv",
        description="What is improved: mean variance of the parameters (trace-inv), volume of "
        "their ellipsoid (logdet), worst direction (mineig), worst against best (cond).",
    )
    parameters: tuple[str, ...] = Field(
        default=(),
        description="What the design is for: names of links, joints or parameters, links, "
        "friction; by default all.",
    )
    payload_link: str | None = Field(
        default=None,
        description="Design for a load tied to this link: all else is taken as known.",
    )
    noise: tuple[float, ...] = Field(
        default=(),
        description=f"Noise of the torque, std [N m or N]: {_PER_JOINT}; by default a hundredth "
        "of the effort limit of the robot file, or of --torque where it has none.",
    )
    noise_hz: float = Field(
        default=100.0,
        gt=0,
        description="Independent samples of the torque per second, for expected deviations.",
    )

    lower: tuple[str, ...] = Field(default=(), description="Lower limits, as JOINT=VALUE.")
    upper: tuple[str, ...] = Field(default=(), description="Upper limits, as JOINT=VALUE.")
    velocity: tuple[str, ...] = Field(
        default=(), description="Limits of speed [rad/s, m/s], as VALUE or JOINT=VALUE."
    )
    acceleration: tuple[str, ...] = Field(
        default=(), description="Limits of acceleration, as VALUE or JOINT=VALUE."
    )
    jerk: tuple[str, ...] = Field(
        default=(), description="Limits of jerk, as VALUE or JOINT=VALUE."
    )
    torque: tuple[str, ...] = Field(
        default=(), description="Limits of torque [N m, N], as VALUE or JOINT=VALUE."
    )
    position_share: float = Field(
        default=0.95, gt=0, le=1, description="Share of the joints' ranges that may be used."
    )
    torque_share: float = Field(
        default=0.9,
        gt=0,
        le=1,
        description="Share of the limits of torque that the nominal model may need.",
    )

    floor: float | None = Field(
        default=None,
        description="Height in base coordinates that no part of the robot may come below [m].",
    )
    keep_in: tuple[str, ...] = Field(
        default=(),
        description="A box a link stays in, as FRAME:X0,Y0,Z0,X1,Y1,Z1[,RADIUS] in base "
        "coordinates [m]: a ball of that radius about its origin, or else its capsules, or else "
        "its origin; * means all links.",
    )
    keep_out: tuple[str, ...] = Field(
        default=(), description="A box a link stays out of, in the same form."
    )
    self_collision: bool = Field(
        default=False, description="Keep links apart that are not neighbours, by capsules."
    )
    capsules: tuple[str, ...] = Field(
        default=(),
        description="A capsule around a link, as LINK:X0,Y0,Z0,X1,Y1,Z1,RADIUS in its frame [m]; "
        "a link has those given here, or else those about its shapes in the robot file.",
    )
    may_touch: tuple[str, ...] = Field(
        default=(), description="Pairs of links that are not kept apart, as LINK,LINK."
    )
    clearance: float = Field(
        default=0.02, ge=0, description="Least distance of boxes, floor and links [m]."
    )

    seed: int = Field(default=0, ge=0, description="Seed of the random starts.")
    restarts: int = Field(default=8, ge=1, le=10000, description="Random starts per trajectory.")
    iterations: int = Field(
        default=300, ge=1, le=100000, description="Most steps of the optimiser per start."
    )
    seconds: float | None = Field(
        default=None,
        gt=0,
        description="Time for each trajectory [s]; what is best by then is taken, so the result "
        "depends on the machine. By default no limit but iterations.",
    )
    samples: int = Field(
        default=0,
        ge=0,
        le=100000,
        description="Samples per period that criterion and torques are computed at; 0: as many "
        "as the harmonics need.",
    )

    @field_validator("speeds")
    @classmethod
    def _are_shares(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(0 < value <= 1 for value in values):
            raise ValueError("every value must be above 0 and at most 1")
        if len(set(values)) < len(values):
            raise ValueError("a value is given twice")
        return values

    @field_validator("noise")
    @classmethod
    def _are_sizes_of_noise(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(_LEAST_NOISE <= value <= _MOST_NOISE for value in values):
            raise ValueError(f"every value must be from {_LEAST_NOISE:g} to {_MOST_NOISE:g}")
        return values

    @property
    def keeps_distances(self) -> bool:
        """Whether anything is kept apart, so that shapes of links matter."""
        asked = (*self.keep_in, *self.keep_out, *self.capsules)
        return self.self_collision or self.floor is not None or bool(asked)
