"""Text logs: every damage of the catalogue is mended and said, or refused with line and column."""

import gzip
import os
import zlib

import numpy as np
import pytest
import zstandard

from robotid.errors import Effect, StorageError
from robotid.logs import byte_source, delimited, text_lines
from robotid.logs.findings import Findings
from robotid.logs.formats import open_log
from robotid.logs.log import Kind, ReadOptions
from tests.logs.opening import read_all, refused

GOOD = "t,q,tau\n0,1,2\n0.1,-1.5,2e-3\n0.2,.5,5.\n0.3,4,+7\n"
ROWS = np.array([[0, 1, 2], [0.1, -1.5, 2e-3], [0.2, 0.5, 5], [0.3, 4, 7]])


@pytest.fixture
def write(tmp_path):
    def go(content, name="log.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return go


def assert_good(read, rows=4):
    table = np.column_stack([read.columns[name] for name in ("t", "q", "tau")])
    np.testing.assert_array_equal(table, ROWS[:rows])


def line_column(notice):
    return notice.line, notice.column


def test_good_file_has_no_findings(write):
    read = read_all(write(GOOD))
    assert_good(read)
    assert read.codes == {}
    assert read.positions == [2, 3, 4, 5]
    assert read.log.format == "delimited text"
    assert [column.kind for column in read.log.streams[0].columns] == [Kind.FLOAT] * 3


def test_b04_empty_file(write):
    assert refused(write(b"")).code == "empty-file"
    assert refused(write(b" \n \n")).code == "empty-file"


def test_b05_header_only(write):
    assert refused(write("t,q\n")).code == "no-samples"
    assert refused(write("t,q\n\n\n")).code == "no-samples"


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("zstd", zstandard.compress)])
def test_b08_wrong_extension(write, name, pack):
    read = read_all(write(pack(GOOD.encode())))
    assert_good(read)
    assert name in read.notice("other-extension").message
    read = read_all(write(GOOD, "log.parquet"))
    assert "delimited text" in read.notice("other-extension").message
    assert refused(write(bytes(range(1, 32)) * 20)).code == "unknown-format"


def test_b09_zero_tail_is_left_out(write):
    read = read_all(write(GOOD.encode() + b"\0" * 5000))
    assert_good(read)
    assert read.codes == {"zero-tail": "data-lost"}
    assert "5000 zero bytes" in read.notice("zero-tail").message
    read = read_all(write(GOOD.encode() + b"0.4,1" + b"\0" * 7))
    assert_good(read)
    assert set(read.codes) == {"zero-tail", "cut-last-line"}


def test_b10_all_zeros(write):
    assert refused(write(b"\0" * 9000)).code == "only-zeros"


def test_b11_b12_large_files_stream(write, monkeypatch):
    """Batches are of the size of a chunk, whatever that of the file."""
    monkeypatch.setattr(text_lines.whole_lines, "__defaults__", (1 << 20,))
    rows = "".join(f"{i / 1000},{i},{-i}\n" for i in range(200_000))
    path = write("t,q,tau\n" + rows)
    with open_log(path) as log:
        sizes, first = [], []
        for batch in log.batches("data", ["tau"]):
            sizes.append(batch.rows)
            first.append((batch.line(0), float(batch.columns["tau"][0])))
    assert sum(sizes) == 200_000
    assert len(sizes) > 2
    assert max(sizes) < 200_000 * (2 << 20) / path.stat().st_size
    assert all(line == 2 - tau for line, tau in first)  # row i is on line i + 2


def test_b13_long_line(write):
    assert refused(write("t,q\n0,1\n" + "1" * (3 << 20))).code == "long-line"
    for length in (1_100_000, 1_900_000):  # which would be read as infinity
        notice = refused(write("t,q\n0,1\n0," + "1" * length + "\n1,2\n"))
        assert (notice.code, notice.line) == ("long-line", 3)
    notice = refused(write(b"x" * (20 << 20)))
    assert (notice.code, notice.line) == ("long-line", 1)


def test_b16_odd_file_names(write, tmp_path):
    name = os.fsdecode(b"l\xffog\n.csv")
    assert_good(read_all(write(GOOD, name)))
    assert refused(write(GOOD + "1,x,2\n", name)).line == 6


