"""Predicted torques of a recording, batch by batch, and their errors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit_data import JointRange
from robotid.contracts.predictions import JointErrors, Outside
from robotid.errors import Notice
from robotid.information.samples import SampleReader, coordinates, samples_of
from robotid.models.torque_models import TorqueModel
from robotid.models.trained_range import TrainedRange
from robotid.types import Columns

Array = NDArray[np.float64]


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

    def errors(self) -> JointErrors:
        """The figures."""
        mse, variance, extent = (
            self.square / self.count,
            self.spread / self.count,
            self.high - self.low,
        )
        moves = extent > 0  # of a constant torque nothing can be explained
        return JointErrors(
            rmse=mse**0.5,
            mean=self.error / self.count,
            largest=self.largest,
            largest_at_s=self.largest_at_s,
            relative=(self.square / self.torque_square) ** 0.5 if self.torque_square > 0 else None,
            r2=1 - mse / variance if moves else None,
            nmse_var=mse / variance if moves else None,
            nmse_range=mse / extent**2 if moves else None,
        )


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
        self._trained = TrainedRange(ranges or {})

    def batches(self) -> Iterator[Columns]:
        """`t`, `tau_pred.<row>` and, where measured, `tau.<row>`."""
        for batch, signals in self._reader.batches():
            yield self._predicted(batch, signals)

    def errors(self) -> dict[str, JointErrors | None]:
        """By row; None for one whose torque was not measured."""
        return {
            row: self._sums[row].errors() if row in self._sums else None
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
        tau = self._model.torque(q, qd, qdd, self._held)
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
