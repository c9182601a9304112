"""Tables in any dialect give their numbers back exactly; a planted defect is found at its place."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotid.errors import RobotidError
from robotid.logs.log import ReadOptions
from tests.logs.opening import read_all
from tests.many import many

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=64),
    st.integers(-999, 999).map(float),
    st.just(0.0),
)
MANY = many(3)


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(2, 8)), draw(st.integers(2, 5))
    return [[draw(NUMBERS) for _ in range(columns)] for _ in range(rows)]


@st.composite
def dialects(draw):
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", " "]))
    return {
        "delimiter": delimiter,
        "comma": delimiter in ";\t" and draw(st.booleans()),
        "quoted": draw(st.booleans()),
        "padding": draw(st.sampled_from(["", " ", "  "])) if delimiter != " " else "",
        "end": draw(st.sampled_from(["\n", "\r\n", "\r"])),
        "encoding": draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"])),
        "packed": draw(st.booleans()),
        "header": draw(st.booleans()),
        "digits": draw(st.sampled_from(["r", "e"])),
    }


def cell(value, dialect):
    text = repr(value) if dialect["digits"] == "r" else f"{value:.17e}"
    text = text.replace(".", ",") if dialect["comma"] else text
    text = f'"{text}"' if dialect["quoted"] else text
    return dialect["padding"] + text + dialect["padding"]


def lines_of(table, dialect):
    names = [f"col{i}" for i in range(len(table[0]))]
    header = [dialect["delimiter"].join(names)] if dialect["header"] else []
    return header + [dialect["delimiter"].join(cell(v, dialect) for v in row) for row in table]


def save(path, lines, dialect):
    text = dialect["end"].join([*lines, ""])
    data = text.encode(dialect["encoding"])
    path.write_bytes(gzip.compress(data, 1) if dialect["packed"] else data)


def options_for(table, dialect):
    names = () if dialect["header"] else tuple(f"col{i}" for i in range(len(table[0])))
    return ReadOptions(names=names)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("grammar") / "log.csv"


def test_every_dialect_gives_the_numbers_back(path):
    @MANY
    @given(table=tables(), dialect=dialects(), blank=st.booleans())
    def check(table, dialect, blank):
        lines = lines_of(table, dialect)
        if blank:  # takes the careful way through the file
            lines.insert(len(lines) - 1, "")
        save(path, lines, dialect)
        read = read_all(path, options_for(table, dialect))
        found = np.column_stack(list(read.columns.values()))
        np.testing.assert_array_equal(found, np.array(table))
        assert set(read.codes.values()) <= {"none"}
        first = 2 if dialect["header"] else 1
        expected = list(range(first, first + len(table)))
        expected[-1] += blank
        assert read.positions == expected

    check()


BAD = ("ERR", "0x1F", "1_0", "1D5", "−1", "1.2.3", "", "1e", "3 Nm", "true")


def test_planted_defects_are_found_at_their_place(path):
    @MANY
    @given(table=tables(), dialect=dialects(), data=st.data())
    def check(table, dialect, data):
        if dialect["delimiter"] == " ":
            dialect["delimiter"] = ","
        lines = lines_of(table, dialect)
        row = data.draw(st.integers(0, len(table) - 1))
        column = data.draw(st.integers(0, len(table[0]) - 1))
        at = row + dialect["header"]
        cells = lines[at].split(dialect["delimiter"])
        kind = data.draw(st.sampled_from(["word", "short", "long", "quote"]))
        if kind == "word":
            cells[column] = data.draw(st.sampled_from(BAD))
        elif kind == "short":
            cells.pop()
        elif kind == "long":
            cells.append("1")
        else:
            cells[column] = '"' + cells[column].replace('"', "")
        lines[at] = dialect["delimiter"].join(cells)
        save(path, lines, dialect)
        last = row == len(table) - 1
        try:
            names = [f"col{i}" for i in range(len(table[0]))]
            read = read_all(path, options_for(table, dialect), columns=names)
        except RobotidError as error:
            notice = error.notice
        else:
            notice = None
        if kind == "short" and last:
            assert notice is None
            assert read.codes["short-last-line"] == "data-lost"
            assert read.notice("short-last-line").line == at + 1
            return
        assert notice is not None, lines
        if notice.code in DECIDED_AT_THE_TOP:  # a table this small may have no layout at all
            return
        expected = {"word": "not-a-number", "quote": "open-quote"}.get(kind, "wrong-cell-count")
        assert (notice.code, notice.line) == (expected, at + 1)
        assert kind != "word" or notice.column == column + 1

    check()


DECIDED_AT_THE_TOP = (
    "no-header",
    "wrong-names",
    "text-column",
    "no-such-column",
    "unnamed-column",
    "boolean-column",
)
