"""`comparison.json`: many forward models on several robots and data, in one table.

Beside it lie `comparison.html`, all of it as a page, and `comparison.md`.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.contracts.conclusion import Conclusion
from robotid.contracts.forward import EnergyClass, Kinematics
from robotid.contracts.rollout import LinkMass
from robotid.contracts.versions import first_fault
from robotid.errors import BadDataError

COMPARISON = "comparison.json"
MARKDOWN = "comparison.md"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(_Part):
    """A robot and the data it was learned from; friction where the truth is known."""

    robot: str
    label: str
    friction: str | None


class Spread(_Part):
    """A value over several fits that differ in their seeds: median, least and largest."""

    median: float
    least: float
    largest: float


class Cell(_Part):
    """A model on a robot and its data.

    Args:
        fits: how many, which differ in their seeds.
        usable: how many of them are, by their own verdict.
        one_step: error of accelerations on held-out data, over their variance.
        horizon: error of motions at the horizon, over the squared training range; null where
            motions of a fit diverged.
        motions: how many were run, driven and not.
        diverged: how many of them diverged.
        energy_growth: the largest of any fit; null for models without energy.
        inertia_error: of the mass matrix; null where truth or matrix is not known.
        masses: of the links, in the first fit.
    """

    fits: int
    usable: int
    one_step: Spread | None
    horizon: Spread | None
    motions: int
    diverged: int
    energy_growth: float | None
    inertia_error: Spread | None
    masses: list[LinkMass]


class Row(_Part):
    """A model on all robots and data; null where there is none of it.

    Args:
        model: as `--model` has it.
        actuator: in front of its links.
        kinematics: whether placements were learned as well.
        init: where training started; null for a model that does not start anywhere.
        energy: what the model does to the energy of a robot that nobody drives.
        cells: one for each column.
    """

    model: str
    actuator: str
    kinematics: Kinematics
    init: str | None
    energy: EnergyClass
    cells: list[Cell | None]


class ForwardComparison(_Part):
    """The content of `comparison.json`.

    Args:
        format: of this file.
        horizon_s: how long motions are.
        starts: how many of each fit.
        columns: robots and data.
        rows: models.
        best: number of the row of least error at the horizon, for each column.
        conclusions: what holds of them.
    """

    format: Literal[1] = 1
    horizon_s: float
    starts: int
    columns: list[Column]
    rows: list[Row]
    best: list[int | None]
    conclusions: list[Conclusion]


def read_comparison(folder: Path) -> ForwardComparison:
    """Read `comparison.json`."""
    path = folder / COMPARISON
    try:
        return ForwardComparison.model_validate_json(path.read_bytes())
    except ValidationError as error:
        said = f"not a comparison as robotid writes it: {first_fault(error)}"
        raise BadDataError("bad-comparison", said, file=str(path), hint="compare again") from error
