"""Whatever predicts torques: the interface, and the model of a fit folder of any such kind."""

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import FIT
from robotid.contracts.versions import kind_of
from robotid.information.layout import Layout
from robotid.models.from_fit import FittedRobot, read_fitted
from robotid.models.learned_from_fit import FittedLearned, read_learned

Array = NDArray[np.float64]


class TorqueModel(Protocol):
    """Torques of motions in the order of time."""

    @property
    def layout(self) -> Layout:
        """Robot and terms of joints."""

    @property
    def begins_anew(self) -> bool:
        """Whether it forgets behind a gap, as it did in training."""

    def torque(self, q: Array, qd: Array, qdd: Array, held: dict[str, Any] | None = None) -> Array:
        """Torques (T, n) of a motion, (T, n) each; `held` is what the model remembers."""


def read_torque_model(folder: Path) -> FittedRobot | FittedLearned:
    """The fit of torques in a folder, with its model."""
    if kind_of((folder / FIT).read_bytes()) == "learned":
        return read_learned(folder)
    return read_fitted(folder)
