"""Factors of projected rows: what contacts without force sensors leave of generalised forces.

Every row then depends on all parameters. So all rows share one set of independent columns, and
their factors come from dense regressors, several times slower than the compiled pass.
"""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from robotid.cores import available
from robotid.information.basis import whole_basis
from robotid.information.factor import Factor
from robotid.information.factorise import Found
from robotid.information.held import HeldSigns
from robotid.information.layout import Layout
from robotid.information.projection import Projection
from robotid.information.regressor import Motion, row_columns
from robotid.information.samples import samples_of
from robotid.information.triangular import triangle

Array = NDArray[np.float64]
_CHUNK = 512  # samples whose dense columns are held at a time


class ProjectedFactoriser:
    """Turns samples of one robot into factors of projected rows, with what `Factoriser` offers.

    Signals end with one more row per link that contacts act on: whether it is touched.
    """

    def __init__(self, layout: Layout, threads: int | None = None) -> None:
        self.layout = layout
        self._plain = layout.plain
        self._basis = whole_basis(self._plain)
        forces = layout.forces
        self._links = len(forces.links)
        self._projection = Projection(layout.robot, forces.links, moments=forces.moments)
        self._pool = ThreadPoolExecutor(threads or available())
        self._left: list[tuple[int, int]] = []  # samples, and equations that are left of theirs

    @property
    def freedom(self) -> float:
        """The share of all rows that says anything: the others follow from them."""
        samples = sum(count for count, _ in self._left)
        return sum(left for _, left in self._left) / (samples * self.layout.robot.nv)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def submit(
        self, signals: Array, hints: Mapping[int, Array], before: Mapping[str, float]
    ) -> "Future[Found]":
        """The same as `found`, in a thread."""
        del hints
        return self._pool.submit(self.found, signals, before)

    def found(self, signals: Array, before: Mapping[str, float] | None = None) -> Found:
        """One factor per row.

        Args:
            signals: q, qd, qdd, tau and whether links are touched, (nq + 3 nv + links, T).
            before: held signs before the first sample, by name of parameter; zero otherwise.
        """
        robot, samples = self.layout.robot, signals.shape[1]
        memory = HeldSigns(self._plain)
        memory.signs = before or {}
        rank = self._basis.independent.size
        found: list[Array] = [np.zeros((0, rank + 1)) for _ in range(robot.nv)]
        torques = np.empty((robot.nv, samples))
        for begin in range(0, samples, _CHUNK):
            part = signals[:, begin : begin + _CHUNK]
            shown = self._shown(part, memory.signs)
            torques[:, begin : begin + _CHUNK] = shown[:, :, -1].T
            found = [triangle(np.vstack([R, shown[:, row]])) for row, R in enumerate(found)]
            memory.advance(part)
        factors = [
            Factor(
                row=name,
                columns=columns,
                expansion=self._basis.expansion,
                R=R,
                count=samples,
                total=float(tau.sum()),
                lowest=float(tau.min()),
                highest=float(tau.max()),
            )
            for name, columns, R, tau in zip(
                self.layout.rows, self.layout.columns, found, torques, strict=True
            )
        ]
        return Found(factors, {})

    def _shown(self, signals: Array, before: Mapping[str, float]) -> Array:
        """Projected independent columns and force of all rows, shape (T, nv, rank + 1)."""
        robot, basis = self.layout.robot, self._basis
        q, qd, qdd, tau = samples_of(robot, signals[: len(signals) - self._links])
        whole = np.zeros((len(q), robot.nv, self.layout.parameters))
        rows = row_columns(self._plain, Motion(q, qd, qdd), before)
        for row, (W, columns) in enumerate(zip(rows, self._plain.columns, strict=True)):
            whole[:, row, columns] = W
        given = np.concatenate([whole[:, :, basis.independent], tau[..., None]], axis=2)
        directions = self._projection.directions(q, signals[len(signals) - self._links :].T)
        hidden = int(np.count_nonzero(directions.any(axis=1)))
        self._left.append((len(q), len(q) * robot.nv - hidden))
        return self._projection.apply(directions, given)
