"""`information.safetensors`: what the training data of a fit say of all its parameters.

    R    (p, p)   upper-triangular
    z    (p,)
    rho  (1,)     sum over samples of ((tau - W phi) / noise)² = |R phi - z|² + rho²

Errors of every row are divided by their standard deviation; that neighbouring samples are
correlated is not in the numbers: multiply R and z by the root of the share of independent samples
to get (R^T R)^-1 as the covariance. The facts are JSON in the file's metadata.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from robotid.contracts.tensors import digest_of
from robotid.errors import BadDataError, raise_trouble

_FACTS_KEY = "robotid.information"

Array = NDArray[np.float64]


class InformationFacts(BaseModel):
    """What the numbers are about.

    Args:
        format: of this file.
        robot: its name.
        geometry_sha256: of all that regressors of the robot depend on.
        parameters: names, in the order of the columns.
        noise: standard deviation of the errors of each row [N m], which they are divided by.
        independent: share of samples not correlated.
        count: how many equations there are: samples times rows.
        tensors_sha256: of the numbers; `write_information` fills it in.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    robot: str
    geometry_sha256: str
    parameters: list[str] = Field(min_length=1)
    noise: dict[str, float] = Field(min_length=1)
    independent: float = Field(gt=0, le=1)
    count: int = Field(gt=0)
    tensors_sha256: str = ""


class Information(NamedTuple):
    """Facts and numbers; see the top of this file."""

    facts: InformationFacts
    R: Array
    z: Array
    rho: float


def write_information(path: Path, information: Information) -> None:
    """Write the file; the same information gives the same bytes."""
    tensors = {
        "R": np.ascontiguousarray(information.R, dtype=np.float64),
        "z": np.ascontiguousarray(information.z, dtype=np.float64),
        "rho": np.array([information.rho], dtype=np.float64),
    }
    _check(information.facts, tensors, path)
    facts = information.facts.model_copy(update={"tensors_sha256": digest_of(tensors)})
    save_file(tensors, path, metadata={_FACTS_KEY: facts.model_dump_json()})


def read_information(path: Path) -> Information:
    """Read the file; damage and foreign files are refused."""
    try:
        with safe_open(path, framework="numpy") as file:
            facts = InformationFacts.model_validate_json((file.metadata() or {})[_FACTS_KEY])
            tensors = {name: file.get_tensor(name) for name in ("R", "rho", "z")}
    except (OSError, SafetensorError, KeyError, ValidationError, ValueError) as error:
        raise_trouble(error, "reading a result", path)
        said = f"not the information of a fit ({type(error).__name__})"
        raise BadDataError("not-information", said, file=str(path)) from error
    _check(facts, tensors, path)
    if digest_of(tensors) != facts.tensors_sha256:
        said = "the numbers are not what was written"
        raise BadDataError("information-damaged", said, file=str(path), hint="fit again")
    return Information(facts, tensors["R"], tensors["z"], float(tensors["rho"][0]))


def _check(facts: InformationFacts, tensors: Mapping[str, Array], path: Path) -> None:
    count = len(facts.parameters)
    for name, shape in (("R", (count, count)), ("z", (count,)), ("rho", (1,))):
        value = tensors[name]
        if value.shape != shape or value.dtype != np.float64:
            said = f"{name} has shape {value.shape} and type {value.dtype}, not {shape} of float64"
            raise BadDataError("bad-information", said, file=str(path))
        if not np.isfinite(value).all():
            raise BadDataError("bad-information", f"{name} is not finite", file=str(path))
    for row, noise in facts.noise.items():
        if not (noise > 0 and np.isfinite(noise)):
            said = f"errors of {noise:g} N m are no standard deviation"
            raise BadDataError("bad-information", said, file=str(path), joint=row)
