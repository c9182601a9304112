"""Command lines of robotid: cut into words, and parsed without being run."""

import re
import shlex
from glob import glob
from importlib import import_module

import typer

from robotid.cli.commands import COMMANDS, GROUPS
from robotid.cli.main import split
from robotid.cli.options import FLAGS

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_EXIT = re.compile(r"# exit (\d+)")
# A command in a unit file, a crontab or a CI job, up to what a shell would end it at.
_EMBEDDED = re.compile(
    r"(?<![\w/.-])(?:/[\w./-]*/)?robotid (?=[a-z])(?:'[^']*'|\"[^\"]*\"|[^'\"#|;&<>\n])*"
)


def expected_code(line: str) -> int:
    """The exit code that a line announces in a comment, as in `# exit 4`."""
    found = _EXIT.search(line)
    return int(found[1]) if found else 0


def needs_shell(line: str) -> bool:
    """Whether a line is more than one plain call of robotid."""
    bare = _COMMENT.sub("", _QUOTED.sub("", line))
    return not bare.startswith("robotid ") or bool(re.search(r"[|&;<>$`()~{}]", bare))


def words_of(line: str) -> list[str]:
    """The words behind `robotid`, patterns of files expanded as a shell does."""
    words: list[str] = []
    raw = shlex.split(line, comments=True, posix=False)
    for quoted, word in zip(raw, shlex.split(line, comments=True), strict=True):
        names = [] if quoted != word else sorted(glob(word))
        words += names or [word]
    return words[1:]


def embedded(text: str) -> list[str]:
    """Command lines of robotid inside a file of another kind."""
    joined = text.replace("\\\n", " ")
    return [found[0].strip() for found in _EMBEDDED.finditer(joined)]


def command_of(name: str):
    """The parser of a command."""
    module, summary = COMMANDS[name]
    app = typer.Typer(add_completion=False)
    app.command(help=summary)(import_module(module).command)
    return typer.main.get_command(app)


def parse(line: str) -> None:
    """Parse a command line; raises what the command line would say against it."""
    name, before, rest = split(shlex.split(line, comments=True)[1:])
    assert name in COMMANDS, f"no such command: {line}"
    command_of(name).make_context(name, [*before, *rest])


def flags_of(name: str) -> set[str]:
    """All flags that a command, or robotid itself, understands."""
    if name not in COMMANDS:
        return {*FLAGS, "--help", "--version"}
    options = command_of(name).params
    return {flag for o in options for flag in (*o.opts, *o.secondary_opts)} | {"--help", "-h"}


def mention_fault(line: str) -> str | None:
    """What is wrong with a command in the middle of a sentence, where words may be left out."""
    words = line.split()[1:]
    if not words or words[0].isupper():
        return None
    name, before, rest = split(words)
    if name not in COMMANDS and name not in GROUPS:
        return "no such command"
    given = {word.split("=")[0] for word in (*before, *rest) if re.match(r"--?[a-z]", word)}
    unknown = given - flags_of(name)
    return f"no such flag: {', '.join(sorted(unknown))}" if unknown else None
