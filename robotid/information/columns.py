"""The columns of one body in one row of the regressor, in vectors of eight samples, for numba.

The compiler would do it as well, but for its doubt whether results and what they are made of share
memory. As in `lanes`, a quantity is a run of numbers, one per sample.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from robotid.information.vectors import FLAGS, WIDTH, Block


class _Value:
    """A vector in generated code, to write equations with."""

    def __init__(self, builder: Any, vector: Any) -> None:
        self._builder, self.vector = builder, vector

    def __add__(self, other: "_Value") -> "_Value":
        return self._made("fadd", other)

    def __sub__(self, other: "_Value") -> "_Value":
        return self._made("fsub", other)

    def __mul__(self, other: "_Value") -> "_Value":
        return self._made("fmul", other)

    def _made(self, operation: str, other: "_Value") -> "_Value":
        make = getattr(self._builder, operation)
        return _Value(self._builder, make(self.vector, other.vector, flags=FLAGS))


Three = list[_Value]


def _dot(a: Three, b: Three) -> _Value:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Three, b: Three) -> Three:
    return [a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)]


def _plus(a: Three, b: Three) -> Three:
    return [x + y for x, y in zip(a, b, strict=True)]


def _transported(pose: list[_Value], axis: list[_Value]) -> list[_Value]:
    """A parent's twist in body coordinates: (R^T (v + w x p), R^T w)."""
    v, w = axis[:3], axis[3:]
    v = _plus(v, _cross(w, pose[9:]))
    columns = [pose[k:9:3] for k in range(3)]
    return [_dot(column, part) for part in (v, w) for column in columns]


def _columns(axis: list[_Value], state: list[_Value]) -> list[_Value]:
    """axis^T A: of m, h (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz; state holds w, a, alpha, a_c and B."""
    v, w = axis[:3], axis[3:]
    o, b, a, B = state[:3], state[6:9], state[9:12], state[12:]
    across = _cross(a, w)
    h = [_dot(v, B[k::3]) + across[k] for k in range(3)]
    u = _cross(w, o)  # w^T [o] L(o) = u^T L(o)
    inertia = []
    for column in range(3):
        for row in range(column):
            one = w[row] * b[column] + w[column] * b[row]
            inertia.append(one + u[row] * o[column] + u[column] * o[row])
        inertia.append(w[column] * b[column] + u[column] * o[column])
    return [_dot(v, a), *h, *inertia]


def _ten_columns(
    _: Any, parent: Any, moved: Any, state: Any, axis: Any, lanes: Any, block: Any, places: Any
) -> Any:
    """Ten columns of a body into runs `places` of a block.

    Args:
        parent: the row's axis in coordinates of the body's parent, six runs.
        moved: 1 to transport it into `axis` first, 0 where `axis` holds it already.
        state: of the body, see `lanes.FIELDS`.
        axis: the row's axis in coordinates of the body, six runs.
        lanes: numbers in a run.
        block: where the columns go.
        places: at which runs.
    """
    del moved, lanes

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        parent, moved, state, axis, lanes, block, places = arguments
        kinds = signature.args
        given = Block(context, builder, kinds[0], parent)
        body = Block(context, builder, kinds[2], state)
        own = Block(context, builder, kinds[3], axis)
        out = Block(context, builder, kinds[5], block)
        index = Block(context, builder, kinds[6], places)

        def at(run: int, s: Any) -> Any:
            return builder.add(builder.mul(lanes, ir.Constant(lanes.type, run)), s)

        def loaded(source: Any, runs: range, s: Any) -> list[_Value]:
            return [_Value(builder, source.vector(at(run, s))) for run in runs]

        starts = [
            builder.mul(builder.load(index.place(lanes.type(c), lanes.type)), lanes)
            for c in range(10)
        ]

        def step(axis: list[_Value], s: Any) -> None:
            columns = _columns(axis, loaded(body, range(15, 36), s))
            for start, column in zip(starts, columns, strict=True):
                builder.store(column.vector, out.place(builder.add(start, s)), align=8)

        every = lanes.type(0), lanes, lanes.type(WIDTH)
        with builder.if_else(builder.trunc(moved, ir.IntType(1))) as (then, otherwise):
            with then, cgutils.for_range_slice(builder, *every) as (s, _):
                found = _transported(loaded(body, range(12), s), loaded(given, range(6), s))
                for run, value in enumerate(found):
                    builder.store(value.vector, own.place(at(run, s)), align=8)
                step(found, s)
            with otherwise, cgutils.for_range_slice(builder, *every) as (s, _):
                step(loaded(own, range(6), s), s)
        return context.get_dummy_value()

    number = types.intp
    return types.void(parent, number, state, axis, number, block, places), generate


ten_columns: Any = intrinsic(_ten_columns)