def test_b18_disk_error_names_the_offset(write, monkeypatch):
    class Broken:
        def read(self, size):
            raise OSError(5, "Input/output error")

        def tell(self):
            return 4711

    with pytest.raises(StorageError, match="byte 4711"):
        byte_source.read_block(Broken(), write(GOOD), 10)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_b19_cut_compression(write, pack):
    text = GOOD.encode() + b"".join(
        b"%d.25,%d,%d\n" % (i, i * i % 7919, i) for i in range(1, 40000)
    )
    packed = pack(text)
    whole = read_all(write(packed, "log.csv.x"))
    assert whole.columns["t"].size == 4 + 39999
    for share in (0.5, 0.9, 0.999):
        read = read_all(write(packed[: int(share * len(packed))], "log.csv.x"))
        assert read.codes["cut-compression"] == "data-lost"
        kept = read.columns["t"].size
        assert 0 < kept < 40003
        np.testing.assert_array_equal(read.columns["t"], whole.columns["t"][:kept])
    middle = len(packed) // 2
    damaged = packed[:middle] + b"\xff\xff\xff\xff" + packed[middle + 4 :]
    assert refused(write(damaged, "log.csv.x")).code == "damaged-compression"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_b20_decompression_bomb(write, pack):
    bomb = pack(b"t,q\n" + b"0,1\n" * (12 << 20))
    assert len(bomb) < 100_000
    assert refused(write(bomb, "log.csv.gz")).code == "decompression-bomb"


def test_b21_cut_last_line(write):
    read = read_all(write(GOOD + "0.4,1,12.3"))
    assert_good(read)
    assert read.codes == {"cut-last-line": "data-lost"}
    assert read.notice("cut-last-line").line == 6


def test_b21_every_cut_gives_the_whole_lines_before_it(write):
    for length in range(len(GOOD)):
        lines = GOOD[:length].count("\n")
        path = write(GOOD[:length])
        if lines < 2:
            assert refused(path).code == ("no-samples" if lines else "empty-file")
            continue
        read = read_all(path)
        assert_good(read, rows=lines - 1)
        assert ("cut-last-line" in read.codes) == (GOOD[length - 1] != "\n")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_b19_every_cut_gives_the_whole_lines_before_it(write, pack):
    rows = np.random.default_rng(0).normal(size=(20, 2))
    text = "t,q\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows.tolist())
    packed = pack(text.encode())
    seen = set()
    for length in range(4, len(packed)):
        path = write(packed[:length], "log.csv.x")
        lines = unpacked(packed[:length]).count(b"\n")
        if lines < 2:
            assert refused(path).code in ("no-samples", "empty-file", "only-zeros")
            continue
        read = read_all(path)
        table = np.column_stack([read.columns["t"], read.columns["q"]])
        np.testing.assert_array_equal(table, rows[: lines - 1])
        assert read.codes["cut-compression"] == "data-lost"
        seen.add(lines)
    assert len(seen) > 12 or pack is zstandard.compress  # which packs all of it as one block
    assert read_all(write(packed, "log.csv.x")).codes.keys() <= {"other-extension"}


def unpacked(packed):
    """As much of a gzip or Zstandard stream as can be had."""
    if packed.startswith(b"\x1f"):
        return zlib.decompressobj(31).decompress(packed)
    return zstandard.ZstdDecompressor().decompressobj().decompress(packed)


def test_b22_short_last_line(write):
    for tail in ("0.4,1\n", "0.4,1\n\n \n"):
        read = read_all(write(GOOD + tail))
        assert_good(read)
        assert read.codes["short-last-line"] == "data-lost"
        assert read.notice("short-last-line").line == 6


@pytest.mark.parametrize("columns", [None, ["t"]], ids=["all", "one"])
def test_b23_short_line_in_the_middle(write, columns):
    notice = refused(write(GOOD + "0.4,1\n0.5,1,2\n"), columns=columns)
    assert (notice.code, line_column(notice)) == ("wrong-cell-count", (6, 2))


