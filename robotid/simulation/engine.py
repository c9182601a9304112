"""What computes accelerations; the rest of a simulation does not know which one does."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.simulation.plant_options import EngineName

Array = NDArray[np.float64]
# The package whose version says which engine it was.
ENGINE_PACKAGE: Mapping[EngineName, str] = {"mujoco": "mujoco", "own": "torch"}


class Engine(Protocol):
    """Rigid-body forward dynamics of one robot."""

    def acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """q̈ of each recording; arguments and result have shape (recordings, n)."""


def make_engine(name: EngineName, robot: RobotTree, rotor_inertia: Array) -> Engine:
    """The engine of a name.

    Args:
        name: `mujoco` or `own`.
        robot: without a floating base.
        rotor_inertia: moves with each joint, shape (n,) [kg m²].
    """
    if name == "own":
        from robotid.simulation.own_engine import OwnEngine

        return OwnEngine(robot, rotor_inertia)
    must_have_mujoco()
    from robotid.simulation.mujoco_engine import MujocoEngine

    return MujocoEngine(robot, rotor_inertia)


def must_have_mujoco() -> None:
    """Refuse to go on without MuJoCo."""
    if find_spec("mujoco") is None:
        raise ConfigError(
            "engine-missing",
            "engine: mujoco is not installed",
            hint="pip install 'robotid[mujoco]', or choose engine \"own\"",
        )
