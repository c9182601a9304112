"""Stage commands: flags, files, outputs, exit codes, as a user meets them."""

import ctypes
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from robotid.cli.answer import ErrorAnswer, StageAnswer
from tests.conftest import SAMPLES, run_process
from tests.reporting.results import view as made


@pytest.fixture
def dataset(robotid, pendulum_csv, tmp_path):
    answer = robotid("ingest", pendulum_csv(rows=900), "--out", tmp_path / "data")
    assert answer.code == 0
    return tmp_path / "data"


def test_prints_one_line_with_the_path(robotid, pendulum_csv, tmp_path):
    answer = robotid("ingest", pendulum_csv(), "--out", tmp_path / "data")
    assert (answer.code, answer.out) == (0, f"{tmp_path / 'data'}\n")
    assert answer.err.startswith("ingest: computed in ")
    answer = robotid("ingest", pendulum_csv(), "--out", tmp_path / "data")
    assert (answer.code, answer.err) == (0, "ingest: cached\n")


def test_without_out_the_path_is_in_the_cache(robotid, pendulum_csv, cache):
    answer = robotid("ingest", pendulum_csv(), "--quiet")
    path = Path(answer.out.removesuffix("\n"))
    assert path.is_relative_to(cache)
    assert (path / "dataset.json").is_file()
    assert answer.err == ""


def test_chain_of_commands(robotid, pendulum_csv, tmp_path):
    """Each command takes what the one before printed; no pipeline file is needed."""
    path = [pendulum_csv("a.csv", 900), pendulum_csv("b.csv", 700)]
    for command in (
        ["ingest"],
        ["filter", "--cutoff-hz", "10"],
        ["fit", "--robot", "pendulum"],
        ["report"],
    ):
        answer = robotid(*command, *path, "-q")
        assert answer.code in (0, 4), answer.err
        path = [answer.out.strip()]
    assert (Path(path[0]) / "report.html").is_file()


def test_json_answer(robotid, pendulum_csv):
    answer = robotid("ingest", pendulum_csv(), "--json")
    fields = StageAnswer.model_validate_json(answer.out)
    assert fields.status == "ok"
    assert fields.cached is False
    assert len(fields.key) == 64
    assert list(fields.outputs) == ["dataset"]
    assert robotid("--json", "ingest", pendulum_csv()).json["cached"] is True


def test_default_then_file_then_flag(robotid, dataset, tmp_path):
    def key_of(*arguments):
        answer = robotid("filter", dataset, "--json", *arguments)
        assert answer.code == 0, answer.err
        with (Path(answer.json["outputs"]["dataset"]) / "manifest.json").open() as manifest:
            config = json.load(manifest)["record"]["config"]
        return float.fromhex(config["cutoff_hz"][2:]), config["order"]

    (tmp_path / "filter.toml").write_text("cutoff_hz = 8\norder = 2\n")
    assert key_of() == (5.0, 4)
    assert key_of("--config", tmp_path / "filter.toml") == (8.0, 2)
    assert key_of("--config", tmp_path / "filter.toml", "--order", "3") == (8.0, 3)


@pytest.mark.parametrize(
    ("arguments", "text", "code", "says"),
    [
        (["--cutoff-hz", "nan"], None, 78, "nan is not a finite number"),
        (["--cutoff-hz", "inf"], None, 78, "finite"),
        (["--cutoff-hz", "-1"], None, 78, "cutoff_hz: greater than 0, not -1.0"),
        (["--order", "99"], None, 78, "order"),
        (["--cutoff-hz", "200"], None, 78, "half the rate, 100"),
        ([], "cutof_hz = 5\n", 78, "f.toml:1: cutof_hz: unknown key | did you mean 'cutoff_hz'?"),
        ([], "cutoff_hz = '5'\n", 78, "f.toml:1"),
        ([], "cutoff_hz = \n", 78, "f.toml:1:13"),
        ([], "[cutoff_hz]\nx = 1\n", 78, "cutoff_hz"),
    ],
)
def test_bad_configuration_is_exit_78(robotid, dataset, tmp_path, arguments, text, code, says):
    if text is not None:
        (tmp_path / "f.toml").write_text(text)
        arguments = [*arguments, "--config", tmp_path / "f.toml"]
    answer = robotid("filter", dataset, *arguments)
    assert answer.code == code
    assert says in answer.err
    assert answer.out == ""


