"""Raw columns into signals in SI units at the joints."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.logs.log import Batch, Numbers

Array = NDArray[np.float64]

_LARGEST = 1e30


class Block(NamedTuple):
    """Signals that come from columns of one stream: signals = matrix @ columns + offset.

    Args:
        signals: names, such as `q.elbow`.
        columns: names in the stream.
        matrix: shape (signals, columns).
        offset: shape (signals,).
        bits: the width of whole numbers whose sign was lost, if it was.
    """

    signals: tuple[str, ...]
    columns: tuple[str, ...]
    matrix: Array
    offset: Array
    bits: int | None = None


def convert(batch: Batch, block: Block) -> dict[str, Array]:
    """The signals of a block; what is as good as infinite becomes NaN, and only where it is used.

    1e300, or the largest float32, stands for "no value" or is damage: no sensor says so.
    """
    raw = [_floats(name, batch.columns[name], block.bits) for name in block.columns]
    found: dict[str, Array] = {}
    for signal, row, offset in zip(block.signals, block.matrix, block.offset, strict=True):
        total: Array | None = None
        for place in np.flatnonzero(row):
            term = raw[place] if row[place] == 1.0 else raw[place] * row[place]
            total = term if total is None else total + term
        value = np.zeros(batch.rows) if total is None else total
        found[signal] = value + offset if offset else value
    for signal, values in found.items():
        # Quick, and taken also where a value is missing: NaN is not below anything.
        if values.size and not (values.max() <= _LARGEST and values.min() >= -_LARGEST):
            found[signal] = np.where(np.abs(values) > _LARGEST, np.nan, values)
    return found


def _floats(name: str, values: Numbers, bits: int | None) -> Array:
    """As float64, not copied where they are; whole numbers whose sign was lost get it back."""
    if bits is not None:
        wrong = (values < 0) | (values >= 2**bits) | (values != np.rint(values))
        wrong &= np.isfinite(values)
        if wrong.any():
            said = f"column {name!r} holds {values[wrong][0]:g}: no whole number of {bits} bits"
            hint = "bits is the width of numbers that were logged without their sign"
            raise ConfigError("wrong-bits", said, hint=hint)
        values = np.where(values >= 2 ** (bits - 1), values - 2**bits, values)
    return np.asarray(values, dtype=np.float64)
