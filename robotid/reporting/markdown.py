"""`report.md`: the summary for a page of a CI job, in GitHub's Markdown.

Text from data may hold anything. Signs that mean something have a backslash before them, angle
brackets and ampersands are entities, and an empty comment keeps `@somebody` from being called and
`#12` from becoming a link.
"""

import re

from robotid.reporting.facts import ReportFacts
from robotid.reporting.summary import Table, summary

_MOST_REMARKS = 10
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@<!-- -->", "#": "\\#<!-- -->"}
_SIGNS = re.compile(
    r"""[\\`*_\[\]<>&|~\#!$@]   # anywhere
    |(?<=www)\.|:(?=//)       # addresses
    |(?:(?<=^)|(?<=^\d))[-+=:.)]  # where a text begins: lists, rules, headings
    |(?<=\d)[.)](?=\s)        # numbers of lists
    """,
    re.VERBOSE | re.IGNORECASE,
)


def markdown(facts: ReportFacts) -> str:
    """The report in short, as Markdown."""
    robots = sorted({fit.robot.name for fit in facts.fits.values()})
    found = summary(facts)
    parts = [f"## Identification of {escaped(', '.join(robots))}"]
    marks = {True: "✅", False: "❌"}
    parts.append("\n".join(f"- {marks[s.good]} {escaped(s.text)}" for s in found.statements))
    parts += [_table(table) for table in found.tables]
    if found.remarks:
        shown = [f"- {escaped(remark)}" for remark in found.remarks[:_MOST_REMARKS]]
        more = len(found.remarks) - len(shown)
        shown += [f"- and {more} more in the report"] if more else []
        parts.append("### What to know\n\n" + "\n".join(shown))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text that shows as it is, on one line, wherever it stands."""
    visible = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
    return _SIGNS.sub(lambda sign: _ENTITIES.get(sign[0], "\\" + sign[0]), visible) or " "


def _table(table: Table) -> str:
    rule = [":--", *["--:"] * (len(table.header) - 1)]
    rows = [table.header, *table.rows]
    header, *body = [f"| {' | '.join(escaped(cell) for cell in row)} |" for row in rows]
    lines = [header, f"| {' | '.join(rule)} |", *body]
    remarks = "".join(f"{escaped(remark)}\n\n" for remark in table.remarks)
    return f"### {escaped(table.title)}\n\n{remarks}" + "\n".join(lines)
