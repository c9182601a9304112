"""`training.safetensors`: all training data of a fit as one factor per row, for fits that go on.

Errors are not weighted, so that a later fit can find the noise of every joint anew. Beside the
facts (JSON in the file's metadata) there are the tensors of a file of factors with one block:

    <row number>.expansion  (r, p)     E: the row's columns W = W_b E from independent ones
    <row number>.factor     (1, (r + 1)(r + 2) / 2)  R of [W_b | tau], upper triangle by rows
    <row number>.torque     (1, 3)     sum, least and greatest torque
"""

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from robotid.contracts.factors import RobotFacts, RowTensors, check_rows
from robotid.contracts.fit_data import TrainedRecording
from robotid.contracts.tensors import digest_of
from robotid.errors import BadDataError, raise_trouble

_FACTS_KEY = "robotid.training"


class TrainingFacts(BaseModel):
    """What the numbers are about.

    Args:
        format: of this file.
        about: robot, torque signal, terms, parameters and rows.
        independent: share of samples not correlated, mean of all samples.
        recordings: whose samples they are of, those of earlier fits first.
        tensors_sha256: of the numbers; `write_training` fills it in.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    about: RobotFacts
    independent: float = Field(gt=0, le=1)
    recordings: list[TrainedRecording] = Field(min_length=1)
    tensors_sha256: str = ""

    @property
    def samples(self) -> int:
        """How many samples there are of each row."""
        return sum(recording.samples for recording in self.recordings)


class Training(NamedTuple):
    """Facts, and the tensors of each row; see the top of this file."""

    facts: TrainingFacts
    rows: list[RowTensors]


def write_training(path: Path, training: Training) -> None:
    """Write the file; the same data give the same bytes."""
    tensors = {
        f"{number}.{name}": np.ascontiguousarray(value)
        for number, row in enumerate(training.rows)
        for name, value in row._asdict().items()
    }
    check_rows(training.facts.about, training.rows, 1, path)
    facts = training.facts.model_copy(update={"tensors_sha256": digest_of(tensors)})
    save_file(tensors, path, metadata={_FACTS_KEY: facts.model_dump_json()})


def read_training(path: Path) -> Training:
    """Read the file; damage and foreign files are refused."""
    try:
        with safe_open(path, framework="numpy") as file:
            facts = TrainingFacts.model_validate_json((file.metadata() or {})[_FACTS_KEY])
            tensors = {name: file.get_tensor(name) for name in sorted(file.keys())}
        rows = [
            RowTensors(*(tensors[f"{number}.{name}"] for name in RowTensors._fields))
            for number in range(len(facts.about.rows))
        ]
    except (OSError, SafetensorError, KeyError, ValidationError, ValueError) as error:
        raise_trouble(error, "reading a result", path)
        said = f"not the training data of a fit ({type(error).__name__})"
        raise BadDataError("not-training", said, file=str(path), hint="fit again") from error
    if digest_of(tensors) != facts.tensors_sha256:
        said = "the numbers are not what was written"
        raise BadDataError("training-damaged", said, file=str(path), hint="fit again")
    check_rows(facts.about, rows, 1, path)
    return Training(facts, rows)
