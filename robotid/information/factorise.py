"""Samples in memory to one factor per row, with the compiled kernel."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import local
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.cores import available
from robotid.errors import BadDataError
from robotid.information import kernel, small
from robotid.information.basis import bases_of
from robotid.information.factor import Factor
from robotid.information.lanes import LANES
from robotid.information.layout import Layout
from robotid.information.program import program_of
from robotid.information.regressor import (
    Motion,
    row_columns,
    working_memory,
)
from robotid.information.samples import samples_of
from robotid.information.triangular import (
    WORST_CONDITION,
    factor_of_gram,
    rough_factor,
    triangle,
    well_conditioned,
)

Array = NDArray[np.float64]

UNIT = 6 * LANES  # samples whose products are added up; sums of units are then added: less rounding
_ATTEMPTS = 6  # two are usual where columns are nearly dependent; each sees 1e-6 further
_CHANCES = 2  # of these, for what began with a hint

_TORQUE = 1e-8  # share of the squared torque by which a factor may miss it


class Found(NamedTuple):
    """Factors of some samples, one per row, and those of weak rows as hints for what follows."""

    factors: list[Factor]
    hints: dict[int, Array]


class Factoriser:
    """Turns samples of one robot into factors; the number of threads changes no bit of them."""

    def __init__(self, layout: Layout, threads: int | None = None) -> None:
        self.layout = layout
        self.bases = bases_of(layout)
        self._program = program_of(layout, self.bases)
        self._pool = ThreadPoolExecutor(threads or available())
        self._kept = local()  # fresh memory costs as much as what is put there

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def submit(
        self, signals: Array, hints: Mapping[int, Array], before: Mapping[str, float]
    ) -> "Future[Found]":
        """The same as `found`, in a thread."""
        return self._pool.submit(self.found, signals, hints, before)

    def __call__(self, signals: Array) -> list[Factor]:
        """One factor per row of samples q, qd, qdd, tau: shape (nq + 3 nv, T)."""
        return self.found(signals, {}).factors

    def found(
        self,
        signals: Array,
        hints: Mapping[int, Array],
        before: Mapping[str, float] | None = None,
    ) -> Found:
        """One factor per row, and hints for samples of the same motion.

        Rows whose columns are close to dependent are whitened: at once where there is a hint,
        otherwise in a second pass, with what the first one found.

        Args:
            signals: q, qd, qdd and tau one after the other, shape (nq + 3 nv, T).
            hints: factors of such rows from other samples. Results agree to rounding without them.
            before: held signs before the first sample, by name of parameter; zero otherwise.
        """
        rough = {row: rough_factor(R.T @ R) for row, R in hints.items()}
        hinted = dict.fromkeys(rough, _CHANCES)
        held = self._program.held(before or {})
        found: dict[int, Array] = {}
        weak: dict[int, Array] = {}
        for attempt in range(_ATTEMPTS):
            pending = [row for row in range(self.layout.robot.nv) if row not in found]
            if not pending:
                break
            grams = self._grams(signals, pending, rough, held.copy())
            if np.isfinite(grams).all():
                last = attempt == _ATTEMPTS - 1
                for row, R in self._factors(grams, pending, rough, last=last).items():
                    found[row] = R
                    if row in rough and not well_conditioned(R):
                        weak[row] = R
            elif hinted:
                hinted = dict.fromkeys(hinted, 1)
            else:
                raise _not_finite(signals)
            for row in pending:
                chances = hinted.pop(row, None)
                if chances == 1:
                    # Other samples may have shown less of a column than these do: a bad hint.
                    rough.pop(row)
                elif row not in found:
                    better = rough_factor(self._program.gram(grams, row))
                    rough[row] = better @ rough[row] if row in rough else better
                    if chances is not None:
                        hinted[row] = chances - 1
        self._mend(found, signals, before or {})
        tau = signals[-self.layout.robot.nv :]
        torques = zip(tau.sum(axis=1), tau.min(axis=1), tau.max(axis=1), strict=True)
        names = self.layout.rows
        factors = [
            Factor(
                row=names[row],
                columns=self.layout.columns[row],
                expansion=self.bases[row].expansion,
                R=found[row],
                count=tau.shape[1],
                total=float(total),
                lowest=float(lowest),
                highest=float(highest),
            )
            for row, (total, lowest, highest) in enumerate(torques)
        ]
        return Found(factors, weak)

    def _mend(self, found: dict[int, Array], signals: Array, before: Mapping[str, float]) -> None:
        """Do rows again, by QR of dense columns, whose factor does not hold their torque."""
        robot = self.layout.robot
        tau = signals[-robot.nv :]
        power = np.array([float(t @ t) for t in tau])
        held = np.array([float(found[row][:, -1] @ found[row][:, -1]) for row in range(robot.nv)])
        wrong = np.flatnonzero(~(np.abs(held - power) <= _TORQUE * power)).tolist()
        if not wrong:
            return
        W = row_columns(self.layout, Motion(*samples_of(robot, signals)[:3]), before)
        for row in wrong:
            found[row] = triangle(
                np.column_stack([W[row][:, self.bases[row].independent], tau[row]])
            )

    def _factors(
        self, grams: Array, rows: Sequence[int], rough: Mapping[int, Array], *, last: bool
    ) -> dict[int, Array]:
        """Factors of the rows whose Gram matrices are good enough for that."""
        program, flat = self._program, np.empty(grams.size)
        bounds = np.empty(self.layout.robot.nv)
        small.factor_rows(grams, program.rows, np.array(rows), flat, bounds)
        found = {}
        for row in rows:
            if bounds[row] <= WORST_CONDITION:
                R = program.gram(flat, row)
                found[row] = R @ rough[row] if row in rough else R.copy()
            else:
                some = factor_of_gram(program.gram(grams, row), rough.get(row), last=last)
                if some is not None:
                    found[row] = some
        return found

    def _grams(
        self, signals: Array, rows: Sequence[int], rough: Mapping[int, Array], held: Array
    ) -> Array:
        """Gram matrices of some rows, of the whitened columns where there is a rough factor."""
        modes, white = np.full(self.layout.robot.nv, kernel.SKIP), np.empty(self._program.size)
        for row in rows:
            modes[row] = kernel.WHITENED if row in rough else kernel.PLAIN
            if row in rough:
                self._program.place_factor(white, row, rough[row])
        units = -(-signals.shape[1] // UNIT)
        parts = getattr(self._kept, "parts", np.empty((0, 0)))
        if len(parts) < units:
            parts = self._kept.parts = np.empty((units, self._program.size))
        widest = int(self._program.rows[:, 3].max())
        runs = len(signals) + len(self._program.sums)
        memory = working_memory(runs, self.layout.robot.bodies, widest)
        kernel.gram_units(
            signals, UNIT, *self._program[:10], held, white, modes, memory, parts[:units]
        )
        total: Array = parts[0].copy()
        for part in parts[1:units]:
            total += part
        return total


def _not_finite(signals: Array) -> BadDataError:
    places = np.argwhere(~np.isfinite(signals))
    if places.size == 0:
        largest = int(np.argmax(np.abs(signals).max(axis=1)))
        return BadDataError("too-large", f"values of signal {largest} are too large to square")
    signal, sample = places[0]
    said = f"signal {signal} has no finite value at sample {sample}"
    return BadDataError("not-finite", said)
