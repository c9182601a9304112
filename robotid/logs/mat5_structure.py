"""Whether the sizes in a MATLAB v5 variable fit its bytes, before a parser believes them.

A variable is a matrix element: flags, dimensions, name, then numbers or, for cells and structures,
matrix elements. An element is a tag with type and length, and that many bytes, padded to 8.
"""

import struct
from math import prod

_MATRIX = 14
_CELL, _STRUCT, _OBJECT, _SPARSE, _FUNCTION = 1, 2, 3, 5, 16
_DEEPEST = 20
# Bytes of a number by element type: int8 uint8 int16 … double, int64 uint64, UTF-8, -16, -32.
_SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8, 16: 1, 17: 2, 18: 4}


class Structure:
    """Walks over the elements of a variable."""

    def __init__(self, data: bytes, order: str) -> None:
        self._data, self._order = data, order

    def check(self) -> None:
        """Raise ValueError where a size cannot be."""
        self._matrix(0, len(self._data), 0)

    def _element(self, at: int, end: int) -> tuple[int, int, int, int]:
        """(type, start, length, next) of the element at an offset; it must end before `end`."""
        if at + 8 > end:
            raise ValueError(f"an element beyond its end, at {at}")
        kind, length = struct.unpack_from(f"{self._order}II", self._data, at)
        if kind >> 16:  # small: length and type share a word, the data fill the other
            kind, length = kind & 0xFFFF, kind >> 16
            if length > 4:
                raise ValueError(f"a small element of {length} bytes, at {at}")
            return kind, at + 4, length, at + 8
        start = at + 8
        if start + length > end:
            raise ValueError(f"an element of {length} bytes, at {at}")
        return kind, start, length, min(end, start + length + -length % 8)

    def _matrix(self, at: int, end: int, depth: int) -> int:
        """Check a matrix element; where the next element begins."""
        if depth > _DEEPEST:
            raise ValueError("structures nested too deeply")
        kind, start, length, following = self._element(at, end)
        if kind != _MATRIX:
            raise ValueError(f"an element of type {kind} instead of a matrix, at {at}")
        if not length:
            return following
        inner = start + length
        _, flags_at, flags_length, at = self._element(start, inner)
        if flags_length != 8:
            raise ValueError(f"flags of {flags_length} bytes")
        (flags,) = struct.unpack_from(f"{self._order}I", self._data, flags_at)
        category = flags & 0xFF
        if category >= _FUNCTION:  # functions and objects have a layout of their own
            return following
        _, dims_at, dims_length, at = self._element(at, inner)
        if dims_length % 4 or not 8 <= dims_length <= 128:
            raise ValueError(f"dimensions of {dims_length} bytes")
        dims = struct.unpack_from(f"{self._order}{dims_length // 4}i", self._data, dims_at)
        if min(dims) < 0:
            raise ValueError(f"dimensions {dims}")
        _, _, _, at = self._element(at, inner)  # the name
        items = prod(dims)
        if category == _CELL:
            self._children(items, at, inner, depth)
        elif category in (_STRUCT, _OBJECT):
            self._fields(items, category, at, inner, depth)
        elif category == _SPARSE:
            raise ValueError("a sparse matrix")
        else:
            self._numbers(items, at, inner, parts=2 if flags & 0x800 else 1)
        return following

    def _children(self, count: int, at: int, end: int, depth: int) -> None:
        if 8 * count > end - at:
            raise ValueError(f"{count} items in {end - at} bytes")
        for _ in range(count):
            at = self._matrix(at, end, depth + 1)

    def _fields(self, items: int, category: int, at: int, end: int, depth: int) -> None:
        if category == _OBJECT:
            _, _, _, at = self._element(at, end)  # the name of its class
        _, longest_at, length, at = self._element(at, end)
        if length != 4:
            raise ValueError(f"{length} bytes for the length of names")
        (longest,) = struct.unpack_from(f"{self._order}i", self._data, longest_at)
        _, _, length, at = self._element(at, end)
        if longest <= 0 or length % longest:
            raise ValueError(f"names of {longest} bytes in {length}")
        self._children(items * (length // longest), at, end, depth)

    def _numbers(self, items: int, at: int, end: int, parts: int) -> None:
        for _ in range(parts):
            kind, _, length, at = self._element(at, end)
            size = _SIZES.get(kind)
            if size is None or size * items != length:
                # text may be shorter: UTF-8 and one-byte characters share a class
                if kind in (1, 2, 4, 16, 17, 18) and size is not None and length <= 4 * items + 8:
                    continue
                raise ValueError(f"{length} bytes of type {kind} for {items} numbers")
