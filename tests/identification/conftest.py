"""A filtered dataset of the sample arm with its factors, made once through the command line."""

from pathlib import Path
from typing import NamedTuple

import pytest

from robotid.contracts.fit import FitResult, read_fit
from robotid.errors import Notice
from robotid.stages.contract import Source
from robotid.stages.fit import FitConfig, run
from tests.conftest import PROJECT, run_process
from tests.identification.tripod import project  # noqa: F401 - a fixture

ARM = PROJECT / "sample_logs" / "arm"


class Fitted(NamedTuple):
    """A fit, its folder and its findings."""

    result: FitResult
    folder: Path
    notices: list[Notice]

    def codes(self):
        return {notice.code for notice in self.notices}


class ArmData(NamedTuple):
    """Folders of a dataset and its factors."""

    dataset: Path
    factors: Path
    robot: Path = ARM / "arm.urdf"

    def fit(self, out, *, before=None, update=None, **keys) -> Fitted:
        """Call the stage as a plain function."""
        inputs = {
            role: [Source("", path, "")]
            for role, path in (
                ("dataset", self.dataset),
                ("robot", self.robot),
                ("factors", self.factors),
                ("payload_of", before),
                ("update", update),
            )
            if path is not None
        }
        out.mkdir(exist_ok=True)
        notices = run(FitConfig(**keys), inputs, out)
        return Fitted(read_fit(out), out, list(notices))


def filtered(folder, logs, robot, *flags) -> Path:
    """Ingest and filter logs."""
    cache = ["--cache-dir", folder / "cache"]
    answer = run_process(
        *cache, "ingest", *logs, "--robot", robot, "-o", folder / "raw", *flags, timeout=300
    )
    assert answer.code == 0, answer.err
    answer = run_process(
        *cache, "filter", folder / "raw", "--cutoff-hz", "10", "-o", folder / "data", timeout=300
    )
    assert answer.code == 0, answer.err
    return folder / "data"


def with_factors(folder, dataset, robot, *flags) -> ArmData:
    """Factors of a dataset."""
    out = folder / "factors"
    cache = ["--cache-dir", folder / "cache"]
    answer = run_process(
        *cache, "factors", dataset, "--robot", robot, "-o", out, *flags, timeout=300
    )
    assert answer.code == 0, answer.err
    return ArmData(dataset, out, robot)


@pytest.fixture(scope="session")
def arm(tmp_path_factory) -> ArmData:
    """Three recordings, the last for the test."""
    folder = tmp_path_factory.mktemp("arm")
    robot = ARM / "arm.urdf"
    return with_factors(folder, filtered(folder, sorted(ARM.glob("*.csv")), robot), robot)


@pytest.fixture(scope="session")
def leaning(arm, tmp_path_factory) -> ArmData:
    """The same data, but somebody leans against the arm in the first recording for a while."""
    folder = tmp_path_factory.mktemp("leaning")
    logs = []
    for log in sorted(ARM.glob("*.csv")):
        logs.append(folder / log.name)
        header, *lines = log.read_text().splitlines()
        place, tenth = header.split(",").index("tau.elbow"), len(lines) // 10
        for number in range(4 * tenth, 5 * tenth) if log.stem == "run1" else ():
            cells = lines[number].split(",")
            cells[place] = repr(float(cells[place]) + 5.0)
            lines[number] = ",".join(cells)
        logs[-1].write_text("\n".join([header, *lines]) + "\n")
    return with_factors(folder, filtered(folder, logs, arm.robot), arm.robot)
