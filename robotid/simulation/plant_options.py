"""What can be said of a robot that is simulated, whoever drives it: configuration keys.

Light to import: pipeline files and help are read without numpy.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

EngineName = Literal["mujoco", "own"]
FrictionKind = Literal["none", "viscous", "coulomb", "stribeck", "stick-slip"]
Side = Literal["motor", "link"]

PER_JOINT = "one value, or one per joint"


class PlantOptions(BaseModel):
    """What moves, what resists it, and what is seen of it.

    Shares of torque are of a joint's effort limit; where it has none, of twice the torque that the
    nominal model needs at most.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    engine: EngineName = Field(
        default="mujoco",
        description="What computes accelerations: MuJoCo, or robotid's own algorithm.",
    )
    substeps: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Steps of the integration per step of the controller; 0: as many as needed.",
    )

    rotor_inertia: tuple[float, ...] = Field(
        default=(),
        description=f"Rotor inertias seen from the joints [kg m²]: {PER_JOINT}; by default those "
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
        default=(), description=f"Coulomb friction [N m]: {PER_JOINT}."
    )
    viscous: tuple[float, ...] = Field(
        default=(), description=f"Viscous friction [N m s/rad]: {PER_JOINT}."
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
    encoder_counts: int = Field(
        default=0,
        ge=0,
        description="Steps of the position sensors per turn (per metre of a sliding joint); 0: "
        "no steps.",
    )
    noise_q: float = Field(default=1e-5, ge=0, description="Noise of q, std [rad, m].")
    noise_qd: float = Field(default=1e-3, ge=0, description="Noise of qd, std [rad/s, m/s].")

    @field_validator("rotor_inertia", "coulomb", "viscous")
    @classmethod
    def _are_not_negative(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(value >= 0 for value in values):
            raise ValueError("no value may be negative")
        return values
