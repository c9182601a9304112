"""Pipes, terminals and signals."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from robotid.cli import display
from robotid.runner.result import Reached
from tests.conftest import SAMPLES, run_process, spawn

pytestmark = pytest.mark.alone  # how soon a command stops is measured
ROBOTID = Path(sys.executable).parent / "robotid"


@pytest.fixture
def long_pipeline(tmp_path):
    """A pipeline of many recordings, long enough to be interrupted."""
    lines = (SAMPLES / "run1.csv").read_text().splitlines(keepends=True)
    for number in range(60):
        (tmp_path / f"r{number:02}.csv").write_text("".join(lines[: 2000 - number]))
    path = tmp_path / "long.toml"
    path.write_text(
        '[stages.ingest]\ninputs.logs = "r*.csv"\n[stages.filter]\ninputs.dataset = "@ingest"\n'
    )
    return path


def shell(command, **env):
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        timeout=60,
    )


def test_r04_reader_that_goes_away(pendulum_csv):
    log = pendulum_csv()
    for command in ("--help", f"ingest {log}", f"ingest {log} --json", "cache status"):
        done = shell(f"{ROBOTID} {command} | true; echo ${{PIPESTATUS[0]}}")
        assert done.stdout.strip() in ("0", "141"), (command, done)
        assert "Traceback" not in done.stderr
        assert "Broken pipe" not in done.stderr


def test_r05_full_standard_output(pendulum_csv):
    for command in (
        "--help",
        f"ingest {pendulum_csv()}",
        "cache status --json",
        "--json --version",
    ):
        done = shell(f"{ROBOTID} {command} > /dev/full")
        assert done.returncode == 74, (command, done)
        assert "Traceback" not in done.stderr
        assert "error[disk-full]" in done.stderr


def test_r06_closed_standard_output(pendulum_csv):
    for command in (f"ingest {pendulum_csv()}", "--help", "cache status"):
        done = shell(f"{ROBOTID} {command} >&-")
        assert done.returncode == 74, (command, done)


def test_closed_standard_input_and_error(pendulum_csv):
    done = shell(f"{ROBOTID} ingest {pendulum_csv()} 2>&- <&-")
    assert done.returncode == 0
    assert Path(done.stdout.strip()).is_dir()


def test_r01_stdout_is_data_only(pendulum_csv):
    answer = run_process("ingest", pendulum_csv(), "--json", "--verbose", "--debug")
    assert json.loads(answer.out)["status"] == "ok"
    assert answer.out.count("\n") == 1
    assert "started, key" in answer.err


@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-1", "tr_TR.UTF-8", ""])
def test_r21_locale_does_not_matter(pendulum_csv, tmp_path, locale):
    log = pendulum_csv("ä.csv")
    out = tmp_path / "ö"
    env = {**os.environ, "LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    answer = run_process("ingest", log, "--out", out, env=env)
    assert answer.code == 0, answer.err
    assert answer.out == f"{out}\n"


def on_terminal(*arguments, **env) -> tuple[int, str]:
    """Run robotid with a terminal as standard error; exit code and what the terminal got."""
    master, slave = pty.openpty()
    process = spawn(*arguments, stderr=slave, env={**os.environ, "TERM": "xterm", **env})
    os.close(slave)
    seen = b""
    while True:
        try:
            data = os.read(master, 4096)
        except OSError:
            break
        if not data:
            break
        seen += data
    os.close(master)
    process.communicate()
    return process.returncode, seen.decode()


COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CURSOR = re.compile(r"\x1b\[[0-9;?]*[A-HJKfhl]")


def test_r03_terminal_gets_bars_and_files_get_lines(pendulum_csv, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    code, seen = on_terminal("ingest", pendulum_csv("a.csv"))
    assert code == 0
    assert CURSOR.search(seen)
    assert "ingest: computed in" in seen
    code, seen = on_terminal("ingest", pendulum_csv("b.csv", 400), NO_COLOR="1")
    assert not [c for c in COLOUR.findall(seen) if re.search(r"[3-4][0-7]", c)]
    for quiet in ({"TERM": "dumb"}, {"CI": "true"}):
        code, seen = on_terminal("ingest", pendulum_csv(f"c{len(quiet)}.csv", 300), **quiet)
        assert "\x1b" not in seen
    answer = run_process("ingest", pendulum_csv("d.csv", 350))
    assert "\x1b" not in answer.err


def test_how_far_a_run_is(monkeypatch, tmp_path, pendulum_csv):
    """A bar for the whole on a terminal; elsewhere a line once a minute."""
    monkeypatch.delenv("CI", raising=False)
    path = tmp_path / "two.toml"
    pendulum_csv("a.csv")
    path.write_text(
        "[stages.ingest]\ninputs.logs='a.csv'\n[stages.filter]\ninputs.dataset='@ingest'\ncutoff_hz=10.0\n"
    )
    code, seen = on_terminal("run", path)
    assert code == 0
    assert re.search(r"\d of 2 stages, \d of \d tasks", seen)
    told = []
    console = SimpleNamespace(tell=told.append)
    lines, now = display.Lines(console, 7), [0.0]
    monkeypatch.setattr(display.time, "monotonic", lambda: lines._told + now[0])
    for seconds in (10.0, 59.0, 61.0, 5.0):
        now[0] = seconds
        lines.reached(Reached(stages=3, tasks=40, known=90, share=0.5))
    assert told == ["3 of 7 stages, 40 of 90 tasks"]


def test_a_training_shows_its_losses_a_bar_and_the_time_left(monkeypatch, tmp_path):
    """Also where there is little room for it."""
    monkeypatch.delenv("CI", raising=False)
    samples = Path(__file__).parents[2] / "sample_logs" / "pendulum"
    (data,) = (tmp_path / "data",)
    assert (
        run_process("ingest", samples / "run1.csv", "--robot", "pendulum", "--out", data).code == 0
    )
    words = ("fit", data, "--robot", "pendulum")
    assert run_process("filter", data, "--cutoff-hz", "10", "--out", tmp_path / "cut").code == 0
    words = ("fit", tmp_path / "cut", "--robot", "pendulum", "--model", "mlp", "--batch", "8", "--epochs", "40",
             "--patience", "40")  # fmt: skip
    code, seen = on_terminal(*words, COLUMNS="100")
    assert code in (0, 4), seen
    lines = CURSOR.sub("\n", COLOUR.sub("", seen)).replace("\r", "\n").splitlines()
    shown = [line for line in lines if re.search(r"epoch \d+, training \S+, validation", line)]
    assert shown, seen
    assert any(re.search(r"━.* 0:00:\d\d left: \d+:\d\d:\d\d", line) for line in shown)


HOSTILE = ["a[/]b", "[red]x", "\x1b[31mred", "\x07bell", "\u202eright", "\x9b31m", "new\rline"]


@pytest.mark.parametrize("name", HOSTILE)
def test_s20_s22_names_from_data_cannot_steer_the_terminal(tmp_path, name, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    header = f"t,q.{name},speed.{name}\n"
    (tmp_path / f"{name.replace('/', '')}.csv").write_bytes((header + "0,1,2\n").encode())
    log = next(tmp_path.glob("*.csv"))
    code, seen = on_terminal("ingest", log)
    assert code == 65
    text = CURSOR.sub("", COLOUR.sub("", seen))
    for hidden in ("\x1b", "\x07", "\u202e", "\x9b"):
        assert hidden not in text
    assert "\x1b[31mred" not in seen
    assert "error[" in seen
    answer = run_process("ingest", log, "--json")
    assert json.loads(answer.out)["exit_code"] == 65


def _hears():
    """Tests may run where signals are ignored, such as behind `nohup`."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("delay", [0.05, 0.4, 1.5])
