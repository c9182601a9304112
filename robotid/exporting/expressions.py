"""Sums of products with constants folded, collected as lines of code.

The lines are valid in C and in Python: `name = expression`. A value is a number times a name, so
zeros, ones and signs cost nothing; sums that occur twice are computed once, and what no result
needs is left out.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Value(NamedTuple):
    """A coefficient times a variable; without a name it is a constant."""

    coefficient: float
    name: str = ""

    @property
    def text(self) -> str:
        """The value as an expression."""
        return _joined([(self.coefficient, (self.name,) if self.name else ())])


ZERO, ONE = Value(0.0), Value(1.0)
Vector = list[Value]
Matrix = list[Vector]


class Line(NamedTuple):
    """`name = text`."""

    name: str
    text: str


class Program:
    """Lines of code, in order."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._known: dict[str, str] = {}

    def let(self, text: str) -> Value:
        """A variable for an expression; the same one when it comes again."""
        if text not in self._known:
            self._known[text] = f"x{len(self._lines)}"
            self._lines.append(Line(self._known[text], text))
        return Value(1.0, self._known[text])

    def call(self, function: str, argument: Value) -> Value:
        """A function of a value."""
        return self.let(f"{function}({argument.text})")

    def sum(self, *products: Sequence[Value]) -> Value:
        """The sum of some products."""
        terms: dict[tuple[str, ...], float] = {}
        for product in products:
            coefficient = 1.0
            for value in product:
                coefficient *= value.coefficient
            if coefficient == 0.0:
                continue
            names = tuple(sorted(value.name for value in product if value.name))
            terms[names] = terms.get(names, 0.0) + coefficient
        left = [(coefficient, names) for names, coefficient in terms.items() if coefficient != 0.0]
        if not left:
            return ZERO
        if len(left) == 1 and len(left[0][1]) < 2:
            return Value(left[0][0], "".join(left[0][1]))
        return self.let(_joined(left))

    def plus(self, *values: Value) -> Value:
        """The sum of some values."""
        return self.sum(*([value] for value in values))

    def dot(self, a: Iterable[Value], b: Iterable[Value]) -> Value:
        """aᵀ b."""
        return self.sum(*zip(a, b, strict=True))

    def times(self, matrix: Matrix, vector: Vector) -> Vector:
        """A matrix times a vector."""
        return [self.dot(row, vector) for row in matrix]

    def add(self, *vectors: Vector) -> Vector:
        """The sum of vectors."""
        return [self.plus(*entries) for entries in zip(*vectors, strict=True)]

    def scaled(self, factor: Value, vector: Vector) -> Vector:
        """A number times a vector."""
        return [self.sum([factor, entry]) for entry in vector]

    def cross(self, a: Vector, b: Vector) -> Vector:
        """The product a × b."""
        minus = Value(-1.0)
        return [
            self.sum(
                [a[(k + 1) % 3], b[(k + 2) % 3]],
                [minus, a[(k + 2) % 3], b[(k + 1) % 3]],
            )
            for k in range(3)
        ]

    def needed(self, results: Iterable[Value]) -> list[Line]:
        """The lines that results depend on."""
        wanted = {value.name for value in results}
        kept = []
        for line in reversed(self._lines):
            if line.name in wanted:
                kept.append(line)
                wanted.update(re.findall(r"\bx\d+\b", line.text))
        return kept[::-1]


def transposed(matrix: Matrix) -> Matrix:
    """The transpose."""
    return [list(column) for column in zip(*matrix, strict=True)]


def _joined(terms: Sequence[tuple[float, tuple[str, ...]]]) -> str:
    """`2.0*a*b - c + 1.5`."""
    text = ""
    for coefficient, names in terms:
        size = abs(coefficient)
        factors = [*([repr(size)] if size != 1.0 or not names else []), *names]
        sign = ("-" if coefficient < 0 else "") if not text else " - " if coefficient < 0 else " + "
        text += sign + "*".join(factors)
    return text
