"""`tracking.json`: how well a robot follows when fitted models are its inverse dynamics.

Errors are in degrees, or metres for joints that slide. Beside it lie

    trajectories.parquet    the first motion: model, gain, duration_s, t, q_des.*, q.*, tau.*
    tracking.html           all of it as a page
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from robotid.contracts.fit_data import Remark
from robotid.contracts.versions import first_fault
from robotid.errors import BadDataError

TRACKING = "tracking.json"

Task = Literal["impedance", "sines", "recorded", "reaching"]
Feedback = Literal["model", "joints"]
Kind = Literal["fit", "body", "nominal", "none", "truth"]
Reason = Literal["position", "velocity", "not finite"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Spread(_Part):
    """Mean over the motions, and their standard deviation; null where there is one motion."""

    mean: float
    std: float | None


class JointFigures(_Part):
    """A figure of all joints [deg, or m where they slide].

    Args:
        mean: over the joints that turn; over all where none does.
        joints: by name.
    """

    mean: Spread
    joints: dict[str, Spread]


class HandFigures(_Part):
    """How well a hand follows its path.

    Args:
        position_rmse: root mean square distance from the path [m].
        final_offset: distance at the end [m].
    """

    position_rmse: Spread
    final_offset: Spread


class Unstable(_Part):
    """A motion that was stopped: when, which joint, and what it had left."""

    motion: int
    joint: str
    time_s: float
    reason: Reason


class Outcome(_Part):
    """What became of all motions with one model, gain and length; figures are null if unstable.

    Args:
        gain: name of the gain.
        duration_s: of the motions; of a hand, from target to target.
        rmse: root mean square error of the joints; null for a hand.
        final_offset: error at the end; null for a hand.
        hand: of a hand; null otherwise.
        position_nmse: mean squared error over the variance of what was desired, of a hand's place
            or as a mean over joints.
        velocity_nmse: the same of velocities.
        feedback_share: rms of what feedback adds to the torque over rms of the torque, over time
            and joints: what the model alone would have left to do.
        saturated: share of all joints and steps at the torque limit.
        by_motion: what models are ranked by (mean of `rmse`; `velocity_nmse` of a hand), motion by
            motion; null for those that were stopped.
        unstable: motions that were stopped.
    """

    gain: str
    duration_s: float
    rmse: JointFigures | None = None
    final_offset: JointFigures | None = None
    hand: HandFigures | None = None
    position_nmse: Spread | None = None
    velocity_nmse: Spread | None = None
    feedback_share: Spread | None = None
    saturated: float | None = None
    by_motion: list[float | None]
    unstable: list[Unstable]

    @property
    def score(self) -> Spread | None:
        """What models are ranked by; the less the better."""
        if self.hand is not None:
            return self.velocity_nmse
        return None if self.rmse is None else self.rmse.mean


class TrackedModel(_Part):
    """A model that drove the robot.

    Args:
        kind: a fit, or which baseline: the robot file, no model, or the robot that is moved.
        model: of a fit its model, else what it is in words.
        usable: the verdict of a fit; null for a baseline.
        outcomes: for every gain and length.
    """

    kind: Kind
    model: str
    usable: bool | None = None
    outcomes: list[Outcome]


class Ranked(_Part):
    """Which model follows best with one gain and length, `truth` aside.

    Args:
        gain: name of the gain.
        duration_s: of the motions.
        best: of least error; null where none is stable.
        next: the one after it; null without one.
        beyond_spread: whether the best is better than every other, motion by motion, by a factor
            beyond chance (95 %, all comparisons together).
        sentence: the same in words.
    """

    gain: str
    duration_s: float
    best: str | None
    next: str | None = None
    beyond_spread: bool = False
    sentence: str


class MovedRobot(_Part):
    """The robot that was moved, as it was simulated.

    Args:
        from_truth: whether it is the robot of a simulation.
        engine: what computed accelerations.
        substeps: steps of the integration per step of the controller.
        friction: law of friction.
        elastic: whether there are springs in its joints.
        position_sensor: side of them that the controller sees.
        encoder_counts: of its position sensors per turn; 0: no steps.
        noise_q: of positions, std [rad, m].
        noise_qd: of velocities, std [rad/s, m/s].
        torque_limits: by joint [N m, N]; null where there is none.
    """

    from_truth: bool
    engine: str
    substeps: int
    friction: str
    elastic: bool
    position_sensor: str
    encoder_counts: int
    noise_q: float
    noise_qd: float
    torque_limits: dict[str, float | None]


class PublishedTracking(_Part):
    """Figures that somebody published of the same task, to stand beside ours."""

    source: str = Field(min_length=1, description="Where they are published.")
    rmse: dict[str, float] = Field(
        default={}, description="Mean over the joints by gain [deg, or m]."
    )
    velocity_nmse: dict[str, float] = Field(
        default={}, description="Of a hand by gain: squared error of velocity over its variance."
    )


class Tracking(_Part):
    """The content of `tracking.json`.

    Args:
        format: of this file.
        robot: its name.
        task: what it had to follow.
        feedback: through the model, or by springs and dampers at the joints beside it.
        joints: in the order of the robot.
        units: of errors, by joint.
        gains: K by gain and joint [1/s²]; D is 2 √K.
        durations_s: lengths of the motions.
        motions: how many there are of each length.
        seed: of motions and noise.
        control_hz: steps of the controller per second.
        warm_up: samples at the start posture that models saw before.
        hold_s: how long goals were held.
        link: the hand; null for tasks of joints.
        moved: the robot that was moved.
        models: by name: fits, then baselines.
        ranked: which model follows best, for every gain and length.
        published: figures of others, by name.
        remarks: what to know.
    """

    format: Literal[1] = 1
    robot: str
    task: Task
    feedback: Feedback = "model"
    joints: list[str]
    units: dict[str, str]
    gains: dict[str, dict[str, float]]
    durations_s: list[float]
    motions: int
    seed: int
    control_hz: float
    warm_up: int
    hold_s: float
    link: str | None = None
    moved: MovedRobot
    models: dict[str, TrackedModel]
    ranked: list[Ranked]
    published: dict[str, PublishedTracking] = {}
    remarks: list[Remark] = []

    @property
    def mean_unit(self) -> str:
        """Unit of means over joints."""
        return "deg" if "deg" in self.units.values() else "m"


def read_tracking(folder: Path) -> Tracking:
    """Read `tracking.json`."""
    path = folder / TRACKING
    try:
        return Tracking.model_validate_json(path.read_bytes())
    except ValidationError as error:
        said = f"not what track writes: {first_fault(error)}"
        raise BadDataError("bad-tracking", said, file=str(path), hint="run again") from error
