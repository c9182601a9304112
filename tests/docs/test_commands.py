"""Every command in README.md and docs/ is run, every file shown there is checked.

| fence | what is done |
|---|---|
| `sh` | run, in order, in one folder per page; the exit code is 0, or N behind `# exit N` |
| `console` | lines behind `$ ` are run, the others have to be in what they print; `…` is anything |
| `toml` | a pipeline, a map or a stage's configuration, and checked as such |
| `python` | parsed; what it imports from robotid has to be there; run if it has a name |
| `c`, `cron`, `ini`, `yaml`, `json`, `text`, none | commands of robotid inside are parsed |

A block whose first line is a comment with the name of a file is written there before the next one
is run. `<!-- not run: reason -->` above a block excuses it.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from robotid.ingestion.column_map import ColumnMap
from robotid.runner.pipeline import load_pipeline
from robotid.stages.catalog import CATALOG, stage_named
from robotid.stages.configuration import parse_config
from tests.docs import command_lines
from tests.docs.markdown import (
    PAGES,
    PROJECT,
    WRITTEN_BY_PROGRAMS,
    blocks,
    logical_lines,
    name_of,
    prose,
)

MOST_EXCUSED = 1
LONGEST_S = 60
WRITTEN = [page for page in PAGES if name_of(page) not in WRITTEN_BY_PROGRAMS]


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_page(page, folder, robotid):
    for block in blocks(page):
        if block.excuse:
            continue
        if block.file:
            target = folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        CHECKS[block.language](block, robotid)


def run_shell_block(block, robotid):
    lines = [line for line in logical_lines(block.lines) if not line.startswith("#")]
    assert lines, f"{block.place}: no command"
    if any(command_lines.needs_shell(line) for line in lines):
        run_script(block, lines)
        return
    for line in lines:
        answer = robotid(*command_lines.words_of(line))
        wanted = command_lines.expected_code(line)
        assert answer.code == wanted, f"{block.place}: {line}\n{answer.err}{answer.out}"


def run_script(block, lines):
    """A block that needs a shell, as a whole."""
    steps = [
        f"{{ {line.split('# exit')[0]}; }} && false || test $? -eq {code}" if code else line
        for line, code in ((line, command_lines.expected_code(line)) for line in lines)
    ]
    run_process(block, "bash", "-euo", "pipefail", "-c", "\n".join(steps))


def run_process(block, *command):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, f"{block.place}: exit code {done.returncode}\n{done.stderr}"


def run_console(block, robotid):
    """Each command, and what it is said to print."""
    streams: list[list[str]] = []
    for line in block.lines:
        if line.startswith("$ "):
            answer = robotid(*command_lines.words_of(line[2:]))
            wanted = command_lines.expected_code(line)
            assert answer.code == wanted, f"{block.place}: {line}\n{answer.err}{answer.out}"
            streams = [answer.out.splitlines(), answer.err.splitlines()]
        elif line.strip() not in ("", "…"):
            like = re.compile(".*".join(map(re.escape, line.rstrip().split("…"))))
            said = f"{block.place}: not printed: {line}\n{answer.err}{answer.out}"
            assert any(found_in(printed, like) for printed in streams), said


def found_in(printed, like):
    """Whether a line is among those printed; if so, the next one has to come behind it."""
    for place, line in enumerate(printed):
        if like.fullmatch(line.rstrip()):
            del printed[: place + 1]
            return True
    return False


def check_toml(block, robotid):
    values = tomllib.loads(block.text)
    if "stages" in values:
        # Unless it has a name, it stands for a file in pipelines/, beside those that are there.
        path = Path(block.file or "pipelines/shown.toml")
        path.write_text(block.text, encoding="utf-8")
        load_pipeline(path)
        answer = robotid("run", path, "--dry-run")
        assert answer.code == 0, f"{block.place}\n{answer.err}"
        return
    faults = {}
    for kind in (ColumnMap, *(stage_named(name).config for name in CATALOG)):
        try:
            parse_config(kind, values)
        except Exception as error:
            faults[kind.__name__] = str(error)
        else:
            return
    pytest.fail(f"{block.place}: neither a map nor a configuration: {faults}")


def check_python(block, robotid):
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("robotid"):
            for name in node.names:
                assert hasattr(import_module(node.module), name.name), f"{block.place}: {name.name}"
    if block.file:
        run_process(block, sys.executable, block.file)


def check_embedded(block, robotid):
    parse_embedded(block, block.text)


def parse_embedded(block, text):
    for line in command_lines.embedded(text):
        try:
            command_lines.parse(line)
        except Exception as error:
            pytest.fail(f"{block.place}: {line}\n{error}")


def check_yaml(block, robotid):
    """YAML joins folded lines, so commands are looked for in its strings."""
    unread = [YAML(typ="safe").load(block.text)]
    assert unread[0], block.place
    while unread:
        value = unread.pop()
        if isinstance(value, str):
            parse_embedded(block, value)
        elif isinstance(value, dict | list):
            unread += value.values() if isinstance(value, dict) else value


def check_json(block, robotid):
    json.loads(block.text)


def check_no_command(block, robotid):
    """What is neither run nor parsed must not look as if it were."""
    for line in block.lines:
        assert not re.match(r"\s*\$? ?robotid ", line), f"{block.place}: use ```sh\n{line}"


CHECKS = {
    "": check_no_command,
    "c": check_no_command,
    "console": run_console,
    "cron": check_embedded,
    "ini": check_embedded,
    "json": check_json,
    "python": check_python,
    "sh": run_shell_block,
    "text": check_no_command,
    "toml": check_toml,
    "yaml": check_yaml,
}


def test_few_blocks_are_excused():
    excused = [(b.place, b.excuse) for page in WRITTEN for b in blocks(page) if b.excuse]
    assert len(excused) <= MOST_EXCUSED, excused


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_commands_in_sentences_exist(page):
    faults = {
        line: fault
        for line in re.findall(r"`(robotid [^`\n]*)`", prose(page))
        if (fault := command_lines.mention_fault(line))
    }
    assert not faults


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    broken = [
        target
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose(page))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert not broken


def test_every_page_is_in_the_index():
    index = (PROJECT / "docs" / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\((\w+\.md)\)", index))
    assert {page.name for page in (PROJECT / "docs").glob("*.md")} - {"README.md"} == listed


def test_the_harness_notices_what_is_wrong(folder, robotid):
    """A page with one fault of each kind fails in each block."""
    page = PROJECT / "tests" / "docs" / "faulty.md"
    faulty = blocks(page)
    assert len(faulty) == 10
    for block in faulty:
        with pytest.raises(BaseException):  # noqa: B017, PT011  (assertions and pytest.fail alike)
            CHECKS[block.language](block, robotid)
