"""`robotid run`: pipelines as a user runs them."""

import json
from pathlib import Path

import pytest

from robotid.cli.answer import (
    CollectAnswer,
    ExplainAnswer,
    PreviewAnswer,
    RunAnswer,
    StatusAnswer,
    VerifyAnswer,
)
from tests.conftest import PROJECT

ARM = PROJECT / "pipelines" / "arm.toml"
# Those of papers take long; tests/rollouts/test_compare.py and tests/identification run them in small.
PAPERS = ("felan", "lutter", "reuss", "sutanto")
PIPELINES = sorted(
    p for p in (PROJECT / "pipelines").glob("*.toml") if not p.stem.startswith(PAPERS)
)


@pytest.fixture
def pipeline(tmp_path, pendulum_csv):
    """A short pipeline with its own logs."""
    for name in ("a", "b"):
        pendulum_csv(f"{name}.csv", 700 if name == "a" else 650)
    path = tmp_path / "short.toml"
    path.write_text(
        '[stages.ingest]\ninputs.logs = "*.csv"\n'
        '[stages.filter]\ninputs.dataset = "@ingest"\ncutoff_hz = 10.0\n'
        '[stages.last]\nstage = "factors"\ninputs.dataset = "@filter"\ninputs.robot = "pendulum"\n'
    )
    return path


# A campaign of minutes in seconds: fewer and shorter trajectories, a search that hardly begins.
SMALLER = {
    "panda_campaign": (
        "excite.trajectories=2",
        "excite.speeds=[0.4, 0.2]",
        "excite.period_s=4.0",
        "excite.ramp_share=1.0",
        "excite.restarts=1",
        "excite.iterations=3",
        "excite.rate_hz=100.0",
        "simulate.control_hz=250.0",
        'ingest.test=["t2_*"]',
    )
}


@pytest.mark.parametrize("path", PIPELINES, ids=lambda p: p.stem)
def test_every_pipeline_runs_and_then_has_nothing_to_do(robotid, path, tmp_path):
    changes = [word for change in SMALLER.get(path.stem, ()) for word in ("--set", change)]
    first = robotid("run", path, "--json", "--out", tmp_path / "one", *changes)
    assert first.code == 0, first.err
    assert not any(stage["cached"] for stage in first.json["stages"])
    second = robotid("run", path, "--json", "--out", tmp_path / "two", *changes)
    assert all(stage["cached"] for stage in second.json["stages"])
    files = {p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*") if p.is_file()}
    assert len(files) > 5
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_answer_lists_the_stages(robotid, pipeline):
    answer = robotid("run", pipeline, "--json")
    fields = RunAnswer.model_validate_json(answer.out)
    assert [stage.stage for stage in fields.stages] == ["ingest", "filter", "last"]
    assert fields.exit_code == answer.code == 0
    assert all(Path(path).is_dir() for stage in fields.stages for path in stage.outputs.values())


def test_summary_and_paths(robotid, pipeline, tmp_path):
    answer = robotid("run", pipeline, "--out", tmp_path / "out")
    assert answer.out.splitlines() == [
        str(tmp_path / "out" / n) for n in ("ingest", "filter", "last")
    ]
    assert "stage   result    time" in answer.err
    assert robotid("run", pipeline, "--quiet").err == ""


def test_undelivered_stage(robotid, pipeline, tmp_path):
    robotid("run", pipeline, "--set", "filter.deliver=false", "--out", tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["ingest", "last"]


def test_dry_run_says_why(robotid, pipeline, cache):
    before = robotid("run", pipeline, "--dry-run")
    assert before.out.splitlines()[0] == "miss    ingest[a]: no earlier result of ingest"
    robotid("run", pipeline)
    assert {line.split()[0] for line in robotid("run", pipeline, "--dry-run").out.splitlines()} == {
        "hit"
    }
    changed = robotid("run", pipeline, "--dry-run", "--set", "filter.cutoff_hz=9", "--json")
    tasks = {task["task"]: task for task in changed.json["tasks"]}
    assert tasks["filter[a]"]["why"] == "config.cutoff_hz 10.0 -> 9.0"
    assert tasks["last"]["state"] == "unknown"


def test_until_and_only(robotid, pipeline, tmp_path):
    answer = robotid("run", pipeline, "--only", "filter", "--json")
    assert answer.code == 66
    assert answer.json["error"]["code"] == "not-cached"
    answer = robotid("run", pipeline, "--until", "ingest", "--json")
    assert [stage["stage"] for stage in answer.json["stages"]] == ["ingest"]
    answer = robotid("run", pipeline, "--only", "filter", "--json", "--out", tmp_path / "out")
    assert answer.code == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["filter"]
    answer = robotid("run", pipeline, "--until", "nothing")
    assert answer.code == 2


def test_resume_after_a_failure(robotid, pipeline, tmp_path):
    good = (tmp_path / "b.csv").read_text()
    (tmp_path / "b.csv").write_text(good.replace("0.", "O.", 1))
    answer = robotid("run", pipeline, "--until", "ingest", "--json")
    assert answer.code == 3  # a log that cannot be read does not stop the other one
    (left_out,) = answer.json["stages"][0]["warnings"]
    assert left_out["message"].startswith("left out: ")
    assert left_out["line"] == 2
    (tmp_path / "b.csv").write_text(good)
    answer = robotid("run", pipeline)
    assert answer.code == 0
    assert "ingest: computed in" in answer.err
    assert "(2 of 3 tasks)" in answer.err  # the good recording was kept


def test_r20_json_lists_hits(robotid, pipeline):
    robotid("run", pipeline, "--until", "filter")
    answer = robotid("run", pipeline, "--json")
    assert [s["cached"] for s in answer.json["stages"]] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[stages.ingest]\ninputs.logs = 'none.csv'\n", 66),
        ("[stages.ingst]\n", 78),
        ("[stages.filter]\ninputs.dataset = '@filter'\n", 78),
        ("[stages.filter]\ninputs.dataset = '@x'\n", 78),
        ("nonsense", 78),
    ],
)
def test_bad_pipelines(robotid, tmp_path, text, code):
    (tmp_path / "bad.toml").write_text(text)
    answer = robotid("run", tmp_path / "bad.toml", "--json")
    assert answer.code == code == answer.json["exit_code"]
    assert answer.json["error"]["file"]


