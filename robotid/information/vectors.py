"""Pieces of the kernels that have to be written in vectors of eight numbers, for numba.

Elsewhere the compiler finds vectors by itself. Here it does not: where rows become columns, where
lines go to memory past the caches, and where products are added up in many registers at once.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WIDTH = 8  # numbers in a vector, and in a line of the cache
DEEP = 3  # vectors that `solve_four` takes side by side
FLAGS = ("contract", "nsz")  # a product and a sum become one instruction
_NUMBER = ir.DoubleType()
_VECTOR = ir.VectorType(_NUMBER, WIDTH)


class Block:
    """A flat array of numbers in generated code."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
        self._builder = builder
        self._data = context.make_array(kind)(context, builder, array).data

    def place(self, at: Any, kind: Any = _VECTOR) -> Any:
        """Where `at` begins, for a value of a kind."""
        return self._builder.bitcast(self._builder.gep(self._data, [at]), kind.as_pointer())

    def vector(self, at: Any) -> Any:
        """The vector that begins at `at`."""
        return self._builder.load(self.place(at), align=8)


def _picked(builder: Any, left: Any, right: Any, places: list[int]) -> Any:
    """Some of the numbers of two vectors."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places)
    return builder.shuffle_vector(left, right, mask)


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """The columns of eight vectors: runs of one, two, then four numbers change their places."""
    for run in (1, 2, 4):
        for first in [k for k in range(WIDTH) if not k & run]:
            left, right = rows[first], rows[first + run]
            even = [k for k in range(WIDTH) if not k & run]
            low = sorted(even + [k + WIDTH for k in even], key=lambda k: (k % WIDTH, k // WIDTH))
            # numbers of a run stay together: all of the left one's, then all of the right one's
            low.sort(key=lambda k: (k % WIDTH // run, k // WIDTH))
            rows[first] = _picked(builder, left, right, low)
            rows[first + run] = _picked(builder, left, right, [k + run for k in low])
    return rows


def _store_ten(_: Any, source: Any, at: Any, run: Any, target: Any, to: Any, stride: Any) -> Any:
    """target[to + s stride + c] = source[at + c run + s] for ten c and eight s."""
    del at, run, to, stride  # only their types are known here, and those are given below

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, at, run, target, to, stride = arguments
        given = Block(context, builder, signature.args[0], source)
        out = Block(context, builder, signature.args[3], target)
        columns = []
        for _ in range(10):
            columns.append(given.vector(at))
            at = builder.add(at, run)
        *first, a, b = columns
        samples = _transposed(builder, first)
        halves = [
            _picked(builder, a, b, [k // 2 + 4 * half + WIDTH * (k % 2) for k in range(WIDTH)])
            for half in range(2)
        ]
        pair = ir.VectorType(_NUMBER, 2)
        for s, eight in enumerate(samples):
            builder.store(eight, out.place(to), align=8)
            half, k = halves[s // 4], s % 4
            two = _picked(builder, half, half, [2 * k, 2 * k + 1])
            behind = builder.add(to, ir.Constant(to.type, WIDTH))
            builder.store(two, out.place(behind, pair), align=8)
            to = builder.add(to, stride)
        return context.get_dummy_value()

    number = types.intp
    return types.void(source, number, number, target, number, number), generate


def _stream_line(_: Any, target: Any, to: Any, source: Any, at: Any) -> Any:
    """Write eight numbers, a line of the cache, past the caches; their place must be aligned."""
    del to, at

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, to, source, at = arguments
        out = Block(context, builder, signature.args[0], target)
        value = Block(context, builder, signature.args[2], source).vector(at)
        stored = builder.store(value, out.place(to), align=64)
        one = ir.Constant(ir.IntType(32), 1)
        stored.set_metadata("nontemporal", builder.module.add_metadata([one]))
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), generate


def _add_products(_: Any, left: Any, right: Any, lanes: Any, gram: Any, stride: Any) -> Any:
    """Add four runs times four runs to a 4 by 4 tile of the Gram matrix."""
    del lanes, stride

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, right, lanes, gram, stride = arguments
        a = Block(context, builder, signature.args[0], left)
        b = Block(context, builder, signature.args[1], right)
        out = Block(context, builder, signature.args[3], gram)
        zero = ir.Constant(_VECTOR, None)
        sums = [_variable(builder, zero) for _ in range(16)]
        step = ir.Constant(lanes.type, WIDTH)
        with cgutils.for_range_slice(builder, lanes.type(0), lanes, step) as (s, _):
            places = [s]
            for _ in range(3):
                places.append(builder.add(places[-1], lanes))
            lefts, rights = [a.vector(k) for k in places], [b.vector(k) for k in places]
            for k, place in enumerate(sums):
                value = builder.load(place)
                product = builder.fmul(lefts[k // 4], rights[k % 4], flags=FLAGS)
                builder.store(builder.fadd(value, product, flags=FLAGS), place)
        totals = [builder.load(place) for place in sums]
        four = ir.VectorType(_NUMBER, 4)
        for line in range(4):
            found = _summed(builder, totals[4 * line : 4 * line + 4])
            at = builder.mul(stride, ir.Constant(stride.type, line))
            place = out.place(at, four)
            builder.store(
                builder.fadd(builder.load(place, align=8), found, flags=FLAGS), place, align=8
            )
        return context.get_dummy_value()

    number = types.intp
    return types.void(left, right, number, gram, number), generate


def _summed(builder: Any, four: list[Any]) -> Any:
    """The sums of four vectors as one vector of four."""
    a, b, c, d = four
    # neighbours: a0+a1 b0+b1 a2+a3 ...
    ab, cd = (
        builder.fadd(
            _picked(builder, x, y, [0, 8, 2, 10, 4, 12, 6, 14]),
            _picked(builder, x, y, [1, 9, 3, 11, 5, 13, 7, 15]),
        )
        for x, y in ((a, b), (c, d))
    )
    both = builder.fadd(
        _picked(builder, ab, cd, [0, 1, 8, 9, 4, 5, 12, 13]),
        _picked(builder, ab, cd, [2, 3, 10, 11, 6, 7, 14, 15]),
    )
    return builder.fadd(
        _picked(builder, both, both, [0, 1, 2, 3]), _picked(builder, both, both, [4, 5, 6, 7])
    )


def _solve_four(_: Any, block: Any, at: Any, run: Any, factor: Any, c: Any, width: Any) -> Any:
    """Solve for columns c...c + 3 of y R = x, once those before are, for `DEEP` vectors of rows.

    Column k of them is block[at + k run :]; `factor` holds R with the reciprocals of its diagonal.
    """
    del at, run, c, width

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block, at, run, factor, c, width = arguments
        runs = Block(context, builder, signature.args[0], block)
        R = Block(context, builder, signature.args[3], factor)

        def number(value: int) -> Any:
            return ir.Constant(c.type, value)

        def places(column: Any) -> list[Any]:
            first = builder.add(at, builder.mul(column, run))
            return [builder.add(first, number(WIDTH * v)) for v in range(DEEP)]

        def entry(row: Any, column: int) -> Any:
            place = builder.add(builder.add(builder.mul(row, width), c), number(column))
            return _spread(builder, builder.load(R.place(place, _NUMBER)))

        def less(value: Any, factor: Any, known: Any) -> Any:
            return builder.fsub(value, builder.fmul(factor, known, flags=FLAGS), flags=FLAGS)

        own = [builder.add(c, number(j)) for j in range(4)]
        kept = [
            [_variable(builder, runs.vector(place)) for place in places(column)] for column in own
        ]
        with cgutils.for_range(builder, c) as loop:
            solved = [runs.vector(place) for place in places(loop.index)]
            for j, line in enumerate(kept):
                t = entry(loop.index, j)
                for known, value in zip(solved, line, strict=True):
                    builder.store(less(builder.load(value), t, known), value)
        values = [[builder.load(value) for value in line] for line in kept]
        for j, column in enumerate(own):
            for i in range(j):
                t = entry(own[i], j)
                values[j] = [less(x, t, y) for x, y in zip(values[j], values[i], strict=True)]
            t = entry(column, j)
            values[j] = [builder.fmul(x, t) for x in values[j]]
            for x, place in zip(values[j], places(column), strict=True):
                builder.store(x, runs.place(place), align=8)
        return context.get_dummy_value()

    number = types.intp
    return types.void(block, number, number, factor, number, number), generate


def _spread(builder: Any, number: Any) -> Any:
    """A vector of one number."""
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.IntType(32)(0))
    return _picked(builder, first, first, [0] * WIDTH)


def _variable(builder: Any, value: Any) -> Any:
    """A place for a vector that changes; it ends up in a register."""
    return cgutils.alloca_once_value(builder, value)  # type: ignore[no-untyped-call]


store_ten: Any = intrinsic(_store_ten)
stream_line: Any = intrinsic(_stream_line)
add_products: Any = intrinsic(_add_products)
solve_four: Any = intrinsic(_solve_four)
