"""Help, version and what is typed wrongly."""

import subprocess
import sys
from pathlib import Path

import pytest

from robotid import __version__
from robotid.cli.commands import COMMANDS
from robotid.cli.main import split
from robotid.stages.catalog import CATALOG, stage_named

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(robotid, name, flag):
    answer = robotid(*name.split(), flag)
    assert answer.code == 0
    assert f"Usage: robotid {name}" in answer.out
    assert COMMANDS[name][1].rstrip(".") in " ".join(answer.out.split())
    assert "--json" in answer.out
    assert answer.err == ""


def test_overview_lists_every_command(robotid):
    answer = robotid("--help")
    assert answer.code == 0
    for name in COMMANDS:
        assert f"\n  {name.split()[0]} " in answer.out
    assert robotid().out == answer.out
    assert robotid("--json", "--help").out == answer.out


def test_group_lists_its_commands(robotid):
    answer = robotid("cache", "--help")
    assert "Usage: robotid cache" in answer.out
    assert all(f"\n  {name} " in answer.out for name in ("status", "verify", "gc", "explain"))
    assert "\n  fit " not in answer.out


@pytest.mark.parametrize("name", CATALOG)
def test_every_configuration_key_has_a_flag(robotid, name):
    text = robotid(name, "--help").out
    fields = stage_named(name).config.model_fields
    tables = {"columns", "published", "relative", "rows"}  # tables of their own, for files
    for key, field in fields.items():
        if key in tables:
            continue
        assert f"--{key.replace('_', '-')} " in text
        assert field.description.split()[0] in text


def test_version(robotid):
    assert robotid("--version").out == f"robotid {__version__}\n"
    assert robotid("--json", "--version").out == f"robotid {__version__}\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["fitt"], "did you mean 'fit'"),
        (["cache", "verfy"], "did you mean 'verify'?"),
        (["fit"], "dataset"),
        (["fit", "a", "b", "--robot", "c"], "unexpected"),
        (["fit", "a", "--modle", "ols"], "--model"),
        (["fit", "a", "--model", "nonsense"], "ols"),
        (["filter", "a", "--cutoff-hz", "fast"], "--cutoff-hz"),
        (["filter", "a", "--order", "2.5"], "--order"),
        (["ingest"], "log"),
        (["run"], "pipeline"),
        (["--nonsense"], "--nonsense"),
        (["cache", "gc", "--max-size", "lots"], "lots"),
        (["cache", "gc", "--max-size", "1G", "--min-age", "1y"], "1y"),
        (["cache", "gc"], "--max-size"),
        (["run", "x.toml", "--only", "a", "--until", "b"], "exclude"),
        (["run", "x.toml", "--name", "../x"], "lower-case"),
    ],
)
def test_wrong_usage_is_exit_2(robotid, words, says):
    answer = robotid(*words)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("error[")
    assert says.lower() in answer.err.lower()
    assert "Traceback" not in answer.err


def test_global_options_may_stand_in_front():
    assert split(["--json", "fit", "x"]) == ("fit", ["--json"], ["x"])
    assert split(["--cache-dir", "fit", "-j", "2", "fit", "x"]) == (
        "fit", ["--cache-dir", "fit", "-j", "2"], ["x"],
    )  # fmt: skip
    assert split(["cache", "gc", "--json"]) == ("cache gc", [], ["--json"])
    assert split(["cache"]) == ("cache", [], [])
    assert split([]) == ("", [], [])


def _modules_after(*arguments) -> set[str]:
    code = (
        "import sys, atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        f"sys.argv = ['robotid', *{list(arguments)!r}];"
        "from robotid.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0
    return set(done.stderr.split())


def test_r32_version_imports_nothing():
    assert _modules_after("--version") & {"typer", "rich", "pydantic", "json"} == set()


@pytest.mark.parametrize("words", [["--help"], *([*name.split(), "--help"] for name in COMMANDS)])
def test_r32_help_imports_nothing_heavy(words):
    heavy = {"pydantic", "numpy", "polars", "pyarrow", "scipy", "torch", "rich", "jinja2"}
    assert _modules_after(*words) & heavy == set()


@pytest.mark.alone
def test_r32_start_up_times():
    """The benchmark's own limits; three tries, because a busy machine can spoil one."""
    for _ in range(3):
        command = [sys.executable, BENCHMARKS / "startup.py", "--repeat", "5"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return
    pytest.fail(done.stdout + done.stderr)
