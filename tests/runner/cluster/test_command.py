"""`robotid run --executor dask`, as a user calls it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from dask_processes import PROJECT, can_hide, children_of, until

from tests.conftest import spawn

PIPELINE = """
[stages.ingest]
inputs.logs = "run*.csv"
inputs.robot = "pendulum"
test = ["run3"]

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 10.0

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "pendulum"
model = "ols"
"""


@pytest.fixture
def pipeline(tmp_path, pendulum_csv):
    """Two short logs and a pipeline, in a folder of their own."""
    folder = tmp_path / "given"
    folder.mkdir()
    for name in ("run1", "run3"):
        lines = (PROJECT / "sample_logs" / "pendulum" / f"{name}.csv").read_text().splitlines()
        (folder / f"{name}.csv").write_text("\n".join(lines[:601]) + "\n")
    (folder / "pipeline.toml").write_text(PIPELINE)
    return folder / "pipeline.toml"


def contents(folder: Path):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def clean(pipeline, robotid, tmp_path):
    """What a local run delivers."""
    out, own = tmp_path / "clean", tmp_path / "clean-cache"
    assert robotid("run", pipeline, "--out", out, "--cache-dir", own, "--quiet").code == 0
    return contents(out)


def test_a_cluster_on_this_machine(loopback, pipeline, robotid, clean, tmp_path, cache):
    out = tmp_path / "out"
    done = robotid("run", pipeline, "--executor", "dask", "--jobs", 2, "--out", out)
    assert done.code == 0, done.err
    assert contents(out) == clean
    assert "distributed" not in done.err
    assert list((cache / "tmp").iterdir()) == []


def test_machines_that_share_no_files(own_cluster, pipeline, robotid, clean, tmp_path, cache):
    if not can_hide():
        pytest.skip("this system gives a process no view of its own of the file system")
    cluster, out = own_cluster(workers=0), tmp_path / "out"
    cache.parent.mkdir(exist_ok=True)
    for _ in range(2):
        cluster.worker(hidden=(pipeline.parent, cache.parent))
    far = ("--executor", "dask", "--scheduler", cluster.address)
    done = robotid("run", pipeline, *far, "--out", out)
    assert done.code == 0, done.err + cluster.said()
    assert contents(out) == clean


def test_sigterm_ends_the_work_on_workers_too(own_cluster, tmp_path, cache):
    cluster = own_cluster(workers=1)
    path = tmp_path / "slow.toml"
    path.write_text("[stages.simulate]\ninputs.robot = 'panda'\nduration_s = 3000.0\n")
    run = spawn("run", path, "--executor", "dask", "--scheduler", cluster.address)

    def processes():
        return children_of(cluster.workers[0].pid)

    until(lambda: processes() and list(cache.glob("tmp/*/result")))
    began = time.monotonic()
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=20)
    assert time.monotonic() - began < 3
    assert run.returncode == 143
    assert b"stopped by SIGTERM" in said
    until(lambda: not processes(), 5)
    until(lambda: not list((cache / "tmp").iterdir()), 5)


@pytest.fixture
def keys(tmp_path):
    """Keys and a certificate as dask's settings for TLS want them."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here")
    pem = tmp_path / "both.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=robotid"),
            *("-keyout", tmp_path / "key.pem", "-out", tmp_path / "certificate.pem"),
        ],
        check=True,
        capture_output=True,
    )
    pem.write_text((tmp_path / "certificate.pem").read_text() + (tmp_path / "key.pem").read_text())
    settings = {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(tmp_path / "certificate.pem")}
    for who in ("SCHEDULER", "WORKER", "CLIENT"):
        settings[f"DASK_DISTRIBUTED__COMM__TLS__{who}__CERT"] = str(pem)
    return settings


def test_tls_as_dask_is_told(own_cluster, keys, pipeline, tmp_path):
    settings = {**keys, "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True"}
    cluster = own_cluster(workers=1, **settings)
    assert cluster.address.startswith("tls://")
    run = ("run", pipeline, "--until", "ingest", "--executor", "dask", "--scheduler")
    with_keys = spawn(*run, cluster.address, env={**os.environ, **keys})
    _, said = with_keys.communicate(timeout=60)
    assert with_keys.returncode == 0, said.decode() + cluster.said()
    plain = spawn(*run, cluster.address.replace("tls", "tcp"), "--recompute", env={
        **os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"})  # fmt: skip
    _, said = plain.communicate(timeout=60)
    assert plain.returncode == 75
    assert b"error[no-scheduler]" in said


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], 2, "--scheduler is that of --executor dask"),
        (["--executor", "dask", "--scheduler", "somewhere"], 2, "is not an address"),
        (["--executor", "dask", "--scheduler", "abc://127.0.0.1:1"], 2, "abc"),
        (["--executor", "dask", "--scheduler", "http://127.0.0.1:1"], 2, "http:// is none of tcp"),
        (["--executor", "dask", "--scheduler", "tcp://127.0.0.1:99999"], 2, "is not an address"),
        (["--executor", "dask", "--scheduler", "tcp://127.0.0.1:8786/x"], 2, "is not an address"),
        (["--executor", "dask", "--scheduler", "a:1", "--jobs", "2"], 2, "leave it out"),
        (["--executor", "ray"], 2, "'ray' is not one of 'local', 'dask'"),
    ],
)
def test_wrong_usage(pipeline, robotid, options, code, says):
    began = time.monotonic()
    done = robotid("run", pipeline, *options)
    assert done.code == code, done.err
    assert says in done.err
    assert "ingest" not in done.err  # nothing is tried
    assert time.monotonic() - began < 5


def test_logs_are_found_from_another_folder(own_cluster, pipeline, tmp_path, cache):
    """A pipeline given by a path from here: workers are elsewhere, and nothing has to be sent."""
    cluster = own_cluster(workers=1)
    words = ("run", pipeline.name, "--executor", "dask", "--scheduler", cluster.address)
    run = spawn(*words, cwd=pipeline.parent)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 0, said.decode() + cluster.said()
    assert not (cache / "entries" / "file").exists()
    (pipeline.parent / "run1.csv").write_text("t,q.hinge\n0,x\n")
    run = spawn(*words, "--until", "ingest", cwd=pipeline.parent)
    _, said = run.communicate(timeout=60)
    assert b"warning[text-column] run1.csv: left out" in said


def test_ctrl_c_on_a_terminal_ends_a_cluster_of_its_own_quietly(loopback, tmp_path, cache):
    """It reaches all processes of the terminal, also dask's."""
    path = tmp_path / "slow.toml"
    path.write_text("[stages.simulate]\ninputs.robot = 'panda'\nduration_s = 3000.0\n")
    run = spawn("run", path, "--executor", "dask", "--jobs", 2, start_new_session=True)
    until(lambda: list(cache.glob("tmp/*/result")))
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=30)
    assert run.returncode == 130
    assert b"Traceback" not in said
    assert b"distributed" not in said


def test_without_dask(pipeline, robotid, monkeypatch):
    monkeypatch.setitem(sys.modules, "robotid.runner.cluster.executor", None)
    done = robotid("run", pipeline, "--executor", "dask")
    assert done.code == 2
    assert "pip install 'robotid[dask]'" in done.err
