"""Another robot of the same make: link parameters changed at random, and still physical."""

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.robot.geometry import COLUMNS, ROWS, pseudo_inertia
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


_STREAM = 2, 0  # of the numbers that a seed gives: not those of trajectories and sensors


def robot_of_seed(robot: RobotTree, share: float, seed: int) -> RobotTree:
    """The perturbed robot that a seed stands for, whatever is done with it."""
    return perturbed(robot, share, np.random.default_rng([seed, *_STREAM])) if share else robot


def perturbed(robot: RobotTree, share: float, random: np.random.Generator) -> RobotTree:
    """The robot with every link's mass distribution changed by about `share` of itself.

    With the pseudo-inertia P = L Lᵀ, P' = L (1 + ε G)(1 + ε G)ᵀ Lᵀ for a random 4×4 matrix G: again
    positive, so that some density of mass has these parameters, and free of units.
    """
    phi = []
    for link, own in zip(robot.links, robot.phi, strict=True):
        values, vectors = np.linalg.eigh(pseudo_inertia(own))
        if values[0] < -1e-9 * abs(values[-1]):
            raise ConfigError(
                "not-physical",
                f"perturb: no solid body has the inertial parameters of link {link}",
                hint="mend the robot file, or use perturb = 0",
            )
        # The symmetric root: the one that does not depend on the signs of eigenvectors.
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        changed = root @ (np.eye(4) + share * random.standard_normal((4, 4)))
        phi.append(_phi_of(changed @ changed.T))
    return robot.with_phi(np.array(phi))


def _phi_of(pseudo: Array) -> Array:
    sigma = pseudo[:3, :3]
    inertia = np.trace(sigma) * np.eye(3) - sigma
    return np.concatenate([[pseudo[3, 3]], pseudo[:3, 3], inertia[ROWS, COLUMNS]])
