"""Batched inverse dynamics and its gradient, beside differentiable-robot-model.

    python benchmarks/rnea.py [--batch 1000] [--repeat 15]

Both compute the torques of the Panda-like arm for the same motions in float32, on one thread, in
turns; then again with the gradient to positions, velocities, accelerations and link parameters.
How far the torques are apart is printed too. It needs the extra `bench`.
"""

import argparse
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

import torch
from differentiable_robot_model.rigid_body_params import UnconstrainedTensor
from differentiable_robot_model.robot_model import DifferentiableRobotModel

from robotid.dynamics.rnea import rnea
from robotid.robot.load import load_robot

WANTED = 5.0


def peer(path: Path, links: Sequence[str]) -> DifferentiableRobotModel:
    """The other library's model with learnable links, without the flange that it cannot read."""
    text = path.read_text(encoding="utf-8")
    kept = "\n".join(part for part in _without(text, "panda_flange"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path.name
        file.write_text(kept, encoding="utf-8")
        with redirect_stdout(None):  # it tells of bases without inertia
            model = DifferentiableRobotModel(str(file), device="cpu")
    for link in links:
        body = model._bodies[model._name_to_idx_map[link]]  # noqa: SLF001
        for name, size in (("mass", (1, 1)), ("com", (1, 3)), ("inertia_mat", (3, 3))):
            value = getattr(body.inertia, name)
            start = (value() if callable(value) else value).reshape(size).clone()
            model.make_link_param_learnable(
                link, name, UnconstrainedTensor(*size, init_tensor=start)
            )
    return model


def _without(text: str, link: str) -> list[str]:
    """The lines of a robot file without one link and the joint that holds it."""
    import xml.etree.ElementTree as ET

    root = ET.fromstring(text)
    for element in list(root):
        child = element.find("child")
        if element.get("name") == link or (child is not None and child.get("link") == link):
            root.remove(element)
    return [ET.tostring(root, encoding="unicode")]


def in_turns(ours, theirs, repeat: int) -> tuple[float, float]:
    """Median times of two functions called one after the other [s]."""
    times = ([], [])
    for _ in range(repeat + 1):
        for function, spent in zip((ours, theirs), times, strict=True):
            began = time.perf_counter()
            function()
            spent.append(time.perf_counter() - began)
    return statistics.median(times[0][1:]), statistics.median(times[1][1:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    loaded = load_robot("panda")
    robot, other = loaded.tree, peer(loaded.path, loaded.tree.links)
    motion = [torch.randn(options.batch, 7, generator=generator).requires_grad_() for _ in range(3)]
    phi = torch.tensor(robot.phi, dtype=torch.float32).requires_grad_()

    def ours() -> torch.Tensor:
        return rnea(robot, *motion, phi)

    def theirs() -> torch.Tensor:
        return other.compute_inverse_dynamics(*motion, include_gravity=True, use_damping=False)

    apart = (ours() - theirs()).abs().max() / ours().abs().max()
    print(f"torques differ by {apart:.1e} of the largest")

    def without_gradient(function):
        def call() -> None:
            with torch.no_grad():
                function()

        return call

    forward = in_turns(without_gradient(ours), without_gradient(theirs), options.repeat)
    both = in_turns(
        lambda: ours().square().sum().backward(),
        lambda: theirs().square().sum().backward(),
        options.repeat,
    )
    failed = bool(apart > 1e-5)
    for name, (mine, peers) in (("torques", forward), ("torques and gradient", both)):
        failed |= peers < WANTED * mine
        print(
            f"{name} of {options.batch} motions: {1e3 * mine:.1f} ms, differentiable-robot-model "
            f"{1e3 * peers:.1f} ms: {peers / mine:.1f} times faster (at least {WANTED:g})"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
