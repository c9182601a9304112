"""Texts of variable length in HDF5: their lengths are looked up before the library believes them.

Such a text is stored as a length, the address of a heap and a place in it. The library allocates
the length before it looks for the heap, so four damaged bytes cost 4 GB. Where the length stands is
asked of the library for datasets, and found among the messages of the object's header for
attributes. What is not found there (attributes in a heap of their own) is not read, and so is what
is no text; a length beyond the file is a ValueError.
"""

import os
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

import h5py
import numpy as np

LONGEST_TEXT = 1 << 24
_LARGEST_BLOCK = 1 << 20  # of an object header
_DESCRIPTOR = 16  # bytes: length, address, index
_CONTINUATION, _ATTRIBUTE = 0x10, 0x0C
_MOST_BLOCKS = 100


def dataset_text(dataset: Any, file: BinaryIO) -> str | None:
    """The text of a dataset that holds one; None if it cannot be read safely.

    Args:
        dataset: of one text.
        file: the same file, open for reading bytes.
    """
    if h5py.check_string_dtype(dataset.dtype).length is None:
        at = dataset.id.get_offset()
        if at is None or dataset.id.get_storage_size() != _DESCRIPTOR or not _fits(file, at):
            return None
    elif dataset.dtype.itemsize > LONGEST_TEXT:
        return None
    return _text(dataset[()])


def attribute_text(item: Any, name: str, file: BinaryIO) -> str | None:
    """The text of an attribute; None if there is none or it cannot be read safely.

    Args:
        item: the group or dataset.
        name: of the attribute.
        file: the same file, open for reading bytes.
    """
    if name not in item.attrs:
        return None
    found = item.attrs.get_id(name)
    kind = h5py.check_string_dtype(found.dtype)
    if kind is None or found.shape not in ((), (1,)) or found.dtype.itemsize > LONGEST_TEXT:
        return None
    if kind.length is None:
        start = int(item.file.userblock_size)
        address = start + int(h5py.h5o.get_info(item.id).addr)
        places = [at for stored, at in _attributes(file, address, start) if stored == name.encode()]
        if not places or not all(_fits(file, at) for at in places):
            return None
    return _text(item.attrs[name])


def _text(value: Any) -> str:
    single = value if isinstance(value, str | bytes) else np.asarray(value).flat[0]
    return single.decode("utf-8", "backslashreplace") if isinstance(single, bytes) else str(single)


def _fits(file: BinaryIO, at: int) -> bool:
    """Whether the text described at an offset is not too long to be read."""
    raw = _read(file, at, 4)
    length = int.from_bytes(raw, "little")
    if len(raw) < 4 or length > os.fstat(file.fileno()).st_size:
        raise ValueError(f"a text of {length} bytes")
    return length <= LONGEST_TEXT


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def _attributes(file: BinaryIO, address: int, start: int) -> Iterator[tuple[bytes, int]]:
    """Names of the attributes in an object header, and where the value of each stands."""
    for kind, body, at in _messages(file, address, start):
        if kind != _ATTRIBUTE or len(body) < 9:
            continue
        version, name, datatype, space = struct.unpack_from("<BxHHH", body)
        step = 8 if version == 1 else 1  # the first version pads its parts
        head = 9 if version == 3 else 8
        parts = [size + -size % step for size in (name, datatype, space)]
        yield body[head : head + name].rstrip(b"\0"), at + head + sum(parts)


def _messages(file: BinaryIO, address: int, start: int) -> Iterator[tuple[int, bytes, int]]:
    """(type, content, offset of the content) of the messages of an object header.

    Args:
        file: the file.
        address: where the header stands.
        start: what addresses inside the file are counted from.
    """
    head = _read(file, address, 40)
    if len(head) < 24:
        return
    if head.startswith(b"OHDR"):
        flags = head[5]
        at = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
        width = 1 << (flags & 3)
        size = int.from_bytes(head[at : at + width], "little")
        blocks = [(address + at + width, size)]
        layout, extra, frame = struct.Struct("<BHB"), 2 if flags & 4 else 0, 4
    else:
        blocks = [(address + 16, int.from_bytes(head[8:12], "little"))]
        layout, extra, frame = struct.Struct("<HHB3x"), 0, 0
    for _ in range(_MOST_BLOCKS):
        if not blocks:
            return
        begin, size = blocks.pop(0)
        block = _read(file, begin, min(size, _LARGEST_BLOCK))
        at = 0
        while at + layout.size + extra <= len(block):
            kind, length, _ = layout.unpack_from(block, at)
            at += layout.size + extra
            body = block[at : at + length]
            if kind == _CONTINUATION and len(body) >= 16:
                target, room = struct.unpack_from("<QQ", body)
                # A block of the second version stands between a signature and a checksum.
                blocks.append((start + target + frame, max(0, room - 2 * frame)))
            yield kind, body, begin + at
            at += length
