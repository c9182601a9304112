"""Tables in plain text, for terminals and log files alike."""

from collections.abc import Sequence

from robotid.cli.text import visible


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned lines: the header, a rule, the rows."""
    cells = [[visible(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]