@pytest.mark.parametrize("columns", [None, ["t"]], ids=["all", "one"])
def test_b24_line_too_long(write, columns):
    notice = refused(write(GOOD + "0.4,1,2,3\n0.5,1,2\n"), columns=columns)
    assert (notice.code, line_column(notice)) == ("wrong-cell-count", (6, 4))


def test_b25_blank_lines(write):
    read = read_all(write("\n" + GOOD.replace("0.2", "\n   \n0.2") + "\n"))
    assert_good(read)
    assert read.count("blank-line") == 3
    assert read.positions == [3, 4, 7, 8]


def test_b26_no_header(write):
    body = GOOD.split("\n", 1)[1]
    notice = refused(write(body))
    assert (notice.code, notice.line) == ("no-header", 1)
    assert_good(read_all(write(body), ReadOptions(names=("t", "q", "tau"))))
    read = read_all(write(body), ReadOptions(header=False))
    np.testing.assert_array_equal(read.columns["c3"], ROWS[:, 2])
    assert refused(write(body), ReadOptions(names=("t", "q"))).code == "wrong-names"
    assert_good(read_all(write("# t,q,tau\n" + body)))  # as numpy.savetxt writes it


def test_b27_repeated_header(write):
    path = write(GOOD + GOOD + GOOD)
    notice = refused(path)
    assert (notice.code, notice.line) == ("repeated-header", 6)
    assert "6, 11" in notice.message
    read = read_all(path, ReadOptions(split_at_header=True))
    assert read.segments == [0, 1, 2]
    np.testing.assert_array_equal(read.columns["q"], np.tile(ROWS[:, 1], 3))


def test_b28_same_name_twice(write):
    notice = refused(write("t,q,a,q\n0,1,2,3\n"))
    assert (notice.code, line_column(notice)) == ("same-column", (1, 4))
    assert "columns 2, 4" in notice.message


def test_b29_trailing_delimiter(write, monkeypatch):
    for header in ("t,q,tau,\n", "t,q,tau\n"):
        body = GOOD.split("\n", 1)[1].replace("\n", ",\n")
        read = read_all(write(header + body))
        assert_good(read)
        assert set(read.codes) == {"trailing-delimiter"}
    notice = refused(write("t,,q\n0,1,2\n"))
    assert (notice.code, line_column(notice)) == ("unnamed-column", (1, 2))
    read = read_all(write("t,,q\n0,,2\n1,,3\n"))
    assert set(read.columns) == {"t", "q"}
    assert read.columns["q"].tolist() == [2, 3]
    assert set(read.codes) == {"trailing-delimiter"}
    monkeypatch.setattr(byte_source, "_BLOCK", 1 << 10)
    monkeypatch.setattr(delimited, "_HEAD", 1 << 10)  # the rest is not looked at beforehand
    for columns in ("t,,q", "t,q,"):
        line = columns.replace("t", "1").replace("q", "2") + "\n"
        late = "1,5,2\n" if columns == "t,,q" else "1,2,5\n"
        notice = refused(write(columns + "\n" + line * 1000 + late + line))
        assert (notice.code, notice.line) == ("unnamed-column", 1002)


def test_b30_spaces(write):
    assert_good(read_all(write(GOOD.replace(",", "  , "))))
    assert_good(read_all(write(GOOD.replace("\n", "  \n"))))


def test_b31_comments_and_units(write):
    text = "# made by hand\n# today\n" + GOOD.replace("0.2", "# pause\n0.2")
    read = read_all(write(text))
    assert_good(read)
    assert (read.count("preamble"), read.count("comment")) == (2, 1)
    read = read_all(write(GOOD.replace("\n", "\ns,[rad],(Nm)\n", 1)))
    assert_good(read)
    assert [column.unit for column in read.log.streams[0].columns] == ["s", "rad", "Nm"]
    assert read.notice("units-row").line == 2
    read = read_all(write(GOOD.replace("t,q,tau", "t [s],q [deg],tau [Nm]")))
    assert [column.unit for column in read.log.streams[0].columns] == ["s", "deg", "Nm"]
    notice = refused(write(GOOD.replace("\n", "\nhello,you,there\n", 1)))
    assert (notice.code, line_column(notice)) == ("not-a-number", (2, 1))
    notice = refused(write("recorded by me\n" + GOOD))
    assert notice.code == "wrong-cell-count"


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_b32_other_delimiters(write, delimiter):
    read = read_all(write(GOOD.replace(",", delimiter)))
    assert_good(read)
    assert set(read.codes) == {"delimiter"}


