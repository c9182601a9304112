"""What a controller asks of a model at each step, and what counts as an error."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Seen(NamedTuple):
    """Positions and velocities of all cases, shape (models, gains, motions, n) each."""

    q: Array
    qd: Array


class Command(NamedTuple):
    """What is asked for at a step.

    Args:
        qdd: accelerations that the model gets, shape (models, gains, motions, n).
        added: torques beside the model's, likewise; None where there are none.
        desired: what the reference is, shape (motions, axes) [rad, m].
        actual: what is, shape (models, gains, motions, axes).
        error: figures whose squares are summed up, shape (models, gains, motions, figures).
    """

    qdd: Array
    added: Array | None
    desired: Array
    actual: Array
    error: Array


class Law(Protocol):
    """A controller and its reference."""

    @property
    def start(self) -> Array:
        """Where motions begin, at rest, shape (motions, n)."""

    @property
    def steps(self) -> int:
        """Steps of the controller, the first at the start and the last at the end."""

    def command(self, step: int, seen: Seen, true: Seen) -> Command:
        """What is asked for, from what sensors say; errors are of what is true."""

    def planned(self, step: int) -> tuple[Array, Array, Array] | None:
        """The motion that a perfect robot would make, shape (motions, n) each.

        What the model needs for it is no feedback. None where all feedback is added torque.
        """
