"""Text whose structure or numbers are damaged."""

from making.case import Base, Case
from making.signals import text


def cell(lines: list[str], line: int, column: int, value: str) -> list[str]:
    """The same lines with one cell replaced; both counted from 1."""
    cells = lines[line - 1].split(",")
    cells[column - 1] = value
    return [*lines[: line - 1], ",".join(cells), *lines[line:]]


def each(lines: list[str], change: str, by: str) -> list[str]:
    """The same lines with one text replaced everywhere."""
    return [line.replace(change, by) for line in lines]


def _comma_decimals(lines: list[str]) -> list[str]:
    return each(each(lines[1:], ",", ";"), ".", ",")


def structure_cases(base: Base) -> list[Case]:
    """B21 to B42: lines, headers, delimiters, encodings."""
    lines = base.lines
    good, names = text(lines), lines[0].split(",")
    header, rows = lines[0], lines[1:]
    semicolons = each(lines, ",", ";")
    units = "s,rad,rad,rad/s,rad/s,Nm,Nm"
    quoted = [header, rows[0], '"' + rows[1], *rows[2:]]
    longer = [*lines[:9], lines[9] + ",1.5", *lines[10:]]
    shorter = [*lines[:9], lines[9].rsplit(",", 2)[0], *lines[10:]]
    map_of_names = ('text = { header = false }\njoints = ["shoulder", "elbow"]\n'
        'time = { column = "c1", unit = "s" }\nq = { columns = ["c2", "c3"] }\n'
        'qd = { columns = ["c4", "c5"] }\ntau = { columns = ["c6", "c7"] }\n')  # fmt: skip
    return [
        Case("B21", "b21_cut_number.csv", "the last number is cut, no line end", good[:-4], 3,
             "cut-last-line"),
        Case("B22", "b22_short_last_line.csv", "the last line has too few cells",
             text([*lines[:-1], lines[-1].rsplit(",", 3)[0]]), 3, "short-last-line"),
        Case("B23", "b23_short_line.csv", "a line in the middle has too few cells",
             text(shorter), 65, "wrong-cell-count", at={"line": 10}),
        Case("B24", "b24_long_line.csv", "a line in the middle has too many cells",
             text(longer), 65, "wrong-cell-count", at={"line": 10}),
        Case("B25", "b25_blank_lines.csv", "blank lines among the rows",
             text([*lines[:5], "", "  ", *lines[5:], ""]), 0, "blank-line"),
        Case("B26", "b26_no_header.csv", "no header", text(rows), 65, "no-header"),
        Case("B26", "b26_no_header_but_a_map.csv", "no header, and a map that knows the columns",
             {"b26_no_header_but_a_map.csv": text(rows), "b26.map.toml": map_of_names.encode()},
             0, "", flags=("--map", "b26.map.toml")),
        Case("B27", "b27_header_again.csv", "two logs one after the other",
             text([*lines[:21], header, *lines[21:]]), 65, "repeated-header", at={"line": 22}),
        Case("B28", "b28_same_name.csv", "two columns of one name",
             text([header.replace("qd.elbow", "q.elbow"), *rows]), 65, "same-column"),
        Case("B29", "b29_comma_at_the_end.csv", "every line ends in a comma",
             text([line + "," for line in lines]), 0, "trailing-delimiter"),
        Case("B29", "b29_no_name.csv", "a column without a name",
             text([header.replace("qd.elbow", ""), *rows]), 65, "unnamed-column"),
        Case("B30", "b30_blanks.csv", "blanks around names and numbers",
             text(each(lines, ",", " ,  ")), 0, ""),
        Case("B31", "b31_comments.csv", "comments and a line of units",
             text(["# arm on the bench", header, units, *rows[:9], "# paused", *rows[9:]]), 0,
             "units-row"),
        Case("B31", "b31_preamble.csv", "words before the header that are not marked",
             text(["Recorded by the lab", "on a quiet day", *lines]), 65, "no-map"),
        Case("B32", "b32_semicolons.csv", "semicolons between cells", text(semicolons), 0,
             "delimiter"),
        Case("B33", "b33_decimal_commas.csv", "decimal commas, semicolons between cells",
             text([semicolons[0], *_comma_decimals(lines)]), 0, "decimal-comma"),
        Case("B33", "b33_mixed_decimals.csv", "decimal commas and decimal points",
             text([semicolons[0], *_comma_decimals(lines)[:20], *semicolons[21:]]), 65,
             "not-a-number", at={"line": 22}),
        Case("B34", "b34_commas_for_both.csv", "decimal commas, commas between cells",
             text([header, *each(rows, ".", ",")]), 65, "wrong-cell-count"),
        Case("B35", "b35_thousands.csv", "a thousands separator",
             text([semicolons[0], *semicolons[1:9],
                   semicolons[9].rsplit(";", 1)[0] + ";1,234.5", *semicolons[10:]]), 65,
             "not-a-number", at={"line": 10}),
        Case("B36", "b36_spaces.txt", "runs of spaces between cells",
             text(each(lines, ",", "   ")), 0, "delimiter"),
        Case("B37", "b37_open_quote.csv", "a quote that is never closed", text(quoted), 65,
             "open-quote", at={"line": 3}),
        Case("B38", "b38_carriage_returns.csv", "carriage returns alone end lines",
             text(lines, "\r"), 0, "line-ends"),
        Case("B38", "b38_mixed_line_ends.csv", "line ends of two kinds",
             text(lines[:20], "\r\n") + text(lines[20:]), 0, "line-ends"),
        Case("B39", "b39_byte_order_mark.csv", "a UTF-8 byte order mark",
             b"\xef\xbb\xbf" + good, 0, "byte-order-mark"),
        Case("B40", "b40_utf16.csv", "UTF-16 with a byte order mark",
             b"\xff\xfe" + good.decode().encode("utf-16-le"), 0, "re-encoded"),
        Case("B40", "b40_utf16_no_mark.csv", "UTF-16 without a byte order mark",
             good.decode().encode("utf-16-le"), 65, "nul-byte"),
        Case("B41", "b41_latin1.csv", "a degree sign in latin-1 in the name of a column",
             good.decode().replace(header, header + ",temp [°C]").replace("\n", ",21\n")
             .replace("[°C],21", "[°C]").encode("latin-1"), 0, "latin-1"),
        Case("B42", "b42_nul.csv", "a NUL byte among the numbers",
             good[:600] + b"\0" + good[601:], 65, "nul-byte"),
        Case("B48", "b48_other_order.csv", "the same columns in another order in a second log",
             {"b48_other_order.csv": text([",".join([row.split(",")[0], *row.split(",")[:0:-1]])
                                           for row in lines]),
              "b48_first.csv": text(base_other(base))}, 0, "joint-order", more=("b48_first.csv",)),
        Case("B49", "b49_column_missing.csv", "one of two logs lacks a column, and is left out",
             {"b49_column_missing.csv": text([line.rsplit(",", 1)[0] for line in lines]),
              "b49_first.csv": text(base_other(base))}, 3, "joints-differ",
             more=("b49_first.csv",)),
        Case("B50", "b50_more_columns.csv", "columns nobody asked for",
             text([f"{lines[0]},mode,fan", *(f"{row},3,0.5" for row in rows)]), 0,
             "unused-columns"),
        Case("B51", "b51_a_line_per_joint.csv", "long format: a line per joint",
             text(["joint,t,q,qd,tau", *(
                 f"{joint},{c[0]},{c[1 + i]},{c[3 + i]},{c[5 + i]}"
                 for c in (row.split(",") for row in rows)
                 for i, joint in enumerate(("shoulder", "elbow")))]), 65, "long-format"),
        Case("B51", "b51_a_column_per_sample.csv", "a column per sample",
             text([f"{name},{','.join(column)}" for name, column in zip(
                 names, zip(*(row.split(",") for row in rows), strict=True), strict=True)]),
             65, "no-header"),
    ]  # fmt: skip