def test_b33_decimal_comma(write):
    text = GOOD.replace(",", ";").replace(".", ",").replace(";,5", ";0,5").replace("5,\n", "5,0\n")
    read = read_all(write(text))
    assert_good(read)
    assert set(read.codes) == {"delimiter", "decimal-comma"}
    notice = refused(write(text + "0,4;1.5;2,5\n"))
    assert (notice.code, line_column(notice)) == ("not-a-number", (6, 2))
    assert "decimal commas" in notice.message


def test_b34_decimal_comma_with_comma(write):
    notice = refused(write("t,q\n0,0,1,5\n0,1,1,6\n"))
    assert (notice.code, notice.line) == ("wrong-cell-count", 2)
    assert "decimal commas" in notice.hint


def test_b35_thousands_separators(write):
    notice = refused(write(GOOD + "0.4,1,234.5,2\n0.5,1,1\n"))
    assert (notice.code, notice.line) == ("wrong-cell-count", 6)
    notice = refused(write(GOOD.replace(",", ";") + "0.4;1,234.5;2\n0.5;1;1\n"))
    assert (notice.code, line_column(notice)) == ("not-a-number", (6, 2))
    assert "thousands" in notice.message


def test_b36_runs_of_spaces(write):
    text = GOOD.replace(",", "    ").replace("\n", "  \n   ")
    read = read_all(write(text.rstrip(" ")))
    assert_good(read)
    assert set(read.codes) == {"delimiter"}
    assert_good(read_all(write(GOOD.replace(",", " \t "))))


def test_b37_open_quote(write):
    notice = refused(write(GOOD + '0.4,"1,2\n0.5,1,2\n0.6,1",2\n'))
    assert (notice.code, notice.line) == ("open-quote", 6)
    assert refused(write('t,"q,tau\n0,1,2\n')).line == 1
    assert_good(read_all(write('"t","q","tau"\n' + GOOD.split("\n", 1)[1].replace("4", '"4"'))))


def test_b38_line_ends(write):
    assert read_all(write(GOOD.replace("\n", "\r\n"))).codes == {}
    read = read_all(write(GOOD.replace("\n", "\r")))
    assert_good(read)
    assert set(read.codes) == {"line-ends"}
    read = read_all(write(GOOD.replace("\n", "\r\n", 2)))
    assert_good(read)
    assert "mixed" in read.notice("line-ends").message
    assert read.positions == [2, 3, 4, 5]


def test_b39_b40_byte_order_marks(write):
    read = read_all(write(GOOD.encode("utf-8-sig")))
    assert_good(read)
    assert set(read.codes) == {"byte-order-mark"}
    for encoding in ("utf-16", "utf-32"):
        read = read_all(write(GOOD.encode(encoding)))
        assert_good(read)
        assert set(read.codes) == {"re-encoded"}
    assert refused(write(GOOD.encode("utf-16-le"))).code == "nul-byte"


def test_b41_latin_1_is_said(write):
    text = GOOD.replace("q,", "q [°],")
    read = read_all(write(text.encode("latin-1")))
    assert read.notice("latin-1").line == 1
    assert [column.name for column in read.log.streams[0].columns] == ["t", "q [°]", "tau"]
    assert read.log.streams[0].columns[1].unit == "°"
    assert read_all(write(text)).codes == {}


def test_b42_nul_in_the_middle(write):
    notice = refused(write(GOOD.encode() + b"0.4,\0,2\n0.5,1,2\n"))
    assert (notice.code, notice.line) == ("nul-byte", 6)
    assert f"byte {len(GOOD) + 4}" in notice.message


