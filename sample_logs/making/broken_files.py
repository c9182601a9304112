"""Files that are damaged as a whole."""

import zlib

from making import formats
from making.case import Base, Case
from making.signals import csv_lines, text


def stored_gzip(data: bytes) -> bytes:
    """A gzip file that does not compress: the same bytes from every version of zlib."""
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    packed = packer.compress(data) + packer.flush()
    return packed[:9] + b"\xff" + packed[10:]  # the system it was written on: unknown


def raw_zstandard(blocks: list[tuple[bytes, int]]) -> bytes:
    """A Zstandard frame by hand: each block is bytes as they are, or one byte so many times."""
    out = b"\x28\xb5\x2f\xfd" + b"\x00\x38"
    for number, (data, repeat) in enumerate(blocks):
        last = number == len(blocks) - 1
        kind, size = (1, repeat) if repeat else (0, len(data))
        out += (last | kind << 1 | size << 3).to_bytes(3, "little") + data
    return out


def file_cases(base: Base) -> list[Case]:
    """B04 to B20, as far as a small file can show them."""
    lines, good = base.lines, text(base.lines)
    short = base.run.first(40)
    blank_lines = [(b"\n", 1 << 17)] * 160
    return [
        Case("B04", "b04_empty.csv", "no bytes at all", b"", 65, "empty-file"),
        Case("B05", "b05_header_only.csv", "a header and no rows", text(lines[:1]), 65,
             "no-samples"),
        Case("B06", "b06_one_row.csv", "a single sample", text(lines[:2]), 65, "no-samples"),
        Case("B08", "b08_parquet.csv", "Parquet called .csv", formats.parquet(short), 0,
             "other-extension"),
        Case("B08", "b08_gzip.csv", "gzip called .csv", stored_gzip(good), 0, "other-extension"),
        Case("B08", "b08_unknown.csv", "bytes of no format", bytes(range(256)) * 4, 65,
             "unknown-format"),
        Case("B09", "b09_zeros_at_the_end.csv", "the tail a crash left: zeros",
             good + bytes(512), 3, "zero-tail"),
        Case("B10", "b10_only_zeros.csv", "never written: zeros only", bytes(1024), 65,
             "only-zeros"),
        Case("B17", "b17_twice.csv", "the same recording under two names",
             {"b17_twice.csv": good, "b17_twice_again.csv": good}, 65, "same-recording",
             more=("b17_twice_again.csv",)),
        Case("B19", "b19_cut.csv.gz", "a gzip file that was cut",
             stored_gzip(text(csv_lines(base.run, 5)))[:6000], 3, "cut-compression"),
        Case("B19", "b19_cut.csv.zst", "a Zstandard file that was cut",
             raw_zstandard([(good[:1500], 0), (good[1500:], 0)])[:2000], 3, "cut-compression"),
        Case("B20", "b20_bomb.csv.zst", "700 bytes that unfold to 20 MB",
             raw_zstandard([(text(lines[:2]), 0), *blank_lines]), 65, "decompression-bomb"),
    ]  # fmt: skip
