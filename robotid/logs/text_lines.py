"""Whole lines of a text file as UTF-8 with line feeds, some megabytes at a time."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robotid.errors import BadDataError, Effect
from robotid.logs.byte_source import blocks
from robotid.logs.findings import Findings

LONGEST_LINE = 1 << 20
CHUNK = 8 << 20
_CACHED = 1 << 17  # bytes at a time, so that what is compared stays near the processor
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Lines(NamedTuple):
    """Whole lines, each with its line feed.

    Args:
        text: the lines.
        first: the number of the first.
        end: the number of the line after them.
        last: whether it is the end of the file.
    """

    text: bytes
    first: int
    end: int
    last: bool


def count_lines(text: bytes) -> int:
    """How many line feeds there are; ten times as fast as `bytes.count`."""
    codes = np.frombuffer(text, np.uint8)
    return sum(
        int(np.count_nonzero(codes[start : start + _CACHED] == 10))
        for start in range(0, codes.size, _CACHED)
    )


def encoding_mark(head: bytes) -> str | None:
    """The encoding that a byte order mark states."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), None)


def whole_lines(path: Path, findings: Findings, size: int = CHUNK) -> Iterator[Lines]:
    """The lines of a file; one without line end at the end of the file is left out (B21).

    Args:
        path: the file.
        findings: takes what was mended.
        size: how many bytes to gather before giving lines out.
    """
    held = unfinished = feeds = 0
    buffer: list[bytes] = []
    ready = Lines(b"", 1, 1, last=False)
    for data in _with_line_feeds(_as_utf8(path, findings), findings):
        cut = data.rfind(b"\n") + 1
        if unfinished + (data.find(b"\n") if cut else len(data)) > LONGEST_LINE:
            _refuse_long_line(path, ready.end + feeds)
        feeds += count_lines(data)
        unfinished = len(data) - cut + (0 if cut else unfinished)
        if unfinished > LONGEST_LINE:
            _refuse_long_line(path, ready.end + feeds)
        if held + len(data) < size or not cut:
            buffer.append(data)
            held += len(data)
            continue
        text = b"".join((*buffer, data[:cut]))
        buffer, held = [data[cut:]], len(data) - cut
        if ready.text:
            yield ready
        ready, feeds = Lines(text, ready.end, ready.end + feeds, last=False), 0
    text = b"".join(buffer)
    cut = text.rfind(b"\n") + 1
    if cut:
        if ready.text:
            yield ready
        ready = Lines(text[:cut], ready.end, ready.end + feeds, last=False)
    if cut < len(text):
        findings.add(
            "cut-last-line",
            "the last line has no line end and was left out: its last number may be cut",
            line=ready.end,
            effect=Effect.DATA_LOST,
        )
    if ready.text:
        yield ready._replace(last=True)


def _refuse_long_line(path: Path, line: int) -> None:
    said = f"a line of more than {LONGEST_LINE >> 20} MB"
    raise BadDataError("long-line", said, file=str(path), line=line, hint="is it a text log?")


def _as_utf8(path: Path, findings: Findings) -> Iterator[bytes]:
    """The text in UTF-8 without mark; what is not Unicode is latin-1, which is said (B41)."""
    decoder: codecs.IncrementalDecoder | None = None
    offset = line = 0  # lines are counted only where text is decoded: who reads on counts them
    source = blocks(path, findings)
    for block in source:
        data = block
        mark = None if offset else encoding_mark(data)
        if mark == "utf-8-sig":
            findings.add("byte-order-mark", "a UTF-8 byte order mark was left out")
            data = data[3:]
        elif mark is not None:
            findings.add("re-encoded", f"the text is {mark.upper()}, said by its first bytes")
            decoder = codecs.getincrementaldecoder(mark)()
        if decoder is None and not data.isascii():
            line = _lines_before(path, offset)
            decoder = _decoder_for(data, findings, line)
        if decoder is not None:
            try:
                data = decoder.decode(data).encode()
            except UnicodeError as error:
                said = f"not text: {error.reason if hasattr(error, 'reason') else error}"
                where = f"{said} after byte {offset}"
                raise BadDataError("not-text", where, file=str(path), line=line + 1) from error
        nul = data.find(b"\0")
        if nul >= 0:
            line = _lines_before(path, offset) if decoder is None else line
            line += count_lines(data[:nul])
            _only_zeros_follow(data[nul:], source, offset + nul, line + 1, path, findings)
            yield data[:nul]
            return
        line += count_lines(data) if decoder is not None else 0
        offset += len(block)
        yield data


def _lines_before(path: Path, offset: int) -> int:
    """How many line feeds there are in the first bytes of a text."""
    found = 0
    for block in blocks(path, Findings(str(path))):
        if offset <= 0:
            break
        found += count_lines(block[:offset])
        offset -= len(block)
    return found


def _decoder_for(data: bytes, findings: Findings, line: int) -> codecs.IncrementalDecoder:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(data)
    except UnicodeDecodeError as error:
        findings.add(
            "latin-1",
            f"byte {data[error.start]:#04x} is not UTF-8: the text was read as latin-1",
            line=line + count_lines(data[: error.start]) + 1,
        )
        return codecs.getincrementaldecoder("latin-1")()
    decoder.reset()
    return decoder


def _only_zeros_follow(
    tail: bytes, rest: Iterator[bytes], offset: int, line: int, path: Path, findings: Findings
) -> None:
    """A tail of zeros is what a crashed machine leaves; zeros inside are damage (B09, B42)."""
    count = 0
    for block in (tail, *rest):
        if block.strip(b"\0"):
            said = f"a NUL byte at byte {offset}"
            hint = "damaged, or UTF-16 without a byte order mark"
            raise BadDataError("nul-byte", said, file=str(path), line=line, hint=hint)
        count += len(block)
    if offset == 0:
        raise BadDataError("only-zeros", f"{count} zero bytes and nothing else", file=str(path))
    findings.add(
        "zero-tail",
        f"{count} zero bytes at the end were left out, as a crash leaves them",
        line=line,
        effect=Effect.DATA_LOST,
    )


def _with_line_feeds(source: Iterator[bytes], findings: Findings) -> Iterator[bytes]:
    r"""`\r\n` and `\r` as `\n`; lone or mixed ones are said (B38)."""
    held = b""
    feeds = returns = both = 0
    for block in source:
        data = held + block
        held = b""
        if b"\r" not in data:
            feeds += b"\n" in data
            yield data
            continue
        if data.endswith(b"\r"):  # its line feed may come with the next block
            data, held = data[:-1], b"\r"
        pairs = data.count(b"\r\n")
        both += pairs
        feeds += data.count(b"\n") - pairs
        returns += data.count(b"\r") - pairs
        data = data.replace(b"\r\n", b"\n")
        yield data.replace(b"\r", b"\n") if b"\r" in data else data
    if held:
        returns += 1
        yield b"\n"
    if returns:
        mixed = " mixed with others" if feeds or both else ""
        findings.add("line-ends", f"lines end in carriage returns{mixed}", count=returns)
    elif feeds and both:
        findings.add("line-ends", "mixed line ends", count=min(feeds, both))