def test_jobs_do_not_change_the_bytes(robotid, pipeline, tmp_path):
    keys = []
    for jobs in (1, 3):
        answer = robotid(
            "run", pipeline, "--json", "-j", jobs, "--cache-dir", tmp_path / f"c{jobs}"
        )
        contents = [
            json.loads((Path(path) / "manifest.json").read_text())["files"]
            for stage in answer.json["stages"]
            for path in stage["outputs"].values()
        ]
        keys.append(([stage["key"] for stage in answer.json["stages"]], contents))
    assert keys[0] == keys[1]


def test_named_run_is_pinned_and_explained(robotid, pipeline, cache):
    robotid("run", pipeline, "--name", "nightly")
    robotid("run", pipeline, "--set", "filter.cutoff_hz=9")
    answer = robotid("cache", "gc", "--max-size", "0", "--min-age", "0s", "--json")
    assert answer.json["collected"]["removed"] > 0
    rerun = robotid("run", pipeline, "--json")
    assert all(stage["cached"] for stage in rerun.json["stages"])
    answer = robotid("cache", "explain", "nightly")
    assert answer.code == 0
    assert "filter" in answer.out


def test_failed_run_does_not_unpin_the_last_good_one(robotid, pipeline, tmp_path, cache):
    robotid("run", pipeline, "--name", "nightly")
    note = (cache / "runs" / "nightly.json").read_bytes()
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("nonsense")
    assert robotid("run", pipeline, "--name", "nightly").code == 65
    assert (cache / "runs" / "nightly.json").read_bytes() == note


def test_r02_every_answer_has_its_schema(robotid, pipeline):
    robotid("run", pipeline, "--name", "known")
    for model, words in {
        PreviewAnswer: ["run", pipeline, "--dry-run"],
        RunAnswer: ["run", pipeline],
        VerifyAnswer: ["cache", "verify"],
        CollectAnswer: ["cache", "gc", "--max-size", "500MB", "--dry-run"],
        ExplainAnswer: ["cache", "explain", "known"],
        StatusAnswer: ["cache", "status"],
    }.items():
        answer = robotid(*words, "--json")
        model.model_validate_json(answer.out)


