"""The pipelines of papers, in small: every stage runs, tables hold every row, claims are judged."""

import json
import tomllib

import pytest

from tests.conftest import PROJECT, run_process

PIPELINES = PROJECT / "pipelines"
FEW = {
    "simulate.duration_s": 4.0,
    "simulate.recordings": 10,
    "ingest.val": ["run07", "run08"],
    "ingest.test": ["run09", "run10"],
}
SHORT = {"track.durations_s": [0.5], "track.motions": 1, "track.warm_up": 10}
FLOATING = {
    f"{robot}_{stage}.{key}": value
    for robot in ("quadruped", "humanoid")
    for stage, key, value in (
        ("logs", "recordings", 3),
        ("logs", "duration_s", 4.0),
        ("raw", "val", ["run2"]),
        ("raw", "test", ["run3"]),
        ("parts", "samples", 20),
    )
} | {"quadruped.epochs": 1, "humanoid.epochs": 1}
SMALL = {
    "reuss_table1": ("DiffBary", FEW),
    "reuss_table2": ("hybrid LSTM E2E", FEW | {"faster_logs.duration_s": 4.0}),
    "reuss_table3": ("hybrid LSTM 2S", FEW | SHORT),
    "reuss_fig2": ("DeLaN joint", FEW),
    "felan_table2": ("FeLaN", FLOATING),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One for all: they share the simulation, and some of them fits."""
    return tmp_path_factory.mktemp("cache")


def words_of(name, keys):
    """Flags that make a pipeline small: one epoch, one seed, short recordings."""
    file = tomllib.loads((PIPELINES / f"{name}.toml").read_text(encoding="utf-8"))
    stages = file["stages"]
    short = {
        f"{stage}.epochs": 1
        for stage, table in stages.items()
        if table.get("model") in ("mlp", "lstm", "delan", "hybrid")
    }
    seeds = {"sweep.axes.seed.values": [0]}
    return [
        w for k, v in {**short, **seeds, **keys}.items() for w in ("--set", f"{k}={json.dumps(v)}")
    ]


@pytest.mark.parametrize("name", SMALL)
def test_in_small(name, cache, tmp_path):
    row, keys = SMALL[name]
    answer = run_process(
        "--cache-dir", cache, "run", PIPELINES / f"{name}.toml",
        *words_of(name, keys), "--out", tmp_path / "out", timeout=600,
    )  # fmt: skip
    assert answer.code in (0, 4), answer.err  # fits of one epoch are not to be used
    table = json.loads((tmp_path / "out" / "table" / "table.json").read_text(encoding="utf-8"))
    wanted = tomllib.loads((PIPELINES / f"{name}.toml").read_text(encoding="utf-8"))
    assert [one["name"] for one in table["rows"]] == list(wanted["stages"]["table"]["rows"])
    assert row in {one["name"] for one in table["rows"]}
    assert len(table["claims"]) == len(wanted["stages"]["table"]["claims"])
    assert all(any(one["cells"].values()) or "track" in wanted["stages"] for one in table["rows"])
