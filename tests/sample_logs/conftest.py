"""The sample logs, ingested in this process as the command does it."""

import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from robotid.contracts.recording import RecordingFacts, read_recording
from robotid.errors import ExitCode, Notice, RobotidError, exit_code_of
from robotid.robot.catalog import shipped_path
from robotid.stages.configuration import parse_config
from robotid.stages.contract import Source
from robotid.stages.ingest import IngestConfig, run
from tests.conftest import PROJECT

SAMPLE_LOGS = PROJECT / "sample_logs"
BROKEN = SAMPLE_LOGS / "broken"
EXPECTED = tomllib.loads((BROKEN / "expected.toml").read_text(encoding="utf-8"))["log"]
sys.path.insert(0, str(SAMPLE_LOGS))  # for generate.py and what it imports

_LISTS, _NUMBERS = ("accept",), ("rate_hz",)


class Ingested(NamedTuple):
    """What came of a log: exit code, findings or the error, and the recording if there is one."""

    code: ExitCode
    notices: list[Notice]
    path: Path | None
    columns: dict[str, np.ndarray]
    facts: RecordingFacts | None


@pytest.fixture
def ingest(tmp_path):
    """Ingest one log with words as they stand on the command line."""
    count = iter(range(1000))

    def go(log, *words, folder=BROKEN) -> Ingested:
        inputs, keys = {"logs": [Source("", log, "0")]}, {}
        for flag, word in zip(words[::2], words[1::2], strict=True):
            key = flag.removeprefix("--").replace("-", "_")
            if key == "map":
                inputs["map"] = [Source("", folder / word, "")]
            elif key == "robot":
                inputs["robot"] = [Source("", shipped_path(word), "")]
            else:
                keys[key] = [word] if key in _LISTS else float(word) if key in _NUMBERS else word
        out = tmp_path / str(next(count))
        out.mkdir()
        try:
            notices = run(parse_config(IngestConfig, keys), inputs, out)
        except RobotidError as error:
            return Ingested(error.exit_code, [error.notice], None, {}, None)
        path = out / "recording.parquet"
        return Ingested(exit_code_of(notices), notices, path, *read_recording(path))

    return go