def test_missing_configuration_file(robotid, dataset):
    answer = robotid("filter", dataset, "--config", "none.toml")
    assert (answer.code, answer.out) == (66, "")


def test_exit_66_missing_input(robotid, tmp_path, pendulum_csv):
    pendulum_csv("run1.csv")
    answer = robotid("ingest", tmp_path / "run2.csv", "--json")
    assert answer.code == 66
    error = ErrorAnswer.model_validate_json(answer.out).error
    assert error.file == str(tmp_path / "run2.csv")
    assert error.hint == "did you mean 'run1.csv'?"


def test_exit_65_bad_data_names_line_and_column(robotid, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("t,q.a,tau.a\n0,0,0\n0.1,ERR,0\n0.2,0,0\n")
    answer = robotid("ingest", path, "--json")
    assert answer.code == 65
    error = answer.json["error"]
    assert (error["file"], error["line"], error["column"]) == (str(path), 3, 2)
    assert answer.err.splitlines()[-1].startswith(f"error[not-a-number] {path}:3:2 (a): 'ERR'")


def test_exit_3_lost_data_is_replayed_on_a_hit(robotid, tmp_path, pendulum_csv):
    path = pendulum_csv()
    path.write_text(path.read_text()[:-3])
    for cached in (False, True):
        answer = robotid("ingest", path, "--json")
        assert answer.code == 3
        assert answer.json["cached"] is cached
        assert answer.json["exit_code"] == 3
        assert [w["code"] for w in answer.json["warnings"]] == ["cut-last-line"]
        assert "warning[cut-last-line]" in answer.err


def test_exit_4_quality(robotid, tmp_path):
    """Torques that have nothing to do with the motion: the mean predicts others as well."""
    lines = (SAMPLES / "run1.csv").read_text().splitlines()
    noise = np.random.default_rng(0).normal(size=(2, len(lines)))
    for name, own in zip("ab", noise, strict=True):
        rows = [
            f"{line.rpartition(',')[0]},{x:.4f}" for line, x in zip(lines[1:], own, strict=False)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join([lines[0], *rows, ""]))
    data = robotid("ingest", tmp_path / "a.csv", tmp_path / "b.csv", "-q").out.strip()
    filtered = robotid("filter", data, "-q").out.strip()
    answer = robotid("fit", filtered, "--robot", "pendulum", "--json")
    assert answer.code == 4
    assert {w["code"] for w in answer.json["warnings"]} >= {"baseline-not-beaten"}
    assert answer.json["status"] == "ok"


def test_exit_74_no_space(robotid, tmp_path, pendulum_csv, monkeypatch):
    from robotid.store import delivery

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(delivery, "write_synced", full)
    answer = robotid("ingest", pendulum_csv(), "--out", tmp_path / "out", "--json")
    assert answer.code == 74
    assert answer.json["error"]["code"] == "disk-full"
    assert not (tmp_path / "out").exists()


def test_exit_77_unwritable_output_is_told_before_the_work(robotid, pendulum_csv, cache):
    answer = robotid("ingest", pendulum_csv(), "--out", "/proc/robotid/out")
    assert answer.code == 77
    assert not list(cache.glob("entries/*"))


def _without_power_over_files():
    """In a child process: root may read and write only what its mode says."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def test_b03_exit_77_unreadable_input(pendulum_csv):
    log = pendulum_csv()
    log.chmod(0)
    answer = run_process("ingest", log, "--json", preexec_fn=_without_power_over_files)
    assert answer.code == 77
    assert answer.json["error"]["hint"] == f"owner {os.geteuid()}, mode 0000"


def test_read_only_cache_and_output(pendulum_csv, tmp_path, cache):
    log = pendulum_csv()
    assert run_process("ingest", log).code == 0
    cache.chmod(0o500)
    (tmp_path / "out").mkdir(mode=0o500)
    as_user = {"preexec_fn": _without_power_over_files}
    hit = run_process("ingest", log, "--json", **as_user)
    assert hit.code == 0, hit.err
    assert hit.json["cached"] is True
    assert [w["code"] for w in hit.json["warnings"]] == ["cache-not-used"]
    other = pendulum_csv("other.csv", 400)
    assert run_process("ingest", other, **as_user).code == 2
    done = run_process("ingest", other, "--out", tmp_path / "copy", **as_user)
    assert (done.code, done.out) == (0, f"{tmp_path / 'copy'}\n")
    assert run_process("ingest", log, "--out", tmp_path / "out" / "x", **as_user).code == 77
    cache.chmod(0o700)


def test_output_with_other_content(robotid, pendulum_csv, tmp_path):
    out = tmp_path / "data"
    assert robotid("ingest", pendulum_csv("a.csv", 300), "-o", out).code == 0
    before = (out / "dataset.json").read_text()
    answer = robotid("ingest", pendulum_csv("b.csv", 400), "-o", out)
    assert answer.code == 2
    assert "--force" in answer.err
    assert (out / "dataset.json").read_text() == before
    assert robotid("ingest", pendulum_csv("b.csv", 400), "-o", out, "--force").code == 0
    assert (out / "dataset.json").read_text() != before


def test_no_cache(robotid, pendulum_csv, tmp_path, cache):
    answer = robotid("ingest", pendulum_csv(), "--no-cache")
    assert answer.code == 2
    assert "--out" in answer.err
    answer = robotid("ingest", pendulum_csv(), "--no-cache", "--out", tmp_path / "data")
    assert answer.code == 0
    assert (tmp_path / "data" / "dataset.json").is_file()
    assert not cache.exists()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_recompute(robotid, pendulum_csv):
    robotid("ingest", pendulum_csv())
    answer = robotid("ingest", pendulum_csv(), "--recompute", "--json")
    assert answer.json["cached"] is False
    assert answer.json["warnings"] == []


def test_r14_unusable_cache_is_a_warning(robotid, pendulum_csv, tmp_path):
    cache = tmp_path / "open"
    cache.mkdir()
    cache.chmod(0o777)
    arguments = ["ingest", pendulum_csv(), "--cache-dir", cache, "--out", tmp_path / "data"]
    answer = robotid(*arguments)
    assert answer.code == 0
    assert "warning[cache-not-used]" in answer.err
    assert list(cache.iterdir()) == []
    answer = robotid(*arguments, "--shared-cache")
    assert answer.err.startswith("ingest: computed")
    assert "warning" not in answer.err
    assert (cache / "entries").is_dir()


def test_c25_cache_that_is_a_file(robotid, pendulum_csv, tmp_path):
    (tmp_path / "cache").write_text("")
    assert robotid("ingest", pendulum_csv(), "--cache-dir", tmp_path / "cache").code == 77


def test_bad_jobs(robotid, pendulum_csv):
    assert robotid("ingest", pendulum_csv(), "--jobs", "0").code == 2


def test_file_names_that_look_like_something_else(robotid, pendulum_csv, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (
        "@run.csv",
        "-run.csv",
        "[a-z]*.csv",
        "run\n\x1b[31m.csv",
        os.fsdecode(b"\xff.csv"),
    ):
        pendulum_csv(name, 300)
        answer = robotid("ingest", "--json", "--", name)
        assert answer.code == 0, answer.err
        assert "\x1b" not in answer.err
    assert robotid("ingest", "-q", "--", os.fsdecode(b"\xff.csv")).code == 0


def test_r29_working_directory_that_is_gone(pendulum_csv, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    log = pendulum_csv()
    answer = run_process("ingest", log, "--json", preexec_fn=lambda: (os.chdir(gone), gone.rmdir()))
    assert answer.code == 0, answer.err


def test_bug_shows_a_traceback_only_on_request(robotid, pendulum_csv, monkeypatch):
    from robotid.cli import session

    def broken(*_, **__):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(session, "run_graph", broken)
    answer = robotid("ingest", pendulum_csv())
    assert answer.code == 1
    assert "ZeroDivisionError: oops" in answer.err
    assert "Traceback" not in answer.err
    assert "Traceback" in robotid("ingest", pendulum_csv(), "--debug").err


def test_edited_dataset_is_refused_with_a_way_out(robotid, dataset):
    index = dataset / "dataset.json"
    index.write_text(index.read_text().replace("hinge", "elbow", 1))
    answer = robotid("filter", dataset)
    assert answer.code == 65
    assert "delete manifest.json" in answer.err


def test_s24_python_file_in_the_log_folder_is_not_imported(pendulum_csv, tmp_path):
    for name in ("random.py", "numpy.py", "polars.py", "robotid.py"):
        (tmp_path / name).write_text("import os; os.mkdir('hijacked')")
    answer = run_process("ingest", pendulum_csv(), cwd=tmp_path)
    assert answer.code == 0, answer.err
    assert not (tmp_path / "hijacked").exists()


def test_sample_logs_are_enough_for_a_fit(robotid, tmp_path):
    shutil.copytree(SAMPLES, tmp_path / "logs")
    logs = sorted((tmp_path / "logs").glob("*.csv"))
    data = robotid("ingest", *logs, "--test", "run2", "-q").out.strip()
    splits = json.loads((Path(data) / "dataset.json").read_text())["splits"]
    assert splits == {"run1": "train", "run2": "test", "run3": "train"}


def test_finding_names_the_file_where_it_is_now(robotid, pendulum_csv, tmp_path):
    """A replayed warning names the log's present path; the stored one names none."""
    path = pendulum_csv()
    path.write_text(path.read_text()[:-3])
    first = robotid("ingest", path, "--json")
    assert first.json["warnings"][0]["file"] == str(path)
    moved = path.rename(tmp_path / "moved.csv")
    again = robotid("ingest", moved, "--json", "--out", tmp_path / "out")
    assert again.code == 3
    assert again.json["warnings"][0]["file"] == str(moved)
    for file in (tmp_path / "out").iterdir():
        assert str(tmp_path).encode() not in file.read_bytes()


def test_error_about_a_stored_input_names_the_recording(robotid, pendulum_csv):
    data = robotid("ingest", pendulum_csv("a.csv", 900), pendulum_csv("short.csv", 100), "-q").out
    answer = robotid("filter", data.strip(), "--json")
    assert answer.code == 65
    assert answer.json["error"]["message"].startswith("filter[short]: no stretch")


def test_filtering_twice_is_refused(robotid, dataset):
    filtered = robotid("filter", dataset, "-q").out.strip()
    answer = robotid("filter", filtered, "--json")
    assert answer.code == 65
    assert answer.json["error"]["code"] == "already-filtered"


def test_time_in_nanoseconds_is_told_from_seconds(robotid, tmp_path):
    rows = "".join(f"{n * 5_000_000},0,0\n" for n in range(1_000_000, 1_001_000))
    (tmp_path / "ns.csv").write_text("t,q.a,tau.a\n" + rows)
    answer = robotid("ingest", tmp_path / "ns.csv", "--json")
    assert answer.code == 65
    assert answer.json["error"]["code"] == "odd-rate"
    assert "in ns?" in answer.json["error"]["hint"]


def test_recording_too_short_to_be_cut(robotid, tmp_path, pendulum_csv):
    data = robotid("ingest", pendulum_csv(rows=330), "-q").out.strip()
    filtered = robotid("filter", data, "--cutoff-hz", "10", "-q").out.strip()
    answer = robotid("fit", filtered, "--robot", "pendulum", "--json")
    assert answer.code in (0, 4)
    assert "nothing-held-out" in {w["code"] for w in answer.json["warnings"]}


def test_fits_of_one_name_are_told_apart(robotid, tmp_path):
    """Folders keep what looks like a suffix in their names."""
    for cutoff in ("10.0", "10.5"):
        made(tmp_path / f"fit_{cutoff}")
    answer = robotid("report", tmp_path / "fit_10.0", tmp_path / "fit_10.5", "--json")
    assert answer.code == 0, answer.err
    report = json.loads((Path(answer.json["outputs"]["report"]) / "report.json").read_text())
    assert list(report["fits"]) == ["fit_10.0", "fit_10.5"]


def test_bad_flag_is_not_blamed_on_the_file(robotid, dataset, tmp_path):
    (tmp_path / "f.toml").write_text("order = 4\n")
    answer = robotid("filter", dataset, "--config", tmp_path / "f.toml", "--cutoff-hz", "-1")
    assert answer.code == 78
    assert "f.toml" not in answer.err


def test_file_gone_from_a_dataset(robotid, dataset):
    next(dataset.glob("*.parquet")).unlink()
    answer = robotid("filter", dataset, "--json")
    assert answer.code == 65
    assert answer.json["error"]["code"] == "input-damaged"
    assert answer.json["error"]["file"].endswith(".parquet")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_shared_cache_serves_a_second_user(robotid, pendulum_csv):
    """Made with the strictest umask by one user; a hit, an own run and a gc by another."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        log, shared = pendulum_csv(folder=folder), folder / "shared"
        command = ["ingest", str(log), "--json", "--shared-cache", "--cache-dir", str(shared)]
        old = os.umask(0o077)
        assert robotid(*command).json["cached"] is False
        os.umask(old)
        log.chmod(0o644)
        collect = ["cache", "gc", "--max-size", "0", "--min-age", "0s", "--json", *command[3:]]
        robotid(*collect, "--dry-run")
        (folder / "answers").touch(mode=0o666)
        (folder / "answers").chmod(0o666)
        pid = os.fork()
        if pid == 0:  # all modules are loaded; nothing of root's is read any more
            os.setgroups([0])
            os.setegid(0)
            os.seteuid(4321)
            sys.stdout = (folder / "answers").open("w")
            from robotid.cli.main import main

            main(command)
            main(collect)
            os._exit(0)
        os.waitpid(pid, 0)
        hit, gc = [json.loads(line) for line in (folder / "answers").read_text().splitlines()]
        assert (hit["cached"], hit["exit_code"], hit["warnings"]) == (True, 0, [])
        assert gc["collected"]["removed"] == 2


@pytest.mark.parametrize("value", ['"fast"', "true", "[1.0]"])
def test_cutoff_that_is_no_number(robotid, dataset, tmp_path, value):
    (tmp_path / "f.toml").write_text(f"cutoff_hz = {value}\n")
    answer = robotid("filter", dataset, "--config", tmp_path / "f.toml")
    assert answer.code == 78
    assert "f.toml:1: cutoff_hz: a number or 'auto'" in answer.err


def test_filter_takes_a_number_or_auto(robotid, dataset):
    answer = robotid("filter", dataset, "--cutoff-hz", "auto", "--json")
    assert answer.code == 0, answer.err
    assert "cutoff-chosen" in [warning["code"] for warning in answer.json["warnings"]]
    index = json.loads((Path(answer.json["outputs"]["dataset"]) / "dataset.json").read_text())
    (facts,) = [recording["filter"] for recording in index["recordings"].values()]
    assert facts["cutoff_hz"] in [
        pytest.approx(c, rel=1e-3) for c in facts["choice"]["candidates_hz"]
    ]
    assert set(facts["spectra"]["after"]) >= {"q.hinge", "qd.hinge", "qdd.hinge", "tau.hinge"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--window", "4"], "window must be odd"),
        (["--decimate", "2", "--rate-hz", "50"], "give one of them"),
        (["--period-s", "2"], "period_s is for average_periods"),
        (["--signal-cutoff", "tau"], "is not SIGNAL=HZ"),
        (["--decimate", "40"], "at most, or lower the cut-off"),
    ],
)
def test_filter_options_that_do_not_go_together(robotid, dataset, arguments, says):
    answer = robotid("filter", dataset, *arguments)
    assert answer.code == 78
    assert says in answer.err


def test_times_by_column_and_by_rate(robotid, pendulum_csv):
    answer = robotid("ingest", pendulum_csv(), "--rate-hz", "100", "--time-column", "t", "--json")
    assert answer.code == 78
    assert "--time-column or --rate-hz" in answer.json["error"]["message"]


def test_changes_of_a_robot_that_is_not_given(robotid, pendulum_csv):
    answer = robotid("ingest", pendulum_csv(), "--lock", "hinge=0", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (78, "no-robot")


@pytest.mark.parametrize("spelled", ["dataset", "other/../dataset", "link/dataset"])
def test_output_never_replaces_what_it_is_made_from(robotid, dataset, tmp_path, spelled):
    """With --force, too: the input would be gone, and another run would work on its result."""
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    target = tmp_path / spelled.replace("dataset", dataset.name)
    before = {path.name: path.read_bytes() for path in dataset.iterdir()}
    answer = robotid("filter", dataset, "--cutoff-hz", "5", "--out", target, "--force")
    assert (answer.code, answer.out) == (2, "")
    assert "error[output-is-input]" in answer.err
    assert {path.name: path.read_bytes() for path in dataset.iterdir()} == before