def base_other(base: Base) -> list[str]:
    """The second recording as text."""
    return base._replace(run=base.other).lines


def number_cases(base: Base) -> list[Case]:
    """B43 to B47: cells that are no numbers."""
    lines = base.lines

    def one(row: str, name: str, value: str, wrong: str) -> Case:
        found = text(cell(lines, 12, 3, value))
        return Case(row, name, wrong, found, 65, "not-a-number", at={"line": 12, "column": 3})

    truths = [f"{lines[0]},brake", *(f"{row},{'true' if i % 2 else 'false'}"
              for i, row in enumerate(lines[1:]))]  # fmt: skip
    all_words = lines
    for line, word in ((5, "NaN"), (7, "-nan"), (9, "Inf"), (11, "-INF"), (13, "1e400")):
        all_words = cell(all_words, line, 6, word)
    na_map = (
        'text = { na_values = ["#N/A"] }\njoints = ["shoulder", "elbow"]\n'
        'time = { column = "t", unit = "s" }\nq = { columns = "q.{joint}" }\n'
        'qd = { columns = "qd.{joint}" }\ntau = { columns = "tau.{joint}" }\n'
    )
    return [
        one("B43", "b43_words.csv", "ERR", "a word where a number should be"),
        one("B43", "b43_qnan.csv", "1.#QNAN", "what Windows called NaN"),
        one("B43", "b43_empty_cell.csv", "", "an empty cell"),
        Case("B43", "b43_na_declared.csv", "#N/A, which the map declares as missing",
             {"b43_na_declared.csv": text(cell(lines, 12, 3, "#N/A")),
              "b43.map.toml": na_map.encode()}, 0, "missing-values",
             flags=("--map", "b43.map.toml")),
        Case("B44", "b44_not_finite.csv", "NaN, infinities and 1e400 in several spellings",
             text(all_words), 65, "missing-values", at={"joint": "shoulder"}),
        one("B45", "b45_hexadecimal.csv", "0x1F", "a hexadecimal number"),
        one("B45", "b45_underscore.csv", "1_000", "an underscore in a number"),
        one("B45", "b45_fortran.csv", "1D3", "an exponent as Fortran writes it"),
        one("B45", "b45_minus_sign.csv", "−0.5", "a typographic minus sign"),
        one("B45", "b45_other_digits.csv", "١٢٣", "digits of another script"),
        one("B46", "b46_unit_in_cell.csv", "1.2 Nm", "a unit behind the number"),
        Case("B47", "b47_truth_values.csv", "a column of truth values that is not used",
             text(truths), 0, "unused-columns"),
    ]  # fmt: skip
