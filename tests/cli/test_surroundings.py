"""What cron, CI and crowded machines do to a command."""

import errno
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import TypeAdapter

from robotid.cli.answer import ANSWERS
from robotid.errors import from_exception
from tests.conftest import SAMPLES, run_process, spawn

ROBOTID = Path(sys.executable).parent / "robotid"


@pytest.fixture
def pipeline(tmp_path):
    """Three recordings through two stages: some seconds of work."""
    lines = (SAMPLES / "run1.csv").read_text().splitlines(keepends=True)
    for number in range(3):
        (tmp_path / f"r{number}.csv").write_text("".join(lines[: 900 - number]))
    path = tmp_path / "pipeline.toml"
    path.write_text(
        '[stages.ingest]\ninputs.logs = "r*.csv"\n[stages.filter]\ninputs.dataset = "@ingest"\n'
    )
    return path


def test_r02_failures_are_one_json_object_too(robotid, pendulum_csv, tmp_path):
    """Whatever fails and wherever: the form is that of the schema, the exit code is the same."""
    log, missing = pendulum_csv(), tmp_path / "none.csv"
    (tmp_path / "text.csv").write_text("t,q.hinge,tau.hinge\n0,x,1\n")
    (tmp_path / "bad.toml").write_text("cutoff_hz = [\n")
    (tmp_path / "run.toml").write_text(f"[stages.ingest]\ninputs.logs = {str(missing)!r}\n")
    for words, code in (
        (["ingest", missing], 66),
        (["ingest", tmp_path / "text.csv"], 65),
        (["ingest", log, "--jobs", "0"], 2),
        (["ingest", log, "--timeout", "-1"], 2),
        (["ingest", log, "--rate-hz", "nan"], 78),
        (["filter", log, "--config", tmp_path / "bad.toml"], 78),
        (["ingest", log, "--out", "/proc/out"], 77),
        (["run", tmp_path / "run.toml"], 66),
        (["run", tmp_path / "bad.toml"], 78),
        (["cache", "explain", "nothing"], 66),
        (["robots", "--nonsense"], 2),
        (["nonsense"], 2),
    ):
        answer = robotid(*words, "--json")
        assert answer.code == code, (words, answer)
        said = json.loads(answer.out, parse_constant=pytest.fail)
        TypeAdapter(ANSWERS).validate_python(said)
        assert (said["status"], said["exit_code"]) == ("error", code)
        assert (said["error"] or said["stages"][0]["error"])["message"]


@pytest.mark.alone
def test_r11_a_run_may_be_stopped_and_go_on(pipeline):
    words = ("run", pipeline, "--until", "ingest", "--verbose", "--json", "--timeout", 60)
    process = spawn(*words, start_new_session=True)
    assert b"started" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGSTOP)
    time.sleep(0.5)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out)["warnings"] == []


def test_r13_files_that_may_not_grow_are_named(robotid, pendulum_csv, cache):
    """Files may have 1 kB here; results that were there before stay, and nothing half-done does."""
    log, other = pendulum_csv(), pendulum_csv("other.csv", 400)
    assert robotid("ingest", log).code == 0

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    answer = run_process("ingest", other, "--json", preexec_fn=limited)
    assert answer.code == 74, answer.err
    assert answer.json["error"]["code"] == "file-too-large"
    assert answer.json["error"]["file"].startswith(str(cache))
    assert "ulimit -f" in answer.json["error"]["hint"]
    assert "Traceback" not in answer.err
    assert list((cache / "tmp").iterdir()) == []
    assert robotid("ingest", log, "--json").json["cached"] is True
    assert robotid("ingest", other, "--json").code == 0


@pytest.mark.parametrize(
    ("files", "left"), [((100, 5), "2.0 MB are left"), ((100, 0), "no more files can be made")]
)
def test_r13_full_disk_names_the_place_and_what_is_left(monkeypatch, tmp_path, files, left):
    """Or that only files, not bytes, are used up; some systems count no files at all."""
    total, free = files
    facts = SimpleNamespace(f_bavail=500, f_frsize=4000, f_files=total, f_favail=free)
    monkeypatch.setattr(os, "statvfs", lambda _: facts)
    error = from_exception(OSError(errno.ENOSPC, "No space left"), "writing", str(tmp_path))
    assert error.exit_code == 74
    assert (error.notice.code, error.notice.file) == ("disk-full", str(tmp_path))
    assert left in error.notice.hint


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("libtorch_cpu.so: failed to map segment from shared object"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't or cannot allocate memory"),
        OSError("Cannot allocate memory"),
    ],
)
def test_r16_lack_of_memory_is_told_however_a_library_says_it(error):
    found = from_exception(error, "fit")
    assert (found.exit_code, found.notice.code) == (75, "out-of-memory")


