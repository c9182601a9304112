"""`decomposition.json`: which part of the forces a model has right, where the truth is known."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.contracts.versions import first_fault
from robotid.errors import BadDataError

DECOMPOSITION = "decomposition.json"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PartErrors(_Part):
    """Errors of one part of the forces: inertial, coriolis or gravity.

    Args:
        rmse: by row [N m, or N].
        nmse: mean square over the variance of the whole force that is true, by row; null for a row
            without any force.
        mean: of these.
    """

    rmse: dict[str, float]
    nmse: dict[str, float | None]
    mean: float | None


class DecomposedModel(_Part):
    """A model, and the errors of its parts by name."""

    model: str
    parts: dict[str, PartErrors]


class Decomposition(_Part):
    """The content of `decomposition.json`.

    Args:
        format: of this file.
        robot: its name.
        rows: of generalised forces.
        recordings: whose motions were looked at.
        samples: of them.
        sizes: root mean square of each part as it truly is, by part and row [N m, or N].
        models: by name.
        without: models that have no such parts.
    """

    format: Literal[1] = 1
    robot: str
    rows: list[str]
    recordings: list[str]
    samples: int
    sizes: dict[str, dict[str, float]]
    models: dict[str, DecomposedModel]
    without: list[str]


def write_decomposition(folder: Path, found: Decomposition) -> None:
    """Write `decomposition.json`."""
    (folder / DECOMPOSITION).write_text(found.model_dump_json(indent=1), encoding="utf-8")


def read_decomposition(folder: Path) -> Decomposition:
    """Read `decomposition.json`."""
    path = folder / DECOMPOSITION
    try:
        return Decomposition.model_validate_json(path.read_bytes())
    except ValidationError as error:
        said = f"not what decompose writes: {first_fault(error)}"
        raise BadDataError("bad-decomposition", said, file=str(path), hint="run again") from error
