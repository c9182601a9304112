"""The bytes of a file from front to back, decompressed where it is gzip or Zstandard.

Sizes are watched while decompressing, so a small file cannot fill memory or disk; a compressed
stream that ends early gives what it holds and says so.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import zstandard

from robotid.errors import BadDataError, Effect, StorageError
from robotid.logs.findings import Findings

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
LARGEST_RATIO = 200
FREE_BYTES = 16 << 20  # a ratio says little below this
_LARGEST_WINDOW = 1 << 27
_BLOCK = 1 << 20
_ZSTD_FEED = 1 << 10  # what 1 kB of Zstandard can become still fits in memory (44 MB)
_OUT = 4 << 20


def compression_of(head: bytes) -> str | None:
    """`gzip`, `zstd` or None, by the first bytes of a file."""
    if head.startswith(GZIP):
        return "gzip"
    return "zstd" if head.startswith(ZSTD) else None


def blocks(path: Path, findings: Findings) -> Iterator[bytes]:
    """The decompressed bytes of a file, a few MB at a time."""
    with path.open("rb", buffering=0) as file:
        head = read_block(file, path, 4)
        kind = compression_of(head)
        file.seek(0)
        raw = _raw_blocks(file, path)
        if kind is None:
            yield from raw
            return
        opened = _gunzipped(raw) if kind == "gzip" else _unzstd(raw)
        taken = given = 0
        whole = True
        try:
            for taken, data, whole in opened:  # noqa: B007 (looked at after the loop)
                given += len(data)
                if given > FREE_BYTES + LARGEST_RATIO * taken:
                    raise BadDataError(
                        "decompression-bomb",
                        f"{taken} compressed bytes became more than {given}",
                        file=str(path),
                        hint=f"decompress it yourself if it really is {LARGEST_RATIO} times larger",
                    )
                if data:
                    yield data
        except (zlib.error, zstandard.ZstdError) as error:
            said = f"the {kind} stream is damaged near byte {taken}, after {given} bytes of content"
            raise BadDataError("damaged-compression", said, file=str(path)) from error
        if not whole:
            findings.add(
                "cut-compression",
                f"the {kind} stream ended early, at byte {taken}: what came before it is used",
                effect=Effect.DATA_LOST,
            )


def read_block(file: BinaryIO, path: Path, size: int) -> bytes:
    """At most `size` bytes; a disk that fails is named with the offset (B18)."""
    try:
        return file.read(size)
    except OSError as error:
        said = f"cannot read on at byte {file.tell()}: {error.strerror or error}"
        raise StorageError("io-error", said, file=str(path)) from error


def _raw_blocks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    while block := read_block(file, path, _BLOCK):
        yield block


def _gunzipped(raw: Iterator[bytes]) -> Iterator[tuple[int, bytes, bool]]:
    """(bytes taken, content, whether the stream is whole up to here), members in a row."""
    taken, member = 0, zlib.decompressobj(wbits=31)
    for block in raw:
        left = block
        while left:
            if member.eof:
                if not left.strip(b"\0"):
                    left = b""  # padding after the last member
                    break
                member = zlib.decompressobj(wbits=31)
            data = member.decompress(left, _OUT)
            rest = member.unused_data if member.eof else member.unconsumed_tail
            yield taken + len(block) - len(rest), data, member.eof
            left = rest
        taken += len(block)
    if not member.eof:
        data = member.flush()
        yield taken, data, member.eof


def _unzstd(raw: Iterator[bytes]) -> Iterator[tuple[int, bytes, bool]]:
    taken = 0
    frame = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()
    started = False
    for block in raw:
        left = block
        while left:
            if started and frame.eof:
                frame = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()
            part, left = left[:_ZSTD_FEED], left[_ZSTD_FEED:]
            data = frame.decompress(part)
            started = True
            if frame.eof:
                left = frame.unused_data + left
                taken += len(part) - len(frame.unused_data)
            else:
                taken += len(part)
            yield taken, data, frame.eof
