"""`excitation.json`: trajectories that were designed, why they are safe, what they will tell.

A folder of a design holds beside it, for every play of a trajectory (see `Play`),

    NAME.csv, NAME.parquet           the motion at the controller's rate
    NAME.joint_trajectory.yaml       the same as a ROS JointTrajectory

and `excitation.html`, the design as a page.

The motion of a joint is a Fourier series (Swevers), its derivatives in closed form:

    q(t) = centre + sum over l of  a_l/(h_l w) sin(h_l w t) - b_l/(h_l w) cos(h_l w t)
    w = 2 pi / period

with whole numbers h_l, its harmonics. It lasts a number of periods between two ramps, which are
polynomials in time from and to a posture at rest.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from robotid.contracts.versions import first_fault, other_version
from robotid.errors import BadDataError, raise_trouble

EXCITATION = "excitation.json"

Criterion = Literal["logdet", "cond", "mineig", "trace-inv"]
Proof = Literal["for all times", "between samples", "at samples", "by formula"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JointSeries(_Part):
    """A Fourier series; see the top of this file.

    Args:
        centre: mean position [rad or m].
        harmonics: the h_l, whole multiples of the base frequency.
        a, b: coefficients [rad/s or m/s], as many as harmonics.
    """

    centre: float
    harmonics: list[int]
    a: list[float]
    b: list[float]


class Ramp(_Part):
    """A motion from posture to posture: per joint six coefficients c of sum c_k (t/duration)^k."""

    duration_s: float
    coefficients: dict[str, list[float]]


class Play(_Part):
    """One way to run a trajectory: everything, ramps included, slowed down by a factor.

    Args:
        name: of its files.
        speed: largest share of a joint's velocity limit that it reaches.
        slower: how many times longer it takes than the trajectory as designed, at least 1.
        duration_s: with ramps.
    """

    name: str
    speed: float
    slower: float
    duration_s: float


class CertificateLine(_Part):
    """One limit and how near the motion comes to it.

    Args:
        quantity: position, velocity, acceleration, jerk, torque, or what is kept apart.
        about: the joint, or the frame or pair of links.
        part: series, ramp in or ramp out.
        play: name of the play it holds for; empty if it holds for all.
        proof: for all times (bound of a trigonometric polynomial), between samples (a Lipschitz
            bound between samples), at samples only, or by formula (extremes of a polynomial).
        limit: what must not be passed.
        reached: how far the motion can go, proven as stated.
        margin: what is left, in the unit of the limit; negative if it is broken.
        unit: of the three.
    """

    quantity: str
    about: str
    part: Literal["series", "ramp in", "ramp out"]
    play: str = ""
    proof: Proof
    limit: float
    reached: float
    margin: float
    unit: str


class Criteria(_Part):
    """Figures of an information matrix, parameters in units of their scale.

    `logdet` is the logarithm of its determinant per parameter, `cond` its condition number's root
    (that of the regressor), `mineig` its least eigenvalue, `trace_inv` the mean variance.
    """

    logdet: float
    cond: float
    mineig: float
    trace_inv: float


class PlannedTrajectory(_Part):
    """A trajectory of a campaign.

    Args:
        name: t1, t2, …
        period_s: of the base frequency.
        periods: how many times the series runs through.
        series: by joint.
        ramp_in, ramp_out: null where the robot starts and ends at the posture of the series.
        plays: how it is to be run.
        certificate: every limit.
        criteria: of the information after this trajectory, with all before it.
        seed: of the options; it decides all starts.
        start: number of the start that led to it, from 0.
        iterations: of the optimiser, for the best start.
        evaluations: of criterion and gradient, for all starts.
        starts: what each start reached, in the units of the criterion (see `goal`); null where it
            led to no trajectory that keeps all limits and tells everything.
    """

    name: str
    period_s: float
    periods: int
    series: dict[str, JointSeries]
    ramp_in: Ramp | None = None
    ramp_out: Ramp | None = None
    plays: list[Play]
    certificate: list[CertificateLine]
    criteria: Criteria
    seed: int
    start: int = 0
    iterations: int
    evaluations: int
    starts: list[float | None]


class ExpectedParameter(_Part):
    """A base parameter and how well it will be known.

    Args:
        name: the parameter it is called after.
        base: what `fit.json` calls it among its base parameters.
        groups: the combination it stands for, in words; empty if it stands alone.
        unit: its unit.
        nominal: value by the robot file.
        scale: what counts as a whole unit of it.
        std: expected standard deviation after the campaign, for torque noise as stated.
        std_after: the same after each trajectory.
        wanted: whether the design was made for it.
        advice: what would help, where it stays badly known; else empty.
    """

    name: str
    base: str = ""
    groups: str
    unit: str
    nominal: float
    scale: float
    std: float
    std_after: list[float]
    wanted: bool
    advice: str = ""


class JointLimits(_Part):
    """Limits of a joint that the design kept to, margins taken off; null where there is none."""

    lower: float
    upper: float
    velocity: float
    acceleration: float | None
    jerk: float | None
    torque: float | None


class Caution(_Part):
    """What to know before it is run: what nothing guards, and what was not done as asked."""

    code: str
    message: str
    hint: str = ""


class Excitation(_Part):
    """The content of `excitation.json`.

    Args:
        robot: its name.
        geometry_sha256: of all that regressors of the robot depend on.
        joints: in the order of the robot.
        units: of the joints' positions, rad or m.
        limits: by joint.
        cautions: what the certificate does not cover, and the like.
        noise: standard deviation of the torque by joint that was assumed [N m or N].
        noise_hz: independent samples of the torque per second that were assumed; null in designs of
            earlier versions.
        rate_hz: samples per second of the files.
        ros_hz: points per second of a JointTrajectory, at most; its reader interpolates.
        criterion: what was improved.
        goal: what the numbers in `starts` are, in words.
        given: digest of the fit whose information was taken in; empty without.
        trajectories: in the order of their design.
        parameters: what will be known.
        options: the configuration keys it was made with, where they are not the default.
    """

    format: Literal[1] = 1
    robot: str
    geometry_sha256: str
    joints: list[str]
    units: dict[str, str]
    limits: dict[str, JointLimits]
    cautions: list[Caution] = []
    noise: dict[str, float]
    noise_hz: float | None = None
    rate_hz: float
    ros_hz: float = 100.0
    criterion: Criterion
    goal: str
    given: str = ""
    trajectories: list[PlannedTrajectory] = Field(min_length=1)
    parameters: list[ExpectedParameter]
    options: dict[str, object]


def write_excitation(folder: Path, design: Excitation) -> None:
    """Write `excitation.json`; the same design gives the same bytes."""
    text = design.model_dump_json(indent=1) + "\n"
    (folder / EXCITATION).write_text(text, encoding="utf-8")


def read_excitation(folder: Path) -> Excitation:
    """Read what `write_excitation` wrote; anything else is refused."""
    path = folder / EXCITATION
    try:
        return Excitation.model_validate_json(path.read_bytes())
    except OSError as error:
        raise_trouble(error, "reading a result", path)
        said = f"no design of trajectories ({type(error).__name__})"
        raise BadDataError("not-a-design", said, file=str(path)) from error
    except ValidationError as error:
        own = Excitation.model_fields["format"].default
        version = other_version(error, own, "design it again")
        if version is not None:
            raise BadDataError(
                "design-other-version", version[0], file=str(path), hint=version[1]
            ) from None
        said = f"not a design as robotid writes it: {first_fault(error)}"
        raise BadDataError("not-a-design", said, file=str(path)) from error
