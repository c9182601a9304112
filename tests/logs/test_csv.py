"""Plain CSV logs: read exactly, or refused with the place."""

import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.logs.csv import read_csv

GOOD = "t,q.a,qd.a,tau.a\n0,1,2,3\n0.1,-1.5,2e-3,+3.25\n0.2,.5,5.,1E3\n"


@pytest.fixture
def read(tmp_path):
    def go(text):
        path = tmp_path / "log.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_csv(path)

    return go


def test_good_file(read):
    log = read(GOOD)
    assert log.joints == ["a"]
    assert log.notices == []
    np.testing.assert_array_equal(log.t, [0, 0.1, 0.2])
    np.testing.assert_array_equal(log.columns["q.a"], [1, -1.5, 0.5])
    np.testing.assert_array_equal(log.columns["tau.a"], [3, 3.25, 1000])


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD,
        GOOD.replace(",", " , "),
    ],
    ids=["crlf", "bom", "spaces"],
)
def test_harmless_variants(read, text):
    np.testing.assert_array_equal(read(text).columns["qd.a"], [2, 2e-3, 5])


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        (b"", "empty-file", None, None),
        (b"\n\n", "empty-file", None, None),
        ("t,q.a\n", "no-samples", None, None),
        (GOOD.encode() + b"0.3,1,2,\xb03\n", "not-text", 5, None),
        (GOOD.encode() + b"0.3,1,2,3\n\0\0\0\n", "not-text", 6, None),
        (b"\0" * 100, "not-text", 1, None),
        ("0,1\n1,2\n", "no-default-header", 1, None),
        ("time,position\n0,1\n", "no-default-header", 1, None),
        ("t,q.a,q.a\n0,1,2\n", "same-column", 1, None),
        ("t,q.a,speed.a\n0,1,2\n", "unknown-column", 1, 3),
        ("t,q.a,q.\n0,1,2\n", "unknown-column", 1, 3),
        ("t,q.a,tau.b\n0,1,2\n", "joint-without-position", None, None),
        (GOOD + "0.3,1,2\n", "wrong-cell-count", 5, None),
        (GOOD + "0.3,1,2,3,4\n", "wrong-cell-count", 5, None),
        (GOOD + "\n", "wrong-cell-count", 5, None),
        (GOOD + "0.3,,2,3\n", "not-a-number", 5, 2),
        (GOOD + "0.3,nan,2,3\n", "not-a-number", 5, 2),
        (GOOD + "0.3,1,inf,3\n", "not-a-number", 5, 3),
        (GOOD + "0.3,1,2,1e400\n", "not-a-number", 5, 4),
        (GOOD + "0.3,1,2,0x10\n", "not-a-number", 5, 4),
        (GOOD + "0.3,1,2,1_000\n", "not-a-number", 5, 4),
        (GOOD + "0.3,1,2,1D3\n", "not-a-number", 5, 4),
        (GOOD + "0.3,1,2,\u22121\n", "not-a-number", 5, 4),
        (GOOD + "0.3,1,2,\u0661\n", "not-a-number", 5, 4),
        (GOOD + '0.3,1,2,"3"\n', "not-a-number", 5, 4),
        (GOOD + "0.3,1,2,3 Nm\n", "not-a-number", 5, 4),
        (GOOD + "0.2,1,2,3\n", "time-not-increasing", 5, None),
        (GOOD + "0.1,1,2,3\n0.3,1,2,3\n", "time-not-increasing", 5, None),
    ],
)
def test_refused_with_its_place(read, text, code, line, column):
    with pytest.raises(BadDataError) as caught:
        read(text)
    notice = caught.value.notice
    assert notice.code == code
    assert notice.file.endswith("log.csv")
    assert (notice.line, notice.column) == (line, column)


def test_b21_cut_last_line_is_left_out_and_said(read):
    log = read(GOOD + "0.3,1,2,3.14")
    assert log.t.size == 3
    assert [(n.code, n.line, n.effect) for n in log.notices] == [("cut-last-line", 5, "data-lost")]


def test_every_cut_gives_the_whole_lines_before_it(read):
    """A file cut anywhere has exactly the lines that were complete."""
    header = GOOD.index("\n") + 1
    for length in range(header + 1, len(GOOD)):
        whole = GOOD[:length].count("\n") - 1
        if whole == 0:
            with pytest.raises(BadDataError):
                read(GOOD[:length])
        else:
            assert read(GOOD[:length]).t.size == whole
