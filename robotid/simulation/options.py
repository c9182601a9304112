"""What a user may ask of a simulation: the configuration keys of `simulate`.

Light to import: pipeline files and help are read without numpy.
"""

from typing import Literal

from pydantic import Field, field_validator

from robotid.simulation.floating_options import FloatingOptions
from robotid.simulation.plant_options import PER_JOINT, PlantOptions, Side

TrajectoryKind = Literal["fourier", "sines", "swing-up", "sway", "step"]
VelocitySource = Literal["sensor", "difference", "none"]


class SimulationOptions(FloatingOptions, PlantOptions):
    """Which robot does what, and what a log says of it."""

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
    digits: int = Field(default=9, ge=3, le=17, description="Significant digits in the logs.")

    trajectory: TrajectoryKind = Field(
        default="fourier",
        description="Random Fourier series, one sine per joint, a free pendulum on a driven joint "
        "swung up; of a floating robot also: on a floor, swaying or stepping in place.",
    )
    period_s: float = Field(default=10.0, gt=0, description="Period of a Fourier series [s].")
    harmonics: int = Field(default=5, ge=1, le=100, description="Harmonics of a Fourier series.")
    sine_periods_s: tuple[float, ...] = Field(
        default=(), description=f"Periods of the sines [s]: {PER_JOINT}; by default all differ."
    )
    sine_amplitudes: tuple[float, ...] = Field(
        default=(), description=f"Amplitudes as shares of position_share: {PER_JOINT}."
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
        description="Run each trajectory at all speeds, one recording each; all last duration_s, "
        "so slower ones get less far along it.",
    )
    ramp_s: float = Field(default=1.0, gt=0, description="How long it takes to get going [s].")

    feedback: Literal["joints", "model"] = Field(
        default="joints",
        description="How the controller corrects errors: by a spring and a damper at each joint, "
        "or by accelerations, whose torques the nominal model tells (inverse dynamics).",
    )
    feedforward: bool = Field(
        default=True,
        description="Add the torques of the nominal model to those of springs and dampers.",
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

    torque_sensor: Side = Field(
        default="motor", description="Torque of the motor, or what reaches the link."
    )
    velocity: VelocitySource = Field(
        default="sensor",
        description="Where qd comes from: a sensor, differences of the measured q, or nowhere.",
    )
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
