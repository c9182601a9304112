"""What a user may ask of a simulation: the configuration keys of `simulate`.

Light to import: pipeline files and help are read without numpy.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

TrajectoryKind = Literal["fourier", "sines", "swing-up"]
EngineName = Literal["mujoco", "own"]
FrictionKind = Literal["none", "viscous", "coulomb", "stribeck", "stick-slip"]
Side = Literal["motor", "link"]
VelocitySource = Literal["sensor", "difference", "none"]

_PER_JOINT = "one value, or one per joint"


class SimulationOptions(BaseModel):
    """Which robot does what, and what a log says of it.

    Shares of torque are of a joint's effort limit; where it has none, of twice the torque that the
    nominal model needs at most.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    engine: EngineName = Field(
        default="mujoco",
        description="What computes accelerations: MuJoCo, or robotid's own algorithm.",
    )
    seed: int = Field(default=0, ge=0, description="Seed of all that is random.")
    recordings: int = Field(
        default=3, ge=1, le=1000, description="How many recordings, each with its own trajectory."
    )
    duration_s: float = Field(default=20.0, gt=0, le=1e6, description="Length of a recording [s].")
    rate_hz: float = Field(
        default=500.0, gt=0, le=1e6, description="Samples per second of the logs."
    )
    control_hz: float = Field(
        default=1000.0,
        gt=0,
        le=1e6,
        description="Steps of the controller per second; n times rate_hz.",
    )
    substeps: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Steps of the integration per step of the controller; 0: as many as needed.",
    )
    digits: int = Field(default=9, ge=3, le=17, description="Significant digits in the logs.")

    trajectory: TrajectoryKind = Field(
        default="fourier",
        description="Random Fourier series, one sine per joint, or a free pendulum on a driven "
        "joint swung up.",
    )
    period_s: float = Field(default=10.0, gt=0, description="Period of a Fourier series [s].")
    harmonics: int = Field(default=5, ge=1, le=100, description="Harmonics of a Fourier series.")
    sine_periods_s: tuple[float, ...] = Field(
        default=(), description=f"Periods of the sines [s]: {_PER_JOINT}; by default all differ."
    )
    sine_amplitudes: tuple[float, ...] = Field(
        default=(), description=f"Amplitudes as shares of position_share: {_PER_JOINT}."
    )
    position_share: float = Field(
        default=0.7, gt=0, le=1, description="Share of the joints' ranges that may be used."
    )
    speeds: tuple[float, ...] = Field(
        default=(0.4,),
        min_length=1,
        description="Share of the joints' velocity limits that may be used; several take turns.",
    )
    same_paths: bool = Field(
        default=False,
        description="Run each trajectory at all speeds, one recording each; slower ones take as "
        "many times longer.",
    )
    ramp_s: float = Field(default=1.0, gt=0, description="How long it takes to get going [s].")

    feedforward: bool = Field(
        default=True, description="Add the torques of the nominal model to the controller's."
    )
    bandwidth_hz: float = Field(
        default=5.0, gt=0, description="How fast the controller corrects errors [Hz]."
    )
    damping_ratio: float = Field(default=1.0, gt=0, description="Damping of the controller.")

    perturb: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Change of the links' inertial parameters against the nominal robot, as a "
        "share; random, physical.",
    )
    rotor_inertia: tuple[float, ...] = Field(
        default=(),
        description=f"Rotor inertias seen from the joints [kg m²]: {_PER_JOINT}; by default those "
        "of the robot file.",
    )
    rotor_per_effort: float = Field(
        default=0.002,
        ge=0,
        description="Rotor inertia of joints for which the file gives none, per N m of their "
        "effort limit [s²].",
    )
    friction: FrictionKind = Field(
        default="coulomb", description="Law of friction; stick-slip has a memory (LuGre)."
    )
    friction_share: float = Field(
        default=0.02,
        ge=0,
        le=1,
        description="Coulomb friction, and viscous friction at full speed, as shares of torque, "
        "for joints for which the file gives none.",
    )
    coulomb: tuple[float, ...] = Field(
        default=(), description=f"Coulomb friction [N m]: {_PER_JOINT}."
    )
    viscous: tuple[float, ...] = Field(
        default=(), description=f"Viscous friction [N m s/rad]: {_PER_JOINT}."
    )
    breakaway: float = Field(
        default=1.5, ge=1, description="Friction at rest against Coulomb friction."
    )
    stribeck_velocity: float = Field(
        default=0.05, gt=0, description="Speed at which friction has left its peak [rad/s, m/s]."
    )
    friction_width: float = Field(
        default=0.02, gt=0, description="Speed below which the sign fades [rad/s, m/s]."
    )
    bristle_deflection: float = Field(
        default=0.002, gt=0, description="How far a joint gives before it slips [rad, m]."
    )
    elastic_hz: float = Field(
        default=0.0,
        ge=0,
        description="Frequency of the links on their joints' springs, motors locked; 0: stiff.",
    )
    elastic_damping: float = Field(default=0.02, ge=0, description="Damping ratio of the springs.")

    position_sensor: Side = Field(
        default="motor", description="Side of the elastic joints on which q and qd are measured."
    )
    torque_sensor: Side = Field(
        default="motor", description="Torque of the motor, or what reaches the link."
    )
    velocity: VelocitySource = Field(
        default="sensor",
        description="Where qd comes from: a sensor, differences of the measured q, or nowhere.",
    )
    encoder_counts: int = Field(
        default=0,
        ge=0,
        description="Steps of the position sensors per turn (per metre of a sliding joint); 0: "
        "no steps.",
    )
    noise_q: float = Field(default=1e-5, ge=0, description="Noise of q, std [rad, m].")
    noise_qd: float = Field(default=1e-3, ge=0, description="Noise of qd, std [rad/s, m/s].")
    noise_tau: float = Field(default=0.002, ge=0, description="Noise of tau, std, share of torque.")
    jitter: float = Field(
        default=0.0,
        ge=0,
        le=0.2,
        description="How much too early or late samples are taken, std, share of their distance; "
        "their times say so.",
    )
    delay_s: float = Field(
        default=0.0, ge=0, le=1, description="How late tau is against q and qd [s]."
    )
    torque_offset: float = Field(
        default=0.0, ge=0, le=1, description="Zero of the torque sensors, std, share of torque."
    )
    torque_walk: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Random walk of their zero after a minute, std, share of torque.",
    )
    torque_warming: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Where their zero goes as they warm up, share of torque.",
    )
    warming_s: float = Field(default=300.0, gt=0, description="How long warming up takes [s].")

    @field_validator("speeds", "sine_amplitudes")
    @classmethod
    def _are_shares(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(0 < value <= 1 for value in values):
            raise ValueError("every value must be above 0 and at most 1")
        return values

    @field_validator("sine_periods_s")
    @classmethod
    def _are_positive(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(value > 0 for value in values):
            raise ValueError("every value must be above 0")
        return values

    @field_validator("rotor_inertia", "coulomb", "viscous")
    @classmethod
    def _are_not_negative(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(value >= 0 for value in values):
            raise ValueError("no value may be negative")
        return values
