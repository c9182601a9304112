"""`make bench`: parts at small sizes, the documents it writes, and the cost model."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import bench
import bench_document
import growth
import pytest
from bench_document import document
from scale import line, scaled

PROJECT = Path(__file__).parent.parent
FACTS = json.loads((PROJECT / "docs" / "benchmarks.json").read_text())


def part(tmp_path, name):
    """What a part finds at a size for tests."""
    answer = tmp_path / "answer.json"
    command = [sys.executable, "-W", "ignore", PROJECT / "benchmarks" / "bench.py", "--stage", name]
    done = subprocess.run(
        [*command, "--quick", "--answer", answer], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(answer.read_text())


def test_documents_are_those_of_the_facts(tmp_path):
    """Nobody has edited them, and what writes them still writes the same."""
    bench.write(FACTS, tmp_path)
    for name in ("benchmarks.md", "scale.md", "images/growth.svg"):
        assert (tmp_path / name).read_text() == (PROJECT / "docs" / name).read_text()


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("reading", "pandas"),
        ("filtering", "scipy"),
        ("torques", "differentiable_robot_model"),
        ("scripts", "pandas"),
        ("consistent", "figaroh"),
        ("simulated", "mujoco"),
        ("designing", "casadi"),
        ("simulating", "mujoco"),
        ("pages", "matplotlib"),
    ],
)
def test_comparisons(tmp_path, name, needs):
    """A quick run finds the tasks, ways and versions that the document has."""
    pytest.importorskip(needs)
    if name == "simulated" and not hasattr(__import__("mujoco.sysid").sysid, "optimize"):
        pytest.skip("mujoco without its extra sysid")
    found = part(tmp_path, name)
    committed = {task["task"]: task for task in FACTS["peers"]}
    for task in found:
        known = committed[task["task"]]
        assert task["ways"].keys() == known["ways"].keys()
        ours, *others = task["ways"].values()
        assert ours["ratio"] is None
        assert ours["error"] <= task["allowed"], (task["task"], ours["right"])
        assert task["allowed"] == known["allowed"]
        for way in others:
            assert way["ratio"] > 0
        for way in task["ways"].values():
            assert math.isfinite(way["error"]), way["right"]
            assert way["versions"]


def test_the_facts_are_of_a_full_run_of_what_is_there():
    """No trial, all sizes, and comparisons as they are made today."""
    assert FACTS["quick"] == []
    for axis, sizes in growth.SIZES.items():
        assert [row["x"] for row in FACTS["growth"][axis]] == list(map(float, sizes))
    for part in bench.PARTS:
        assert FACTS[f"{part}_of"]["made_by"] == bench.made_by(part)
    for task in FACTS["peers"]:
        ours = next(iter(task["ways"].values()))
        assert ours["error"] <= task["allowed"], (task["task"], ours["right"])
    assert [panel.along for panel in document(FACTS)[1]] == list(growth.SIZES)


QUOTED = re.compile(r"^\| (.+?) \| (.+?) \| ([0-9.]+) × \|$", re.M)


def test_every_ratio_of_the_readme_is_that_of_its_row():
    """A table of the README names task and way; no ratio stands anywhere else."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    shown = {
        (task["task"], name): bench_document.two_digits(way["ratio"])
        for task in FACTS["peers"]
        for name, way in task["ways"].items()
        if way["ratio"] is not None
    }
    quoted = {(task, way): ratio for task, way, ratio in QUOTED.findall(readme)}
    assert len(quoted) >= 8
    assert quoted.items() <= shown.items()
    assert len(re.findall(r"[0-9] ?×", readme)) == len(quoted)


@pytest.mark.parametrize("cost", ["cpu_s", "read_bytes"])
def test_the_cost_model_finds_what_was_put_in(cost):
    rows = [{"x": float(n), cost: 4.0 + 3e-6 * n} for n in (10_000, 100_000, 1_000_000)]
    found = line(rows, cost)
    assert found.once == pytest.approx(4.0)
    assert found.per_sample == pytest.approx(3e-6)
    assert found.error < 1e-9


def test_a_fleet_by_the_model():
    """3e-6 s a sample are 10.8 s an hour: 8,000 hours are 24 h of a processor, runs come on top."""
    samples = [
        {
            "x": n,
            "cpu_s": 4.0 + 3e-6 * n,
            "read_bytes": 1e3 * n,
            "kept_bytes": 500.0 * n,
            "log_bytes": 200.0 * n,
            "factor_bytes": 2e6,
            "peak_mb": 500.0,
        }
        for n in (1e4, 1e5, 1e6)
    ]
    many = [
        {
            "x": n,
            "samples": 2e4,
            "peak_mb": 400.0 + n,
            "factor_bytes": 1e6 * n,
            "one_more_cpu_s": 4 + 0.01 * n,
            "one_more_read_bytes": 2e6 * n,
        }
        for n in (1.0, 200.0)
    ]
    machine = {"cores": 2, "processor": "some"}
    facts = {"samples": samples, "recordings": many}
    text = scaled({"growth": facts, "growth_of": {"machine": machine}, "quick": []})
    assert "| processor time | 4 s | 10.8 s | 0 % |" in text
    assert "| kept in the cache | " in text
    assert "1.8 GB" in text
    refits = 16_000 * 0.01 * 30 * 16 * 2  # of 30 days, sixteen a day; factors of twice the size
    assert f"{(16_000 * 4 + 8_000 * 10.8 + refits) / 3600:,.0f} h" in text
    read_tb = (16_000 * 480 * 2 * 2e6 + 8_000 * 3.6e6 * 1e3) / 1e12
    assert f"| read | {read_tb:.3g} TB |" in text
    assert "600 MB at most" in text
    assert "200 recordings\n1.50 times that of one" in text
    assert "take 2 MB of a recording" in text
    assert "trial run" not in text