def test_c45_r07_r08_r09_signals_stop_at_once_and_leave_nothing(
    long_pipeline, cache, number, code, delay, tmp_path
):
    words = ("run", long_pipeline, "--verbose", "--json", "--out", tmp_path / "out")
    process = spawn(*words, preexec_fn=_hears)
    first = process.stderr.readline()  # the first task has begun
    assert b"started" in first
    time.sleep(delay)
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - began < 2.0
    assert process.returncode == code, err
    answer = json.loads(out)
    assert answer["exit_code"] == code
    assert answer["error"]["code"] == "interrupted"
    assert b"Traceback" not in err
    assert list((cache / "tmp").iterdir()) == []
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []
    from check_store import check

    assert check(cache)[1] == []
    assert not _workers_of(process.pid)


def _workers_of(pid: int) -> list[str]:
    listing = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True).stdout
    return [line for line in listing.splitlines() if line.split()[1:2] == [str(pid)]]


def test_r10_killed_run_leaves_no_workers_and_resumes(long_pipeline, cache):
    process = spawn("run", long_pipeline, "--verbose")
    seen = b""
    while seen.count(b"ended") < 5:
        seen += process.stderr.readline()
    children = [int(line.split()[0]) for line in _workers_of(process.pid)]
    assert children
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)
    answer = run_process("run", long_pipeline, "--json", "--verbose")
    assert answer.code == 0
    assert answer.err.count(": started") < 122  # 2 x (60 parts and a gather), less what was kept
    from check_store import check

    assert check(cache)[1] == []


