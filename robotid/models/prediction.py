"""Predicted torques of a recording, batch by batch, and their errors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit_data import JointRange
from robotid.contracts.predictions import JointErrors, Outside
from robotid.contracts.recording import GAP_STEPS
from robotid.errors import Notice
from robotid.information.samples import SampleReader, coordinates, samples_of
from robotid.models.torque_models import TorqueModel
from robotid.models.trained_range import TrainedRange
from robotid.types import Columns

Array = NDArray[np.float64]
_SEGMENT = "segment"  # the column that says which stretch between gaps a sample is in


@dataclass
class ErrorSums:
    """Sums from which the errors of one joint follow, however long the recording is."""

    count: int = 0
    error: float = 0.0
    square: float = 0.0
    largest: float = -1.0
    largest_at_s: float = 0.0
    torque_square: float = 0.0
    mean: float = 0.0
    spread: float = 0.0  # sum of (tau - mean)²
    low: float = np.inf
    high: float = -np.inf

    def add(self, seconds: Array, tau: Array, predicted: Array) -> None:
        """Take in a batch."""
        e = tau - predicted
        self.error += float(e.sum())
        self.square += float(e @ e)
        worst = int(np.argmax(np.abs(e)))
        if abs(e[worst]) > self.largest:
            self.largest, self.largest_at_s = float(abs(e[worst])), float(seconds[worst])
        self.torque_square += float(tau @ tau)
        # Means of batches are merged: squares of torque far from zero would cancel.
        mean, total = float(tau.mean()), self.count + tau.size
        shift = mean - self.mean
        self.spread += float(((tau - mean) ** 2).sum()) + shift**2 * self.count * tau.size / total
        self.mean += shift * tau.size / total
        self.low, self.high = min(self.low, float(tau.min())), max(self.high, float(tau.max()))
        self.count = total

    def errors(self, trained: tuple[float, float] | None) -> JointErrors:
        """The figures; `trained` are the least and greatest torque of the training data."""
        mse, variance = self.square / self.count, self.spread / self.count
        moves = self.high > self.low  # of a constant torque nothing can be explained
        low, high = trained or (0.0, 0.0)
        return JointErrors(
            rmse=mse**0.5,
            mean=self.error / self.count,
            largest=self.largest,
            largest_at_s=self.largest_at_s,
            relative=(self.square / self.torque_square) ** 0.5 if self.torque_square > 0 else None,
            r2=1 - mse / variance if moves else None,
            nmse_var=mse / variance if moves else None,
            nmse_range=mse / (high - low) ** 2 if high > low else None,
        )


class Place(NamedTuple):
    """Where a recording has got to: the time [ns] and the segment of its last sample."""

    t: int
    segment: int


class Predictor:
    """Predicts the torques of one recording; what it found holds once all batches were taken."""

    def __init__(
        self,
        model: TorqueModel,
        path: Path,
        torque: str = "tau",
        gains: Mapping[str, float] | None = None,
        ranges: Mapping[str, JointRange] | None = None,
    ) -> None:
        """A predictor.

        Args:
            model: with its parameters.
            path: the recording.
            torque: the recorded signal that stands for torque.
            gains: torque per unit of that signal, by joint; 1 where none is given.
            ranges: that the model was trained in, by joint.
        """
        robot = model.layout.robot
        factors = np.array([(gains or {}).get(joint, 1.0) for joint in robot.joint_names])
        self._model, self._path = model, path
        forces = model.layout.forces
        self._reader = SampleReader(
            path, robot, torque, gains=factors, needed="none", forces=forces
        )
        self.facts = self._reader.facts
        known = self._reader.measured
        self._sums = {row: ErrorSums() for row in self._reader.rows if row in known}
        self._held: dict[str, Any] = {}
        self._until: Place | None = None
        self._ranges = dict(ranges or {})
        self._trained = TrainedRange(self._ranges)

    def batches(self) -> Iterator[Columns]:
        """`t`, `tau_pred.<row>` and, where measured, `tau.<row>`."""
        also = [_SEGMENT] if _SEGMENT in self._reader.names else []
        for batch, signals in self._reader.batches(also):
            yield self._predicted(batch, signals)

    def errors(self) -> dict[str, JointErrors | None]:
        """By row; None for one whose torque was not measured."""
        torques = {row: known.tau for row, known in self._ranges.items()}
        return {
            row: self._sums[row].errors(torques.get(row)) if row in self._sums else None
            for row in self._reader.rows
        }

    def outside(self) -> dict[str, dict[str, Outside]]:
        """Motions that left the range of the training, by joint and signal."""
        return self._trained.found()

    def notices(self) -> list[Notice]:
        """What to know of the predictions."""
        return self._trained.notices(self._model.layout.robot, str(self._path))

    def _predicted(self, batch: Columns, signals: Array) -> Columns:
        robot, seconds = self._model.layout.robot, batch["t"] / 1e9
        q, qd, qdd, measured = map(np.ascontiguousarray, samples_of(robot, signals))
        tau = self._torque(batch, q, qd, qdd)
        self._trained.add(robot.rows, coordinates(robot, q), qd, qdd)
        result: Columns = {"t": batch["t"]}
        tau, measured = self._reader.shown(batch, q, tau, measured)
        for number, row in enumerate(self._reader.rows):
            result[f"tau_pred.{row}"] = np.ascontiguousarray(tau[:, number])
        for row, sums in self._sums.items():
            number = self._reader.rows.index(row)
            result[f"tau.{row}"] = np.ascontiguousarray(measured[:, number])
            sums.add(seconds, measured[:, number], tau[:, number])
        return result

    def _torque(self, batch: Columns, q: Array, qd: Array, qdd: Array) -> Array:
        """Of samples that follow those before; behind a gap some models begin anew."""
        if not self._model.begins_anew or not len(q):
            return self._model.torque(q, qd, qdd, self._held)
        t = np.asarray(batch["t"], dtype=np.int64)
        segments = np.asarray(batch.get(_SEGMENT, np.zeros_like(t)), dtype=np.int64)
        before = self._until or Place(int(t[0]), int(segments[0]))
        step_ns = 1e9 / self.facts.rate_hz
        apart = np.diff(t, prepend=before.t) > GAP_STEPS * step_ns
        apart |= np.diff(segments, prepend=before.segment) != 0
        self._until = Place(int(t[-1]), int(segments[-1]))
        found = []
        for begin, end in pairwise([0, *np.flatnonzero(apart).tolist(), len(t)]):
            if begin < len(t) and apart[begin]:
                self._held.clear()
            here = slice(begin, end)
            found.append(self._model.torque(q[here], qd[here], qdd[here], self._held))
        return np.concatenate(found)