@pytest.mark.parametrize("cell", ["ERR", "#N/A", "1.#QNAN", "", "null", "--"])
def test_b43_text_among_numbers(write, cell):
    path = write(GOOD + f"0.4,{cell},2\n0.5,1,2\n0.6,{cell},2\n")
    notice = refused(path)
    assert (notice.code, line_column(notice)) == ("not-a-number", (6, 2))
    assert "8:2" in notice.message
    read = read_all(path, ReadOptions(na_values=(cell,)))
    assert np.flatnonzero(np.isnan(read.columns["q"])).tolist() == [4, 6]
    assert read_all(path, columns=["t", "tau"]).columns["tau"].size == 7


def test_b44_values_that_are_not_finite(write):
    words = ["NaN", "nan", "NAN", "-nan", "inf", "Inf", "-Infinity", "1e400"]
    read = read_all(write(GOOD + "".join(f"1,{word},2\n" for word in words)))
    assert not np.isfinite(read.columns["q"][4:]).any()
    assert np.isfinite(read.columns["q"][:4]).all()


@pytest.mark.parametrize("cell", ["0x10", "1_000", "1D3", "\u22121", "\u0661", "1e", "+-1"])
def test_b45_odd_numbers(write, cell):
    notice = refused(write(GOOD + f"0.4,1,{cell}\n0.5,1,2\n"))
    assert (notice.code, line_column(notice)) == ("not-a-number", (6, 3))


def test_b46_numbers_with_units(write):
    notice = refused(write(GOOD + '0.4,1,"1.2 Nm"\n0.5,1,2\n'))
    assert (notice.code, line_column(notice)) == ("not-a-number", (6, 3))
    assert "unit" in notice.message


def test_b47_truth_values(write):
    path = write("t,on\n0,true\n1,False\n")
    assert read_all(path, columns=["t"]).columns["t"].tolist() == [0, 1]
    assert refused(path, columns=["on"]).code == "boolean-column"


def test_b51_wide_and_long_tables(write):
    wide = ",".join(f"c{i}x" for i in range(10_000))
    notice = refused(write(wide + "\n" + ",".join(["1"] * 10_000) + "\n"))
    assert notice.code == "too-wide"
    rows = "".join(f"{joint},{t},1.5\n" for t in range(5) for joint in ("elbow", "wrist"))
    assert refused(write("joint,t,q\n" + rows)).code == "long-format"


def test_large_whole_numbers_keep_their_digits(write):
    stamp = 1_700_000_000_123_456_789
    read = read_all(write(f"ns,q\n{stamp},1\n{stamp + 1},2\n"))
    assert read.columns["ns"].dtype == np.int64
    assert np.diff(read.columns["ns"]).tolist() == [1]
    rows = [f"{stamp + i},1" for i in range(60_000)]
    rows[59_990] = f"{stamp}.5,1"
    notice = refused(write("ns,q\n" + "\n".join(rows) + "\n"))
    assert (notice.code, line_column(notice)) == ("not-a-number", (59_992, 1))


def test_lists_in_cells(write):
    read = read_all(write('t,q\n0,"[1.0, 2.0]"\n1,"[3, 4]"\n'))
    assert read.columns["q[1]"].tolist() == [2, 4]
    notice = refused(write('t,q\n0,"[1.0, 2.0]"\n1,"[3, x]"\n2,"[3, 4]"\n'))
    assert (notice.code, line_column(notice)) == ("not-a-number", (3, 2))


def test_unknown_names_are_answered_with_what_there_is(write):
    path = write(GOOD)
    assert refused(path, columns=["tua"]).hint == "did you mean 'tau'?"
    assert "data (columns" in refused(path, stream="dota").message


def test_a_second_pass_counts_nothing_twice(write):
    with open_log(write(GOOD + "\n\n0.4,1,2")) as log:
        for _ in range(2):
            list(log.batches("data", ["t"]))
            assert {found.code: found.count for found in log.findings.all()} == {
                "blank-line": 2,
                "cut-last-line": 1,
            }


def test_r31_many_findings_are_one_notice():
    findings = Findings("log.csv")
    for line in range(1_000):
        findings.add("blank-line", "blank lines were left out", line=line + 3)
    (notice,) = findings.notices()
    assert notice.line == 3
    assert "1000 times" in notice.message
    assert notice.effect is Effect.NONE
    assert notice.message.count("line ") == 5
