"""The pipelines on learning speed, in small: short motions, one seed, two epochs."""

import json
import tomllib
from pathlib import Path

import pytest

from robotid.contracts.any_fit import read_any_fit
from robotid.contracts.table import read_table

SHORT = (
    "simulate.duration_s=20.0",
    "simulate.rate_hz=50.0",
    "sweep.axes.seed.values=[3]",
)
FEW = ("fit.epochs=2", "fit.patience=2", "fit.batch=64")
OF_DELAN = tuple(f"sweep.axes.model.choices.delan.fit.{key}=2" for key in ("epochs", "patience"))
MOVED = (
    "sines.durations_s=[0.5]",
    "reaching.durations_s=[0.5]",
    "reaching.motions=1",
    "sines.warm_up=5",
    "reaching.warm_up=5",
)


def choices(name: str) -> list[str]:
    """The models of a pipeline file."""
    text = Path(f"pipelines/{name}.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["sweep"]["axes"]["model"]["choices"])


def run(robotid, name, out, *settings):
    words = [word for setting in (*SHORT, *settings) for word in ("--set", setting)]
    answer = robotid("run", f"pipelines/{name}.toml", *words, "--out", out)
    assert answer.code in (0, 4), answer.err  # two epochs make no good model
    again = robotid("run", f"pipelines/{name}.toml", *words, "--json")
    assert all(stage["cached"] for stage in json.loads(again.out)["stages"])
    assert (out / "report" / "seed=3" / "report.html").exists()
    return {path.name: read_any_fit(path / "seed=3") for path in (out / "fit").iterdir()}


@pytest.mark.parametrize("name", ["sutanto_table1", "sutanto_table2"])
def test_epochs_are_counted(robotid, tmp_path, name):
    own = OF_DELAN if name == "sutanto_table1" else ()
    found = run(robotid, name, tmp_path / "out", *FEW, *own, *MOVED)
    assert set(found) == {f"model={model}" for model in choices(name)}
    for fit in found.values():
        assert fit.options["target"] == (0.1 if name == "sutanto_table1" else None)
        assert (fit.status.reached is None) == (name == "sutanto_table2")
        assert 1 <= fit.status.iterations <= 2
    assert (name == "sutanto_table1") == ("model=nostr" in found)
    epochs, control = (read_table(tmp_path / "out" / stage) for stage in ("table", "control"))
    others = {row.name for row in control.rows} - {row.name for row in epochs.rows}
    assert others == {"truth"} | ({"robot file"} if name == "sutanto_table2" else set())
    assert len(epochs.rows) == len(found)
    for row, fit in zip(epochs.rows, (found[f"model={m}"] for m in choices(name)), strict=True):
        # What has not come to the target has no number of epochs.
        assert (row.cells["epochs"] is None) == (fit.status.reached is False)
    assert {row.name: row for row in control.rows}["truth"].cells["sines, velocity"] is not None


def test_errors_are_recorded_while_models_learn(robotid, tmp_path):
    found = run(robotid, "sutanto_online", tmp_path / "out", "fit.batch=64")
    for fit in found.values():
        assert fit.online[0].seen == 0
        assert fit.online[-1].seen == fit.samples["train"]
    rows = read_table(tmp_path / "out" / "table").rows
    assert all(row.cells["while learning"] is not None for row in rows)
    links = found["model=cov"].online
    assert links[-1].nmse_var.mean < links[0].nmse_var.mean


def test_epochs_by_the_size_of_steps(robotid, tmp_path):
    """All rows are there; steps in between, and all else, are those of the first table."""
    out = tmp_path / "out"
    settings = (*SHORT, "fit.epochs=1", "fit.patience=1", "fit.target=1e9")
    words = [word for setting in settings for word in ("--set", setting)]
    answer = robotid("run", "pipelines/sutanto_steps.toml", *words, "--out", out)
    assert answer.code in (0, 4), answer.err
    rows = read_table(out / "table").rows
    assert len(rows) == 12
    epochs = [row.cells["epochs"] and row.cells["epochs"].mean for row in rows]
    assert epochs == 12 * [0]  # all are there before the first
    assert all(row.results == 1 for row in rows)
    first, steps = (
        tomllib.loads(Path(f"pipelines/{name}.toml").read_text(encoding="utf-8"))
        for name in ("sutanto_table1", "sutanto_steps")
    )
    for stage in ("simulate", "ingest", "filter"):
        assert first["stages"][stage] == steps["stages"][stage]
    between = steps["sweep"]["axes"]["steps"]["choices"]["between"]["fit"]
    for model in steps["sweep"]["axes"]["model"]["values"]:
        own = first["stages"]["fit"] | first["sweep"]["axes"]["model"]["choices"][model]["fit"]
        same = {**steps["stages"]["fit"], **between, "inertia": model}
        del same["deliver"]
        assert own == same
