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
        error: of positions, then of velocities, shape (models, gains, motions, 2 axes).
    """

    qdd: Array
    added: Array | None
    desired: Array
    actual: Array
    error: Array


class Variances(NamedTuple):
    """Of what is to be followed, over time: positions and velocities, shape (motions, axes) each.

    An error counts against the sum over the axes that belong together: those of a hand, or a joint.
    """

    position: Array
    velocity: Array


class Law(Protocol):
    """A controller and its reference."""

    @property
    def start(self) -> Array:
        """Where motions begin, at rest, shape (motions, n)."""

    @property
    def steps(self) -> int:
        """Steps of the controller, the first at the start and the last at the end."""

    @property
    def variances(self) -> Variances:
        """Of the reference."""

    def command(self, step: int, seen: Seen, true: Seen) -> Command:
        """What is asked for, from what sensors say; errors are of what is true."""

    def planned(self, step: int) -> tuple[Array, Array, Array] | None:
        """The motion that a perfect robot would make, shape (motions, n) each.

        What the model needs for it is no feedback. None where all feedback is added torque.
        """