@pytest.mark.parametrize("gigabytes", [0.5, 1.0, 1.6])
def test_r16_little_address_space_is_no_bug(pipeline, tmp_path, gigabytes):
    """Libraries cannot be loaded, in the worker or here: 75, without what they print about it."""

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 1e9),) * 2)

    answer = run_process("run", pipeline, "--no-cache", "--out", tmp_path / "x", preexec_fn=limited)
    assert answer.code == 75, answer.err
    assert "Traceback" not in answer.err
    assert "IMPORTANT" not in answer.err


def test_r15_no_place_for_temporary_files(pendulum_csv, tmp_path):
    """They are in the cache, or beside the output."""
    env = {**os.environ, "TMPDIR": "/nonexistent"}
    log = pendulum_csv()
    answer = run_process("ingest", log, "--out", tmp_path / "out", env=env)
    assert answer.code == 0, answer.err
    answer = run_process("ingest", log, "--no-cache", "--out", tmp_path / "copy", env=env)
    assert answer.code == 0, answer.err


def test_r17_out_of_time(robotid, pipeline, cache):
    words = ("run", pipeline, "--until", "ingest", "--timeout")
    answer = robotid(*words, "0.001", "--json")
    assert answer.code == 75
    assert answer.json["error"]["code"] == "timeout"
    assert list((cache / "tmp").iterdir()) == []
    assert robotid(*words, "1e300").code == 0
    assert robotid(*words, "0.001").code == 0  # nothing to do


def test_r18_two_jobs_with_the_same_work(pipeline, cache, tmp_path):
    words = ("run", pipeline, "--until", "ingest", "--json", "--out")
    jobs = [spawn(*words, tmp_path / f"out{n}") for n in range(2)]
    answers = [job.communicate(timeout=120) for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0], answers
    from check_store import check

    count, faults = check(cache)
    assert (count, faults) == (4, [])  # three parts and the whole
    first, second = (tmp_path / f"out{n}" / "ingest" / "dataset.json" for n in range(2))
    assert first.read_bytes() == second.read_bytes()


def test_r19_a_lock_around_a_run_is_free_when_it_ends(pendulum_csv, tmp_path):
    """`flock` keeps a job from overlapping itself; no process of robotid holds on to its lock."""
    flock = ["flock", "-n", "-E", "75", str(tmp_path / "lock")]
    job = [*flock, str(ROBOTID), "ingest", str(pendulum_csv()), "--quiet"]
    with (tmp_path / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert subprocess.run(job, capture_output=True).returncode == 75
    assert subprocess.run(job, capture_output=True, timeout=60).returncode == 0
    assert subprocess.run([*flock, "true"]).returncode == 0


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_r23_s14_modes_do_not_depend_on_the_umask(pendulum_csv, cache, mask):
    def masked():
        os.umask(mask)

    assert run_process("ingest", pendulum_csv(), preexec_fn=masked).code == 0
    assert cache.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in cache.iterdir() if path.is_dir()} == {0o700}
    files = list(cache.glob("entries/*/*/*/*"))
    assert {path.stat().st_mode & 0o777 for path in files} == {0o444}


def test_r30_few_file_handles(pendulum_csv):
    def limited(count):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

    answer = run_process("ingest", pendulum_csv(), "--json", preexec_fn=limited(64))
    assert answer.code == 0, answer.err
    answer = run_process("ingest", pendulum_csv("b.csv", 300), "--json", preexec_fn=limited(10))
    assert answer.code == 75, answer.err
    assert answer.json["error"]["code"] == "out-of-resources"
    assert "Traceback" not in answer.err


def test_r31_a_flood_of_findings_is_a_few_lines(robotid, tmp_path):
    rows = [f"{k / 100},{k % 7 if k % 3 else 'nan'},1" for k in range(3000)]
    (tmp_path / "log.csv").write_text("t,q.hinge,tau.hinge\n" + "\n".join(rows) + "\n")
    answer = robotid("ingest", tmp_path / "log.csv")
    assert answer.code in (3, 65)
    assert len(answer.err.splitlines()) < 15
    assert max(map(len, answer.err.splitlines())) < 500


def test_r07_ctrl_c_while_starting_leaves_no_traceback():
    """Before the handlers are there the signal ends the process, as it ends any other program."""
    code = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job hands down "ignore"
class CtrlC:
    def find_spec(self, name, *_):
        if name == "robotid.cli.main":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, CtrlC())
from robotid.__main__ import main
sys.argv = ["robotid", "--help"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
