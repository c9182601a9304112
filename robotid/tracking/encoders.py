"""What the controller sees of the joints: noise and the steps of encoders."""

import numpy as np
from numpy.typing import NDArray

from robotid.robot.tree import RobotTree
from robotid.tracking.law import Seen
from robotid.tracking.options import TrackOptions

Array = NDArray[np.float64]
_NOISE = 11  # of the numbers that a seed gives


class Encoders:
    """Sensors of all cases; a motion has the same noise whatever model and gain drive it."""

    def __init__(self, robot: RobotTree, options: TrackOptions) -> None:
        turn = [1.0 if joint.kind == "prismatic" else 2 * np.pi for joint in robot.driven]
        self._step = np.array(turn) / options.encoder_counts if options.encoder_counts else None
        self._noise = np.array([options.noise_q, options.noise_qd])[:, None, None]
        self._random = np.random.default_rng([options.seed, _NOISE])
        self._shape = 2, options.motions, robot.n

    def seen(self, q: Array, qd: Array) -> Seen:
        """What is seen of joints at q, moving at qd, shape (models, gains, motions, n) each."""
        if self._noise.any():
            noise = self._noise * self._random.standard_normal(self._shape)
            q, qd = q + noise[0], qd + noise[1]
        if self._step is not None:
            q = np.round(q / self._step) * self._step
        return Seen(q, qd)