def _wait_until_handled(pid: int, number: int) -> None:
    """Until the process has a handler for the signal; before that it ends as by default."""
    deadline = time.monotonic() + 20
    while True:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        caught = next(int(line.split()[1], 16) for line in lines if line.startswith("SigCgt"))
        if caught >> (number - 1) & 1:
            return
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_r12_ignored_interrupt_stays_ignored(pendulum_csv):
    """A background job of a shell has SIGINT ignored; TERM still stops it."""
    process = spawn(
        "ingest", pendulum_csv(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    )
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 0
    process = spawn(
        "ingest",
        pendulum_csv(rows=500),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    _wait_until_handled(process.pid, signal.SIGTERM)
    process.terminate()
    _, err = process.communicate(timeout=20)
    assert process.returncode == 143, err


def test_second_signal_ends_at_once():
    """While the first is still being answered."""
    code = (
        "import os, signal, time\n"
        "from robotid.cli.signals import as_exceptions, InterruptedBySignal\n"
        "with as_exceptions():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        time.sleep(30)\n"
        "    except InterruptedBySignal:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(30)\n"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code])
    assert done.returncode == 130
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "swallow",
    [
        "except BaseException as error:\n            raise ValueError('as a library would') from error",
        "except BaseException:\n            pass",
    ],
)
def test_r12_a_signal_counts_whatever_a_library_makes_of_it(swallow):
    """A compiled library turned the exception into its own, or dropped it."""
    code = (
        "import os, signal, time\n"
        "from robotid.cli.signals import as_exceptions, InterruptedBySignal\n"
        "try:\n"
        "    with as_exceptions():\n"
        "        try:\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "            time.sleep(30)\n"
        f"        {swallow}\n"
        "except InterruptedBySignal as stop:\n"
        "    os._exit(stop.number)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == signal.SIGTERM


def test_r12_a_signal_dropped_where_nothing_can_be_raised_is_raised_again():
    code = (
        "import os, signal, time\n"
        "from robotid.cli.signals import as_exceptions, InterruptedBySignal\n"
        "class Dropped:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        time.sleep(30)\n"
        "try:\n"
        "    with as_exceptions():\n"
        "        Dropped()\n"
        "        time.sleep(30)\n"
        "except InterruptedBySignal as stop:\n"
        "    os._exit(stop.number)\n"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode == signal.SIGTERM
    assert done.stderr == b""
    assert time.monotonic() - began < 10


def test_verbose_shows_tasks_on_a_terminal_too(pendulum_csv, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    _, seen = on_terminal("ingest", pendulum_csv(), "--verbose")
    assert "ingest[run]: started, key" in seen


def test_r12_a_signal_swallowed_unseen_is_raised_again_after_a_while():
    """As by a library that catches everything and goes on."""
    code = (
        "import os, signal, time\n"
        "from robotid.cli import signals\n"
        "signals._LOST_SECONDS = 0.2\n"
        "try:\n"
        "    with signals.as_exceptions():\n"
        "        try:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "            time.sleep(30)\n"
        "        except BaseException:\n"
        "            time.sleep(30)\n"
        "except signals.InterruptedBySignal as stop:\n"
        "    os._exit(stop.number)\n"
    )
    began = time.monotonic()
    assert subprocess.run([sys.executable, "-c", code]).returncode == signal.SIGINT
    assert time.monotonic() - began < 10
