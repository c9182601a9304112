"""What the columns of a recording are to the filter, and how they are made fit for it.

A low-pass cannot take everything as it comes: a quaternion may change its sign from one sample to
the next and mean the same, and sensors of temperature say something once in a while.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError, nearest
from robotid.spatial.quaternions import on_one_side
from robotid.types import Columns

Array = NDArray[np.float64]
Treatment = Literal["filtered", "held", "turned", "dropped", "kept"]

_TREATMENTS: dict[str, Treatment] = {
    "t": "kept",
    "segment": "kept",
    "q": "filtered",
    "qd": "filtered",
    "qdd": "dropped",  # accelerations are made from the filtered velocities
    "tau": "filtered",
    "tau_cmd": "filtered",
    "current": "filtered",
    "temperature": "held",  # then filtered
    "base.pos": "filtered",
    "base.vel": "filtered",
    "base.acc": "filtered",
    "base.quat": "turned",  # to the side of the sample before, then filtered and made of length 1
    "contact": "filtered",
}
QUATERNION = tuple(f"base.quat.{part}" for part in "xyzw")
_OFF = 0.05  # a quaternion whose length differs from 1 by more is none


def treatment_of(name: str) -> Treatment:
    """How the filter treats a column; names that mean nothing to it are refused."""
    first, _, rest = name.partition(".")
    found = _TREATMENTS.get(first) or _TREATMENTS.get(f"{first}.{rest.partition('.')[0]}")
    if found is None:
        raise BadDataError(
            "unknown-column",
            f"the filter does not know what {name!r} is, so not how to filter it",
            hint=nearest(first, sorted(_TREATMENTS)),
        )
    return found


class Held(NamedTuple):
    """Samples in which the value before was held, and when the first of them was [s]."""

    samples: int
    first_s: float


class Conditioner:
    """Makes columns fit for the filter, batch by batch.

    Args:
        names: columns that will come.
        first: the first value of each column that is held, for the samples before it.
    """

    def __init__(self, names: Sequence[str], first: dict[str, float]) -> None:
        self._last = dict(first)
        self._turned = QUATERNION[0] in names
        self._before = np.array([0.0, 0.0, 0.0, 1.0])
        self.held: dict[str, Held] = {}

    def __call__(self, batch: Columns) -> Columns:
        """The same batch, with values held and quaternions turned where needed."""
        if not batch["t"].size or not (self._last or self._turned):
            return batch
        changed = {name: self._hold(name, batch) for name in self._last}
        if self._turned:
            changed |= dict(zip(QUATERNION, self._turn(batch), strict=True))
        return {**batch, **changed}

    def _hold(self, name: str, batch: Columns) -> Array:
        values = np.asarray(batch[name], dtype=np.float64)
        there = np.isfinite(values)
        if not there.all():
            known = np.maximum.accumulate(np.where(there, np.arange(values.size), -1))
            before = self.held.get(name, Held(0, float(batch["t"][np.argmin(there)]) / 1e9))
            self.held[name] = before._replace(samples=before.samples + int((~there).sum()))
            values = np.where(known >= 0, values[known], self._last[name])
        self._last[name] = float(values[-1])
        return values

    def _turn(self, batch: Columns) -> Array:
        """Quaternions without jumps from one sign to the other, shape (4, n)."""
        values = np.array([batch[name] for name in QUATERNION], dtype=np.float64)
        length = np.sqrt(np.sum(values**2, axis=0))
        bad = np.abs(length - 1.0) > _OFF  # not where something is missing: that is left out later
        if bad.any():
            where = int(np.argmax(bad))
            raise BadDataError(
                "not-a-quaternion",
                f"base.quat has a length of {length[where]:.3g}",
                time=float(batch["t"][where]) / 1e9,
                hint="x, y, z, w of a unit quaternion are needed",
            )
        turned, _ = on_one_side(values.T, self._before)
        there = np.flatnonzero(np.isfinite(length))
        if there.size:
            self._before = turned[there[-1]].copy()
        return turned.T


def first_values(batches: Iterable[Columns], names: Sequence[str]) -> dict[str, float]:
    """The first finite value of each column; columns without any are not in it."""
    found: dict[str, float] = {}
    for batch in batches:
        for name in names:
            there = np.flatnonzero(np.isfinite(batch[name]))
            if name not in found and there.size:
                found[name] = float(batch[name][there[0]])
        if len(found) == len(names):
            break
    return found
