"""The figures of the store, at small counts."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import seeded_defects
from dask_processes import no_loopback

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            ["bit_flips.py", "--flips", "20", "--cuts", "10", "--runs", "3", "--until", "filter"],
            "0 not mended",
        ),
        (["cache_keys.py", "--every", "20"], "0 taken wrongly"),
        (
            [
                "determinism.py",
                *("--robot", "pendulum", "--until", "simulate", "--only", "much at once"),
            ],
            "1 surroundings, 0 with other results",
        ),
        (
            ["delivered_flips.py", "--flips", "3", "--cuts", "2", "--until", "ingest"],
            "0 not refused",
        ),
        (["fleet.py", "--small"], "one more costs"),
    ],
)
def test_benchmark(command, says):
    done = subprocess.run(
        [sys.executable, BENCHMARKS / command[0], *command[1:]],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert says in done.stdout


def test_planted_defects_are_up_to_date():
    """Each still stands where it is planted, and the tests that must notice it exist."""
    assert not seeded_defects.stale()
    for defect in seeded_defects.DEFECTS:
        for test in defect.tests:
            file, _, name = test.partition("::")
            assert f"def {name}" in (BENCHMARKS.parent / file).read_text()


def test_cluster():
    pytest.importorskip("distributed")
    reason = no_loopback()
    if reason is not None:
        pytest.skip(reason)
    command = [sys.executable, BENCHMARKS / "cluster.py", "--small", "--kills", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a worker killed in 1 of" in done.stdout
    assert "OTHER" not in done.stdout


def test_other_caches():
    pytest.importorskip("joblib")
    command = [sys.executable, BENCHMARKS / "other_caches.py"]
    done = subprocess.run(
        [*command, "--flips", "4", "--kills", "4", "--pairs", "4"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "robotid: 0 results not right" in done.stdout


@pytest.mark.alone
def test_overhead_benchmark_runs():
    """On a small log only that it runs: its limit is for 100 MB."""
    command = [
        sys.executable,
        BENCHMARKS / "store_overhead.py",
        "--megabytes",
        "2",
        "--repeat",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "verify and commit" in done.stdout, done.stderr


@pytest.mark.alone
@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["regressor.py", "--samples", "500", "--repeat", "1"], "x the Pinocchio loop"),
        (
            ["information.py", "--samples", "3000", "--repeat", "1", "--largest", "0.2"],
            "recordings merged in",
        ),
        (["excitation_gradient.py", "--samples", "20", "--repeat", "1"], "times faster"),
    ],
)
def test_kernel_benchmarks_run(command, says):
    """At this size only that they run: their limits are for longer logs and a quiet machine."""
    done = subprocess.run(
        [sys.executable, BENCHMARKS / command[0], *command[1:]],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert says in done.stdout, done.stderr


@pytest.mark.alone
def test_consistent_fits_benchmark_runs():
    """Only that it runs, and that no optimum is missed; how fast is for a quiet machine."""
    pytest.importorskip("cvxpy")
    command = [sys.executable, BENCHMARKS / "sdp.py", "--repeat", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "x faster than cvxpy" in done.stdout, done.stderr


@pytest.mark.alone
@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["parametrised.py", "--robots", "pendulum", "--starts", "2"], "pass"),
        (["fit.py", "--only", "memory", "--millions", "0.1"], "parameters of the SDP"),
        (["learned_latency.py", "5000"], "below 100 µs: kept"),
    ],
)
def test_fit_benchmarks(command, says):
    """Small versions that have to meet their limits, too."""
    done = subprocess.run(
        [sys.executable, BENCHMARKS / command[0], *command[1:]],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert says in done.stdout


@pytest.mark.alone
def test_recovery_benchmark_runs():
    """With few seeds only that it runs: shares of intervals need many."""
    pytest.importorskip("mujoco")
    command = ["--robots", "pendulum", "--seeds", "4", "--duration", "4"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "recovery.py", *command],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "intervals of 95 %" in done.stdout, done.stderr


def test_bounded_forward_models_keep_their_limits():
    """Few motions, but the same limits."""
    pytest.importorskip("mujoco")
    small = ["--seeds", "1", "--starts", "20", "--horizon-s", "0.2", "--samples", "200"]
    few = ["--draws", "100", "--robots", "cartpole", "--models", "coulomb", "nn-friction", "ffnn"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "forward_energy.py", *small, *few],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("pass") == 6
    assert done.stdout.count("not judged") == 1


@pytest.mark.alone
def test_forward_speed_benchmark():
    """All ways have to lead to the same; how fast is for larger batches."""
    pytest.importorskip("differentiable_robot_model")
    small = ["--batches", "2", "--starts", "3", "--repeat", "1"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "forward_speed.py", *small],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "furuta    ffnn" in done.stdout


@pytest.mark.alone
def test_deep_lagrangian_benchmark():
    """Both ways have to lead to the same; how fast is for larger batches."""
    small = ["--batch", "20", "--repeat", "1"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "deep_lagrangian.py", *small],
        capture_output=True,
        text=True,
        timeout=120,
    )
    found = [line.split() for line in done.stdout.splitlines()[2:]]
    assert [line[0] for line in found] == ["float64", "float32"], done.stderr
    assert float(found[0][4]) <= 1e-10
    assert float(found[1][4]) <= 1e-4


@pytest.mark.alone
def test_learned_training_benchmark():
    """Losses and torques have to be the same; how fast is for larger batches and free cores."""
    pytest.importorskip("differentiable_robot_model")
    small = ["--sequences", "40", "--length", "10", "--samples", "64", "--batch", "32"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "learned_training.py", *small, "--repeat", "1"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    found = re.search(r"losses of 3 steps differ by (\S+)", done.stdout)
    assert found, done.stderr
    assert float(found[1]) <= 1e-5
    found = re.search(r"torques differ by (\S+) of the largest", done.stdout)
    assert found, done.stderr
    assert float(found[1]) <= 1e-5
    assert "stock, two threads" in done.stdout
