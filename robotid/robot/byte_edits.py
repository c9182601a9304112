"""Changes of an XML file in place: a few bytes are replaced, all others stay as they are."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from robotid.robot.xml_source import Element

_TAG = re.compile(rb"<[^\"'>]*(?:\"[^\"]*\"[^\"'>]*|'[^']*'[^\"'>]*)*>")
_ATTRIBUTE = re.compile(rb"([^\s=<>/\"']+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


class ByteEdit(NamedTuple):
    """Put `text` where the bytes from `start` to `end` are."""

    start: int
    end: int
    text: bytes


def apply_edits(data: bytes, edits: Iterable[ByteEdit]) -> bytes:
    """The bytes with all edits made; edits may not overlap."""
    pieces, at = [], 0
    for edit in sorted(edits):
        if edit.start < at:
            raise ValueError("edits overlap")
        pieces += [data[at : edit.start], edit.text]
        at = edit.end
    return b"".join([*pieces, data[at:]])


def start_tag(data: bytes, element: Element) -> tuple[int, int]:
    """Where the start tag of an element begins and ends."""
    match = _TAG.match(data, element.offset)
    if match is None:
        raise ValueError(f"no tag at byte {element.offset}")
    return match.span()


def whole(data: bytes, element: Element) -> tuple[int, int]:
    """Where an element begins and ends, with all it holds."""
    start, end = start_tag(data, element)
    if data[end - 2 : end] == b"/>":
        return start, end
    return start, data.index(b">", element.end) + 1


def attribute_spans(data: bytes, element: Element) -> dict[str, tuple[int, int]]:
    """Where the values of an element's attributes stand, without their quotes."""
    start, end = start_tag(data, element)
    spans = {}
    for match in _ATTRIBUTE.finditer(data, start, end):
        spans[match[1].decode("latin-1")] = match.span(2 if match[2] is not None else 3)
    return spans


def set_attributes(data: bytes, element: Element, values: Mapping[str, str]) -> list[ByteEdit]:
    """Give attributes new values; those that are not there yet are added at the end of the tag."""
    spans = attribute_spans(data, element)
    end = start_tag(data, element)[1]
    end -= 2 if data[end - 2 : end] == b"/>" else 1
    edits = [
        ByteEdit(*spans[name], text.encode()) for name, text in values.items() if name in spans
    ]
    new = "".join(f' {name}="{text}"' for name, text in values.items() if name not in spans)
    while data[end - 1 : end].isspace():  # behind the last attribute, not behind its blanks
        end -= 1
    return [*edits, ByteEdit(end, end, new.encode())] if new else edits


def insert_inside(data: bytes, element: Element, text: str) -> ByteEdit:
    """Put text in front of all an element holds; `<tag/>` is opened for it."""
    end = start_tag(data, element)[1]
    if data[end - 2 : end] != b"/>":
        return ByteEdit(end, end, text.encode())
    return ByteEdit(end - 2, end, f">{text}</{element.tag}>".encode())


def blanked(data: bytes, start: int, end: int) -> ByteEdit:
    """Replace bytes with blanks; lines keep their numbers."""
    return ByteEdit(start, end, re.sub(rb"[^\r\n]", b" ", data[start:end]))


def indentation(data: bytes, element: Element) -> str:
    """The line break and blanks in front of an element, if it begins its line."""
    start = data.rfind(b"\n", 0, element.offset) + 1
    before = data[start : element.offset]
    if before.strip() or start == 0:
        return ""
    newline = "\r\n" if data[start - 2 : start] == b"\r\n" else "\n"
    return newline + before.decode("latin-1")
