"""`report.md`: the summary for a page of a CI job, in GitHub's Markdown.

Text from data may hold anything. Signs that mean something have a backslash before them, angle
brackets and ampersands are entities, and an empty comment keeps `@somebody` from being called and
`#12` from becoming a link.
"""

import re
from collections.abc import Sequence

from robotid.reporting.facts import ReportFacts
from robotid.reporting.numbers import SPACES
from robotid.reporting.summary import Statement, Table, summary

_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@<!-- -->", "#": "\\#<!-- -->"}
_SIGNS = re.compile(
    r"""[\\`*_\[\]<>&|~\#!$@]   # anywhere
    |(?<=www)\.|:(?=//)       # addresses
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BEGINNING = re.compile(r"\A(\d*)([-+=:.)])")  # of lists, rules and headings
_DECIMAL = re.compile(r"\A\d+\.\d")
_MARKS = {True: "✅", False: "❌", None: "➖"}
_BREAK = "\\\n"  # of a line within a paragraph


def markdown(facts: ReportFacts) -> str:
    """The report in short, as Markdown."""
    robots = sorted({fit.robot.name for fit in facts.fits.values()})
    found = summary(facts)
    parts = [f"## Identification of {escaped(', '.join(robots))}"]
    if found.advice is not None:
        title = f"{_MARKS[found.advice.use is not None]} {escaped(found.advice.title)}."
        parts.append(_BREAK.join([title, *(escaped(said) for said in found.advice.said)]))
    parts.append("\n".join(f"- {_MARKS[s.good]} {escaped(s.text)}" for s in found.statements))
    parts += [_table(table) for table in found.tables]
    if found.remarks:
        parts.append("### What to know\n\n" + _listed(found.first_remarks))
    return "\n\n".join(parts) + "\n"


def in_markdown(title: str, statements: Sequence[Statement], tables: Sequence[Table]) -> str:
    """Sentences and tables under a title."""
    parts = [f"## {escaped(title)}"]
    parts.append("\n".join(f"- {_MARKS[s.good]} {escaped(s.text)}" for s in statements))
    return "\n\n".join([*parts, *map(_table, tables)]) + "\n"


def escaped(text: str) -> str:
    """Text that shows as it is, on one line, wherever it stands."""
    safe = in_cell(text).lstrip() or " "  # indented text would be code
    return safe if _DECIMAL.match(safe) else _BEGINNING.sub(r"\1\\\2", safe)


def in_cell(text: str) -> str:
    """The same for a cell of a table, where no list or heading can begin."""
    visible = "".join(c if c.isprintable() or c in SPACES else f"\\u{ord(c):04x}" for c in text)
    return _SIGNS.sub(lambda sign: _ENTITIES.get(sign[0], "\\" + sign[0]), visible) or " "


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {escaped(text)}" for text in texts)


def _table(table: Table) -> str:
    side = ":--" if table.words else "--:"
    rule = [":--", *[side] * (len(table.header) - 1)]
    header = [in_cell(name) for name in table.header]
    if table.best is not None:
        header[table.best] += f" {table.mark}"
    rows = [header, rule, *([in_cell(cell) for cell in row] for row in table.rows)]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    remarks = "".join(f"{escaped(remark)}\n\n" for remark in table.remarks)
    notes = "\n\n" * bool(table.notes) + " ".join(escaped(note) for note in table.notes)
    return f"### {escaped(table.title)}\n\n{remarks}{lines}{notes}"
