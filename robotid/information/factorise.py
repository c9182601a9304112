"""Samples in memory to one factor per row, with the compiled kernel."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.information import kernel
from robotid.information.basis import bases_of
from robotid.information.factor import Factor
from robotid.information.lanes import LANES
from robotid.information.layout import Layout
from robotid.information.program import program_of
from robotid.information.regressor import default_threads
from robotid.information.triangular import factor_of_gram, rough_factor, well_conditioned

Array = NDArray[np.float64]

UNIT = 8 * LANES  # samples whose products one thread adds up; units are then added in their order
_ATTEMPTS = 4  # two are usual where columns are nearly dependent; each sees 1e-6 further


class Factoriser:
    """Turns samples of one robot into factors; the number of threads changes no bit of them."""

    def __init__(self, layout: Layout, threads: int | None = None) -> None:
        self.layout = layout
        self.bases = bases_of(layout)
        self._program = program_of(layout, [basis.independent for basis in self.bases])
        self._threads = threads or default_threads()
        self._pool = ThreadPoolExecutor(self._threads)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def __call__(self, signals: Array, before: Sequence[Factor] | None = None) -> list[Factor]:
        """One factor per row.

        Rows whose columns are close to dependent are whitened: with the factors of a motion of the
        same kind at once, otherwise in a second pass, with what the first one found.

        Args:
            signals: q, qd, qdd and tau one after the other, shape (nq + 3 nv, T).
            before: factors of the samples before these; results agree to rounding without them.
        """
        rough = {
            row: rough_factor(factor.R.T @ factor.R)
            for row, factor in enumerate(before or ())
            if not well_conditioned(factor.R)
        }
        pending, found = list(range(self.layout.robot.nv)), {}
        for attempt in range(_ATTEMPTS):
            if not pending:
                break
            grams = self._grams(signals, pending, rough)
            for row in list(pending):
                gram = self._program.gram(grams, row)
                if not np.isfinite(gram).all():
                    raise _not_finite(signals)
                R = factor_of_gram(gram, rough.get(row), last=attempt == _ATTEMPTS - 1)
                if R is not None:
                    pending.remove(row)
                    found[row] = R
                elif row in rough:
                    rough[row] = rough_factor(gram) @ rough[row]
                else:
                    rough[row] = rough_factor(gram)
        return [self._factor(row, found[row], signals) for row in sorted(found)]

    def _grams(self, signals: Array, rows: Sequence[int], rough: Mapping[int, Array]) -> Array:
        """Gram matrices of some rows, of the whitened columns where there is a rough factor."""
        modes, white = np.full(self.layout.robot.nv, kernel.SKIP), np.empty(self._program.size)
        for row in rows:
            modes[row] = kernel.WHITENED if row in rough else kernel.PLAIN
            if row in rough:
                self._program.place_factor(white, row, rough[row])
        units = -(-signals.shape[1] // UNIT)
        parts = np.empty((units, self._program.size))
        threads = min(self._threads, units)

        def work(first: int) -> None:
            kernel.gram_units(signals, UNIT, first, threads, *self._program, white, modes, parts)

        list(self._pool.map(work, range(threads)))
        total: Array = parts[0]
        for part in parts[1:]:
            total += part
        return total

    def _factor(self, row: int, R: Array, signals: Array) -> Factor:
        robot = self.layout.robot
        tau = signals[robot.nq + 2 * robot.nv + row]
        return Factor(
            row=self.layout.rows[row],
            columns=self.layout.columns[row],
            expansion=self.bases[row].expansion,
            R=R,
            count=tau.size,
            total=float(tau.sum()),
            lowest=float(tau.min()),
            highest=float(tau.max()),
        )


def _not_finite(signals: Array) -> BadDataError:
    places = np.argwhere(~np.isfinite(signals))
    if places.size == 0:
        largest = int(np.argmax(np.abs(signals).max(axis=1)))
        return BadDataError("too-large", f"values of signal {largest} are too large to square")
    signal, sample = places[0]
    said = f"signal {signal} has no finite value at sample {sample}"
    return BadDataError("not-finite", said)