def test_explain_names_the_field(robotid, pipeline):
    robotid("run", pipeline)
    run = robotid("run", pipeline, "--set", "filter.cutoff_hz=9", "--json").json["run"]
    assert "config.cutoff_hz: 10.0 -> 9.0" in robotid("cache", "explain", run).out
    answer = robotid("cache", "explain", run, "--json")
    fields = {d["field"] for result in answer.json["results"] for d in result["differences"]}
    assert "config.cutoff_hz" in fields
    assert robotid("cache", "explain", "nonsense").code == 66


def test_cache_commands(robotid, pipeline, cache):
    def entries():
        answer = robotid("cache", "status", "--json")
        return StatusAnswer.model_validate_json(answer.out).holds.entries_of

    assert entries() == {}
    robotid("run", pipeline)
    assert entries() == {
        "factors": 3,
        "filter": 3,
        "ingest": 3,
    }
    assert "total    9" in robotid("cache", "status").out
    assert robotid("cache", "verify").out == "9 sound, 0 damaged\n"
    victim = next(cache.glob("entries/factors/*/*/factors.json"))
    victim.chmod(0o644)
    victim.write_text("{}")
    answer = robotid("cache", "verify", "--json")
    assert (answer.code, answer.json["sound"]) == (3, 8)
    assert len(answer.json["damaged"]) == 1
    assert victim.exists()
    assert robotid("cache", "verify", "--repair").code == 3
    assert not victim.exists()
    assert robotid("cache", "verify").code == 0
    answer = robotid("cache", "gc", "--max-size", "0", "--min-age", "0s", "--dry-run")
    assert answer.out.startswith("would remove 8 entries")
    assert robotid("cache", "gc", "--max-size", "0").out.startswith("removed 0 entries")
    assert robotid("cache", "gc", "--max-size", "0", "--min-age", "0s").code == 0
    assert entries() == {}


def test_damaged_cache_is_mended_on_the_way(robotid, pipeline, cache):
    first = robotid("run", pipeline, "--json").json
    for victim in cache.glob("entries/*/*/*/*.parquet"):
        victim.chmod(0o644)
        victim.write_bytes(victim.read_bytes()[:-100])
    answer = robotid("run", pipeline, "--json")
    assert answer.code == 0
    assert {w["code"] for w in answer.json["warnings"]} == {"cache-damaged"}
    assert [s["key"] for s in answer.json["stages"]] == [s["key"] for s in first["stages"]]
    assert robotid("cache", "verify").code == 0


def test_variations_of_a_sweep_are_told_together(robotid, pipeline, tmp_path):
    text = pipeline.read_text()
    pipeline.write_text(
        text + '[sweep.axes.cutoff]\nkeys = ["filter.cutoff_hz"]\nvalues = [8.0, 10.0, 12.0]\n'
    )
    out = tmp_path / "out"
    first = robotid("run", pipeline, "--out", out)
    assert first.code == 0, first.err
    last = [f"last/cutoff={cutoff}" for cutoff in ("8.0", "10.0", "12.0")]
    assert first.out.splitlines() == [str(out / name) for name in ("ingest", *last)]
    rows = [line.split() for line in first.err.splitlines()]
    assert next(row for row in rows if row[:1] == ["filter"])[1:3] == ["3", "computed"]
    assert sorted(p.name for p in (out / "last").iterdir()) == [
        "cutoff=10.0", "cutoff=12.0", "cutoff=8.0",
    ]  # fmt: skip
    again = robotid("run", pipeline, "--json", "--only", "last")
    assert [stage["cached"] for stage in again.json["stages"]] == [True] * 7
    one = robotid("run", pipeline, "--json", "--until", "filter/cutoff=8.0")
    assert [stage["stage"] for stage in one.json["stages"]] == ["ingest", "filter/cutoff=8.0"]
