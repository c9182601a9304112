"""Batched inverse dynamics and its gradient, against differentiable-robot-model."""

from pathlib import Path

import torch
from rnea import peer

from peers.comparison import Task, Way
from robotid.dynamics.rnea import rnea
from robotid.robot.load import load_robot


def tasks(_: Path, *, quick: bool) -> list[Task]:
    """Torques, and torques with gradients; in float32, as the peer has them, on one thread."""
    batch = 100 if quick else 1000
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    loaded = load_robot("panda")
    robot, other = loaded.tree, peer(loaded.path, loaded.tree.links)
    motion = [torch.randn(batch, 7, generator=generator).requires_grad_() for _ in range(3)]
    phi = torch.tensor(robot.phi, dtype=torch.float32).requires_grad_()
    truth = rnea(robot, *(x.detach().double() for x in motion))

    def ours() -> torch.Tensor:
        return rnea(robot, *motion, phi)

    def theirs() -> torch.Tensor:
        return other.compute_inverse_dynamics(*motion, include_gravity=True, use_damping=False)

    def plain(function):
        def call() -> torch.Tensor:
            with torch.no_grad():
                return function()

        return call

    def with_gradient(function):
        def call() -> torch.Tensor:
            found = function()
            found.square().sum().backward()
            return found.detach()

        return call

    def right(found: torch.Tensor) -> str:
        apart = (found.double() - truth).abs().max() / truth.abs().max()
        return f"within {apart:.0e} of double precision"

    made = []
    for name, change in (("Torques", plain), ("Torques and their gradient", with_gradient)):
        ways = {
            "robotid.dynamics.rnea": Way(change(ours), right, ("robotid", "torch")),
            "differentiable-robot-model": Way(
                change(theirs), right, ("differentiable-robot-model", "torch")
            ),
        }
        made.append(Task(name, f"{batch} motions of 7 joints", ways))
    return made
