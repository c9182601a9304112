"""Logs of a tripod, ingested and filtered, and fits of them; a fixture for several files."""

import pytest

from robotid.contracts.any_fit import read_any_fit
from robotid.stages.contract import Source
from robotid.stages.fit import FitConfig, run
from tests.conftest import run_process
from tests.floating import tripod

PIPELINE = """
[stages.logs]
stage = "simulate"
inputs.robot = "tripod.urdf"
recordings = 3
duration_s = 12
rate_hz = 100
harmonics = 12
friction = "viscous"
perturb = 0.15
noise_twist = 1e-4
noise_qd = 1e-4
[stages.raw]
stage = "ingest"
inputs.logs = "@logs"
inputs.robot = "tripod.urdf"
test = ["run3"]
[stages.data]
stage = "filter"
inputs.dataset = "@raw"
cutoff_hz = 15
[stages.factors]
inputs = {dataset = "@data", robot = "tripod.urdf"}
[stages.base]
stage = "factors"
inputs = {dataset = "@data", robot = "tripod.urdf"}
rows = "base"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Logs of a tripod, ingested and filtered, and its factors."""
    folder = tmp_path_factory.mktemp("tripod")
    (folder / "tripod.urdf").write_text(tripod())
    (folder / "run.toml").write_text(PIPELINE)
    cache = ["--cache-dir", folder / "cache"]
    answer = run_process(
        *cache, "run", folder / "run.toml", "--out", folder, "--force", timeout=200
    )
    assert answer.code == 0, answer.err
    return folder


def fitted(project, out, factors="factors", **keys):
    """Call the stage as a plain function."""
    paths = {"dataset": "data", "robot": "tripod.urdf", "factors": factors}
    inputs = {role: [Source("", project / path, "")] for role, path in paths.items()}
    out.mkdir(exist_ok=True)
    notices = run(FitConfig(**keys), inputs, out)
    return read_any_fit(out), notices
