"""Inverse dynamics and its gradient, against differentiable-robot-model and Pinocchio."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import torch
from rnea import peer

from peers.comparison import Right, Task, Way
from robotid.dynamics.rnea import rnea
from robotid.robot.load import load_robot
from tests.reference_models import pinocchio_model

ABOUT = """Pinocchio computes one motion after the other, called from Python, in double precision,
and is what all are compared with; the two others compute a batch in single precision with torch,
which a training can differentiate."""
OF_GRADIENT = """The gradient is that of the sum of squares with respect to positions, velocities,
accelerations and parameters of the links. Pinocchio's way writes it out by its derivatives and
its regressor."""


def tasks(_: Path, *, quick: bool) -> list[Task]:
    """Torques, and torques with gradients; on one thread."""
    batch = 100 if quick else 1000
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    loaded = load_robot("panda")
    robot, other = loaded.tree, peer(loaded.path, loaded.tree.links)
    motion = [torch.randn(batch, 7, generator=generator).requires_grad_() for _ in range(3)]
    phi = torch.tensor(robot.phi, dtype=torch.float32).requires_grad_()
    model = pinocchio_model(robot)
    data, numbers = model.createData(), [x.detach().double().numpy() for x in motion]

    def ours() -> torch.Tensor:
        return rnea(robot, *motion, phi)

    def theirs() -> torch.Tensor:
        return other.compute_inverse_dynamics(*motion, include_gravity=True, use_damping=False)

    def looped() -> np.ndarray:
        return np.array([pin.rnea(model, data, q, v, a) for q, v, a in zip(*numbers, strict=True)])

    def looped_gradient() -> tuple[np.ndarray, ...]:
        found = [np.empty((batch, size)) for size in (7, 7, 7, 10 * robot.bodies)]
        for i, (q, v, a) in enumerate(zip(*numbers, strict=True)):
            by_q, by_v, M = pin.computeRNEADerivatives(model, data, q, v, a)
            twice = 2 * data.tau
            M = np.triu(M) + np.triu(M, 1).T
            Y = pin.computeJointTorqueRegressor(model, data, q, v, a)
            for rows, J in zip(found, (by_q, by_v, M, Y), strict=True):
                rows[i] = twice @ J
        return *found[:3], found[3].sum(0)

    def plain(function):
        def call() -> np.ndarray:
            with torch.no_grad():
                return function().numpy()

        return call

    def with_gradient(function):
        def call() -> tuple[np.ndarray, ...]:
            for x in motion:
                x.grad = None
            function().square().sum().backward()
            return tuple(x.grad.numpy().copy() for x in motion)

        return call

    truth, slopes = looped(), looped_gradient()[:3]

    def right(found: np.ndarray) -> Right:
        error = float(np.abs(found - truth).max() / np.abs(truth).max())
        return Right(f"within {error:.0e} of Pinocchio", error)

    def right_gradient(found: tuple[np.ndarray, ...]) -> Right:
        pairs = list(zip(found[:3], slopes, strict=True))  # parameters differ between libraries
        error = float(max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs))
        return Right(f"slopes within {error:.0e} of Pinocchio", error)

    made = []
    for name, change, loop, judge, about in (
        ("Torques", plain, looped, right, ABOUT),
        ("Torques and their gradient", with_gradient, looped_gradient, right_gradient, OF_GRADIENT),
    ):
        ways = {
            "robotid.dynamics.rnea": Way(change(ours), judge, ("robotid", "torch")),
            "differentiable-robot-model": Way(
                change(theirs), judge, ("differentiable-robot-model", "torch")
            ),
            "a loop over Pinocchio": Way(loop, judge, ("pin", "numpy")),
        }
        made.append(Task(name, f"{batch} motions of 7 joints", ways, 1e-4, about))
    return made
