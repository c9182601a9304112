"""Motions beyond those that a model was trained with: how far, and how often."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit_data import JointRange
from robotid.contracts.predictions import Outside
from robotid.errors import Notice
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
TOLERANCE = 0.05  # of a range: what lies so little outside is inside
# Torques do not depend on where a floating base is, nor which way it faces.
_NOWHERE = ("base.fx", "base.fy", "base.fz", "base.mz")
_WORDS = {"q": ("position", ""), "qd": ("velocity", "/s"), "qdd": ("acceleration", "/s²")}


class TrainedRange:
    """Counts samples of a recording that lie outside the ranges of a fit, batch by batch.

    Args:
        ranges: of the fit, by joint; joints without one are passed over.
    """

    def __init__(self, ranges: Mapping[str, JointRange]) -> None:
        self._ranges = ranges
        self._samples = 0
        self._outside: dict[tuple[str, str], int] = {}
        self._beyond: dict[tuple[str, str], float] = {}

    def add(self, joints: tuple[str, ...], q: Array, qd: Array, qdd: Array) -> None:
        """Take in samples of these joints, each signal of shape (samples, joints)."""
        self._samples += len(q)
        for signal, values in (("q", q), ("qd", qd), ("qdd", qdd)):
            for joint, own in zip(joints, values.T, strict=True):
                if joint not in self._ranges or (signal == "q" and joint in _NOWHERE):
                    continue
                low, high = getattr(self._ranges[joint], signal)
                over = np.maximum(own - high, low - own)
                outside = int(np.count_nonzero(over > TOLERANCE * (high - low)))
                if outside:
                    place = joint, signal
                    self._outside[place] = self._outside.get(place, 0) + outside
                    self._beyond[place] = max(self._beyond.get(place, 0.0), float(over.max()))

    def found(self) -> dict[str, dict[str, Outside]]:
        """By joint and signal, for those that left their range."""
        result: dict[str, dict[str, Outside]] = {}
        for (joint, signal), count in sorted(self._outside.items()):
            beyond = self._beyond[joint, signal]
            own = Outside(share=count / self._samples, beyond=beyond)
            result.setdefault(joint, {})[signal] = own
        return result

    def notices(self, robot: RobotTree, file: str) -> list[Notice]:
        """The same in words.

        Args:
            robot: whose joints turn or slide.
            file: the recording.
        """
        slides = {row for row, unit in robot.torque_units.items() if unit == "N"}
        notices = []
        for joint, signals in self.found().items():
            for signal, outside in signals.items():
                what, per = _WORDS[signal]
                low, high = getattr(self._ranges[joint], signal)
                unit = ("m" if joint in slides else "rad") + per
                said = (
                    f"the {what} lies outside the range of the training data, {low:.3g} to "
                    f"{high:.3g} {unit}, in {100 * outside.share:.3g} % of the samples, by up to "
                    f"{outside.beyond:.3g} {unit}"
                )
                hint = "nothing shows how good predictions are there; train with such motions, too"
                notices.append(
                    Notice(
                        code="outside-trained-range",
                        message=said,
                        file=file,
                        joint=joint,
                        hint=hint,
                    )
                )
        return notices
