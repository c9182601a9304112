"""What an export writes: `export.json` (which files, and how each was checked) and tables."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from robotid.contracts.fit import JointTerms, Parameter, ParameterStatus

INDEX = "export.json"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ExportedFile(_Part):
    """A file, and how it was compared with the fit before it was written.

    Args:
        file: its name beside the index.
        format: one of the formats of `robotid export`.
        checked: what was compared; empty if nothing could be.
        difference: the largest one, relative to the size of what was compared.
    """

    file: str
    format: str
    checked: str
    difference: float | None = None


class ExportIndex(_Part):
    """The content of `export.json`."""

    format: Literal[1] = 1
    fit_sha256: str = Field(description="Digest of the fit folder.")
    model: str
    robot: str
    usable: bool = Field(description="Whether the fit can be used, by its own verdict.")
    verdict: str
    files: list[ExportedFile]


class LinkTable(_Part):
    """A link as a rigid body, in its own frame.

    Args:
        name: of the link.
        mass: [kg].
        centre: of mass [m]; null without a mass.
        inertia: 3 by 3, about the centre of mass (about the origin without a mass) [kg m²].
        not_physical: the inequality it breaks; null for what can exist.
    """

    name: str
    mass: float
    centre: list[float] | None
    inertia: list[list[float]]
    not_physical: str | None = None


class ParameterTable(_Part):
    """The content of `parameters.json`: parameters in the order of the model, units SI."""

    format: Literal[1] = 1
    fit_sha256: str
    model: str
    robot: str
    usable: bool
    verdict: str
    joints: list[str]
    terms: JointTerms
    gravity: list[float] = Field(description="In base coordinates [m/s²].")
    parameters: list[Parameter]
    links: list[LinkTable]


class PayloadBody(_Part):
    """Mass [kg], centre of mass [m] and 3 by 3 inertia about it [kg m²], in a frame."""

    frame: str
    mass: float
    centre: list[float]
    inertia: list[list[float]]


class UrPayload(_Part):
    """What Universal Robots controllers take; inertia as Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""

    mass: float
    cog: list[float]
    inertia: list[float]
    script: str


class FrankaLoad(_Part):
    """What `setLoad` of Franka's library takes; the 3 by 3 inertia column by column."""

    load_mass: float
    F_x_Cload: list[float]
    load_inertia: list[float]


class PayloadTable(_Part):
    """The content of `payload.json`.

    Args:
        frame_note: in which frame controllers want it, and in which it is.
        body: in the frame asked for.
        found: in the frame of the fit.
        intervals: lower and upper bounds (95 % at least) in the frame asked for.
        statuses: how well each quantity is known, in the frame asked for.
        ur: for Universal Robots.
        franka: for Franka.
    """

    format: Literal[1] = 1
    fit_sha256: str
    robot: str
    frame_note: str
    body: PayloadBody
    found: PayloadBody
    intervals: dict[str, tuple[float, float]]
    statuses: dict[str, ParameterStatus]
    ur: UrPayload
    franka: FrankaLoad


def write_export_index(folder: Path, index: ExportIndex) -> None:
    """Write `export.json`."""
    (folder / INDEX).write_text(index.model_dump_json(indent=1), encoding="utf-8")


def read_export_index(folder: Path) -> ExportIndex:
    """Read `export.json`."""
    return ExportIndex.model_validate_json((folder / INDEX).read_bytes())
