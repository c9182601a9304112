"""The figures of designs, at small counts."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


@pytest.mark.parametrize(
    ("command", "needs", "says"),
    [
        (["excitation.py", "--quick"], "casadi", "limits kept"),
        (
            ["excitation_spread.py", "--robot", "double_pendulum", "--random", "1"],
            "mujoco",
            ": pass",
        ),
    ],
)
def test_benchmarks_run(command, needs, says):
    """What they say of forecasts holds at this size, too; speed needs long runs."""
    pytest.importorskip(needs)
    done = subprocess.run(
        [sys.executable, BENCHMARKS / command[0], *command[1:]],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert says in done.stdout, done.stdout + done.stderr
