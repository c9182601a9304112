"""Raw columns into signals in SI units at the joints."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.logs.log import Batch, Numbers

Array = NDArray[np.float64]


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
    """The signals of a block; what is not finite becomes NaN, and only where it is used."""
    raw = [_floats(batch.columns[name], block.bits) for name in block.columns]
    found: dict[str, Array] = {}
    for signal, row, offset in zip(block.signals, block.matrix, block.offset, strict=True):
        total: Array | None = None
        for place in np.flatnonzero(row):
            term = raw[place] if row[place] == 1.0 else raw[place] * row[place]
            total = term if total is None else total + term
        value = np.zeros(batch.rows) if total is None else total
        found[signal] = value + offset if offset else value
    for values in found.values():
        if not np.isfinite(values.sum()):  # quick; the sum of finite numbers may overflow
            bad = np.isinf(values)
            if bad.any():
                values[bad] = np.nan
    return found


def _floats(values: Numbers, bits: int | None) -> Array:
    """As float64; whole numbers whose sign was lost get it back."""
    if bits is not None:
        values = np.where(values >= 2 ** (bits - 1), values - 2**bits, values)
    return np.array(values, dtype=np.float64)
