"""Predicted torques of a recording, batch by batch, and their errors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit_data import JointRange
from robotid.contracts.predictions import JointErrors, Outside
from robotid.contracts.recording import RecordingFacts, inspect_recording, iterate_recording
from robotid.errors import BadDataError, Notice
from robotid.models.torque_models import TorqueModel
from robotid.models.trained_range import TrainedRange
from robotid.robot.tree import RobotTree
from robotid.types import Columns

Array = NDArray[np.float64]
_MOTION = ("q", "qd", "qdd")


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
        self._model, self._path, self._torque, self._gains = model, path, torque, gains or {}
        self.names, self.facts = inspect_recording(path)
        joints = model.layout.robot.joint_names
        check_recording(model.layout.robot, self.names, self.facts, path)
        measured = [joint for joint in joints if f"{torque}.{joint}" in self.names]
        self._sums = {joint: ErrorSums() for joint in measured}
        self._held: dict[str, Any] = {}
        self._trained = TrainedRange(ranges or {})

    def batches(self) -> Iterator[Columns]:
        """`t`, `tau_pred.<joint>` and, where measured, `tau.<joint>`."""
        joints = self._model.layout.robot.joint_names
        motion = [f"{signal}.{joint}" for signal in _MOTION for joint in joints]
        read, at = ["t", *motion, *(f"{self._torque}.{joint}" for joint in self._sums)], 0
        for batch in iterate_recording(self._path, read):
            self._refuse_what_is_not_finite(batch, read[1:], at)
            at += len(batch["t"])
            yield self._predicted(batch)

    def errors(self) -> dict[str, JointErrors | None]:
        """By joint; None for one whose torque was not measured."""
        joints = self._model.layout.robot.joint_names
        return {j: self._sums[j].errors() if j in self._sums else None for j in joints}

    def outside(self) -> dict[str, dict[str, Outside]]:
        """Motions that left the range of the training, by joint and signal."""
        return self._trained.found()

    def notices(self) -> list[Notice]:
        """What to know of the predictions."""
        return self._trained.notices(self._model.layout.robot, str(self._path))

    def _predicted(self, batch: Columns) -> Columns:
        joints = self._model.layout.robot.joint_names
        q, qd, qdd = (
            np.asarray(
                np.column_stack([batch[f"{signal}.{joint}"] for joint in joints]), np.float64
            )
            for signal in _MOTION
        )
        tau = self._model.torque(q, qd, qdd, self._held)
        self._trained.add(joints, q, qd, qdd)
        seconds = batch["t"] / 1e9
        result: Columns = {"t": batch["t"]}
        for number, joint in enumerate(joints):
            result[f"tau_pred.{joint}"] = np.ascontiguousarray(tau[:, number])
        for joint, sums in self._sums.items():
            signal = np.asarray(batch[f"{self._torque}.{joint}"], dtype=np.float64)
            measured = self._gains.get(joint, 1.0) * signal
            result[f"tau.{joint}"] = measured
            sums.add(seconds, measured, tau[:, joints.index(joint)])
        return result

    def _refuse_what_is_not_finite(self, batch: Columns, names: list[str], at: int) -> None:
        for name in names:
            bad = ~np.isfinite(batch[name])
            if bad.any():
                row = int(np.argmax(bad))
                said = f"{name} has no finite value in row {at + row}"
                time = float(batch["t"][row] / 1e9)
                raise BadDataError("not-finite", said, file=str(self._path), time=time)


def check_recording(
    robot: RobotTree,
    names: list[str],
    facts: RecordingFacts,
    path: Path,
    signals: Sequence[str] = _MOTION,
) -> None:
    """Refuse a recording that lacks a joint or a signal of one; other joints are no concern."""
    file = str(path)
    if robot.floating:
        said = f"robot {robot.name} floats, and recordings do not hold the motion of a base"
        raise BadDataError("floating-robot", said, file=file, hint="give a robot with a fixed base")
    recorded = [joint.name for joint in facts.joints]
    for joint in robot.joint_names:
        if joint not in recorded:
            said = f"joint {joint!r} of robot {robot.name} is not in the recording"
            hint = f"recorded: {', '.join(recorded)}"
            raise BadDataError("joint-missing", said, file=file, joint=joint, hint=hint)
        for signal in signals:
            if f"{signal}.{joint}" not in names:
                said = f"the recording has no {signal}.{joint}"
                hint = "filter the dataset first" if signal in _MOTION else "map that signal"
                raise BadDataError("signal-missing", said, file=file, joint=joint, hint=hint)
