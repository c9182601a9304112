"""Hybrids on data whose truth is known: what they promise, at the size of a test.

A double pendulum with Stribeck friction, in MuJoCo, with links that are not those of the file. The
tables of docs/results are the same on a seven-joint arm.
"""

import pytest

from robotid.contracts.table import read_table

PIPELINE = """
[stages.simulate]
inputs.robot = "double_pendulum"
perturb = 0.1
recordings = 12
same_paths = true
speeds = [0.2, 0.5]
duration_s = 10.0
rate_hz = 100.0
friction = "stribeck"
friction_share = 0.1

[stages.ingest]
inputs.logs = "@simulate"
inputs.robot = "double_pendulum"
val = ["run09", "run10"]
test = ["run11", "run12"]

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 8.0

[stages.rigid]
stage = "fit"
inputs = { dataset = "@filter", robot = "double_pendulum" }
terms = []

[stages.sign]
stage = "fit"
inputs = { dataset = "@filter", robot = "double_pendulum" }
terms = ["coulomb"]

[stages.e2e]
stage = "fit"
inputs = { dataset = "@filter", robot = "double_pendulum" }
model = "hybrid"
residual = "lstm"
hidden = [16]
memory = 8
sequence = 50
batch = 4
terms = ["coulomb"]
init = "random"
epochs = 40
patience = 40

[stages.kept]
stage = "fit"
inputs = { dataset = "@filter", robot = "double_pendulum" }
model = "hybrid"
residual = "lstm"
hidden = [16]
memory = 8
sequence = 50
batch = 4
terms = ["coulomb"]
body_weight = 1.0
epochs = 40
patience = 40

[stages.black]
stage = "fit"
inputs = { dataset = "@filter", robot = "double_pendulum" }
model = "lstm"
hidden = [16]
memory = 8
sequence = 50
batch = 4
epochs = 40
patience = 40

[stages.faster_logs]
stage = "simulate"
inputs.robot = "double_pendulum"
perturb = 0.1
recordings = 2
speeds = [0.9]
duration_s = 10.0
rate_hz = 100.0
friction = "stribeck"
friction_share = 0.1

[stages.faster_data]
stage = "ingest"
inputs.logs = "@faster_logs"
inputs.robot = "double_pendulum"

[stages.faster]
stage = "filter"
inputs.dataset = "@faster_data"
cutoff_hz = 8.0

[stages.e2e_beyond]
stage = "predict"
inputs = { fit = "@e2e", dataset = "@faster" }

[stages.kept_beyond]
stage = "predict"
inputs = { fit = "@kept", dataset = "@faster" }

[stages.black_beyond]
stage = "predict"
inputs = { fit = "@black", dataset = "@faster" }

[stages.track]
inputs = { fits = ["@e2e", "@kept", "@sign", "@rigid"], robot = "double_pendulum", truth = "@simulate" }
gains = ["medium"]
durations_s = [1.0]

[stages.errors]
stage = "tabulate"
inputs.fits = ["@e2e", "@kept", "@sign", "@rigid", "@black"]
claims = [
    "e2e, kept < sign in test",
    "sign < rigid, black in test",
    "e2e, kept < 0.05 in parameters off",
    "e2e, kept < 0.05 in torques off",
]

[stages.errors.columns]
test = "metrics.test.nmse_range.mean"
"parameters off" = "rigid_apart.parameters"
"torques off" = "rigid_apart.torque"

[stages.beyond]
stage = "tabulate"
inputs.predictions = ["@e2e_beyond", "@kept_beyond", "@black_beyond"]
claims = ["e2e_beyond, kept_beyond << black_beyond in error"]
columns = { error = "recordings.*.errors.*.nmse_range" }

[stages.control]
stage = "tabulate"
inputs.trackings = ["@track"]
claims = ["e2e, kept < sign in rmse", "sign < rigid in rmse"]
columns = { rmse = "outcomes.rmse.mean.mean" }
rows = { e2e = "*/e2e", kept = "*/kept", sign = "*/sign", rigid = "*/rigid" }
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """What the run makes of it; a little more than ten seconds of training."""
    from tests.conftest import run_process

    folder = tmp_path_factory.mktemp("hybrids")
    (folder / "hybrids.toml").write_text(PIPELINE, encoding="utf-8")
    words = ("--cache-dir", folder / "cache", "run", folder / "hybrids.toml")
    done = run_process(*words, "--out", folder / "out", "--quiet", timeout=600)
    assert done.code in (0, 4), done.err  # a network alone is not to be used
    return {name: read_table(folder / "out" / name) for name in ("errors", "beyond", "control")}


@pytest.mark.parametrize("name", ["errors", "beyond", "control"])
def test_what_is_claimed_holds(tables, name):
    """The body stays right, the network helps where it was trained, beyond, and in a controller."""
    table = tables[name]
    assert table.claims
    for claim in table.claims:
        assert claim.holds, f"{claim.claim}: {claim.found}"
    assert all(cell is not None for row in table.rows for cell in list(row.cells.values())[:1])
