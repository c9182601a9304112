"""Shared fixtures: a cache of one's own, and robotid called as a user calls it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
sys.path.insert(0, str(PROJECT / "benchmarks"))  # tests run small versions of the benchmarks

SAMPLES = PROJECT / "sample_logs" / "pendulum"


def _no_network(event, arguments):
    """No test of robotid needs more than this machine."""
    if event == "socket.getaddrinfo" and arguments[0] not in (None, "localhost", "127.0.0.1"):
        raise AssertionError(f"name looked up: {arguments[0]}")
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        assert arguments[1][0] in ("127.0.0.1", "::1", "localhost"), f"connection: {arguments[1]}"


sys.addaudithook(_no_network)


@dataclass
class Answer:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """Every test has its own cache."""
    root = tmp_path_factory.mktemp("cache") / "robotid"
    monkeypatch.setenv("ROBOTID_CACHE_DIR", str(root))
    return root


@pytest.fixture
def robotid(capfdbinary, monkeypatch):
    """Call the command line in this process; workers are processes all the same."""
    from robotid.cli.main import main
    from tests import warm_workers

    warm_workers.use(monkeypatch)

    def call(*arguments) -> Answer:
        capfdbinary.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Answer(int(code), out.decode("utf-8", "surrogateescape"), err.decode())

    return call


def spawn(*arguments, **options) -> subprocess.Popen:
    """Start the installed command as a process of its own."""
    command = [str(Path(sys.executable).parent / "robotid"), *map(str, arguments)]
    defaults = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": dict(os.environ)}
    return subprocess.Popen(command, **{**defaults, **options})


def run_process(*arguments, timeout=60, **options) -> Answer:
    """Run the installed command and wait for it."""
    process = spawn(*arguments, **options)
    out, err = process.communicate(timeout=timeout)
    return Answer(process.returncode, (out or b"").decode(), (err or b"").decode())


@pytest.fixture
def pendulum_csv(tmp_path):
    """A short plain log."""

    def write(name="run.csv", rows=600, joint="hinge", folder=tmp_path) -> Path:
        lines = (SAMPLES / "run1.csv").read_text().splitlines()[: rows + 1]
        path = folder / name
        path.write_text("\n".join(lines).replace("hinge", joint) + "\n")
        return path

    return write
