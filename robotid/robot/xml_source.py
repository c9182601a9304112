"""XML that strangers wrote: parsed within bounds, every element with its line and byte offset.

Robot files need neither document types nor entities, so both are refused: no entity can expand,
and nothing outside the file is ever read.
"""

import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from robotid.errors import BadDataError, InputMissingError, from_os_error

MAX_BYTES = 20_000_000
MAX_DEPTH = 200
MAX_ELEMENTS = 200_000
# Encodings in which a byte below 128 is that ASCII character, so offsets can be edited.
_ENCODINGS = ("utf-8", "us-ascii", "ascii", "iso-8859-1")


@dataclass(slots=True)
class Element:
    """An element: name as written (prefix included), attributes, place, children."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    offset: int
    end: int = 0
    children: list["Element"] = field(default_factory=list)

    def all(self, tag: str) -> list["Element"]:
        """Children of a tag, in order."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator["Element"]:
        """The element and everything in it, in the order of the file."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))


@dataclass(frozen=True, slots=True)
class XmlSource:
    """A parsed file: its path for messages, its bytes and its outermost element."""

    file: str
    data: bytes
    root: Element

    def fail(self, code: str, message: str, at: Element | None = None, **more: Any) -> NoReturn:
        """Raise the error for what stands at an element."""
        place = {} if at is None else {"line": at.line, "column": at.column}
        raise BadDataError(code, message, file=self.file, **place, **more)


def read_xml(path: Path) -> XmlSource:
    """Read and parse a file."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            said, hint = "a robot is one file, this is a folder", "name the URDF or MJCF file in it"
            raise InputMissingError("is-a-folder", said, file=str(path), hint=hint)
        if not stat.S_ISREG(mode):  # a pipe would keep us waiting
            raise BadDataError("not-a-file", "only regular files can be read", file=str(path))
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise from_os_error(error, "reading a robot file") from error
    return parse_xml(data, str(path))


def parse_xml(data: bytes, file: str) -> XmlSource:
    """Parse bytes; `file` is what messages call them."""
    if len(data) > MAX_BYTES:
        said = f"the file is larger than {MAX_BYTES // 1_000_000} MB"
        raise BadDataError("too-large", said, file=file)
    if b"\0" in data:
        hint = "save it as UTF-8"
        raise BadDataError("not-text", "this is not text in UTF-8", file=file, hint=hint)
    builder = _Builder(file)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        said = f"not well-formed XML: {expat.errors.messages.get(error.code, 'parse error')}"
        raise BadDataError(
            "bad-xml", said, file=file, line=error.lineno, column=error.offset + 1
        ) from error
    return XmlSource(file, data, builder.outermost.children[0])


class _Builder:
    """Collects elements while expat goes through a file."""

    def __init__(self, file: str) -> None:
        self._file, self._count = file, 0
        self.outermost = Element("", {}, 0, 0, 0)
        self._open = [self.outermost]
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.XmlDeclHandler = self._declaration

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._open) > MAX_DEPTH:
            self._fail("too-deep", f"elements nest more than {MAX_DEPTH} deep")
        if self._count > MAX_ELEMENTS:
            self._fail("too-large", f"there are more than {MAX_ELEMENTS} elements")
        parser = self.parser
        element = Element(
            tag,
            attributes,
            parser.CurrentLineNumber,
            parser.CurrentColumnNumber + 1,
            parser.CurrentByteIndex,
        )
        self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._open.pop().end = self.parser.CurrentByteIndex

    def _doctype(self, *_: object) -> None:
        self._fail("doctype", "document types and entities are not allowed", "remove <!DOCTYPE …>")

    def _declaration(self, _: str, encoding: str | None, __: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            self._fail("bad-encoding", f"encoding {encoding!r} is not read", "save it as UTF-8")

    def _fail(self, code: str, message: str, hint: str | None = None) -> NoReturn:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        raise BadDataError(code, message, file=self._file, line=line, column=column, hint=hint)
