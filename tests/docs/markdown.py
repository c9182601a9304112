"""Fenced blocks and links of Markdown pages."""

import re
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parent.parent.parent
PAGES = (
    PROJECT / "README.md",
    PROJECT / "sample_logs" / "README.md",
    *sorted((PROJECT / "docs").glob("*.md")),
)
WRITTEN_BY_PROGRAMS = (
    "docs/benchmarks.md",
    "docs/config.md",
    "docs/measurements.md",
    "docs/scale.md",
)

_EXCUSE = re.compile(r"<!-- not run: (.+) -->")
_FENCE = re.compile(r"^```(\w*)\s*$")
_FILE = re.compile(r"^(?:#|//) ([\w./-]+\.\w+)$")


class Block(NamedTuple):
    """A fenced block: its page, the line of its first content line, its language and lines."""

    page: Path
    line: int
    language: str
    lines: tuple[str, ...]
    excuse: str | None

    @property
    def place(self) -> str:
        return f"{name_of(self.page)}:{self.line}"

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def file(self) -> str | None:
        """The file it is, where its first line is a comment with nothing but a name."""
        found = _FILE.match(self.lines[0]) if self.lines else None
        return found[1] if found else None


def name_of(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    begin, language, excuse = None, "", None
    for number, line in enumerate(lines):
        if begin is None:
            if opened := _FENCE.match(line):
                begin, language = number + 1, opened[1]
            elif line.strip():
                marked = _EXCUSE.fullmatch(line.strip())
                excuse = marked[1] if marked else None
        elif line.rstrip() == "```":
            found.append(Block(page, begin + 1, language, tuple(lines[begin:number]), excuse))
            begin, excuse = None, None
    assert begin is None, f"{name_of(page)}:{begin}: a fence without an end"
    return found


def prose(page: Path) -> str:
    """A page without its fenced blocks and comments."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"<!--.*?-->", "", text, flags=re.S)


def logical_lines(lines: tuple[str, ...]) -> list[str]:
    """Lines with those that end in a backslash joined to the next; without empty ones."""
    joined = "\n".join(lines).replace("\\\n", " ")
    return [line.strip() for line in joined.split("\n") if line.strip()]
