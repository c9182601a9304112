"""How fast are forward dynamics with gradients, and rollouts?

    python benchmarks/forward_speed.py [--batches 1 64 1024] [--starts 20 200 1000] [--repeat 5]

Accelerations and their gradient to all link parameters, on one thread, in turns:

    ours    articulated bodies (`aba`), float64 and float32
    dense   mass matrix, bias by Newton-Euler, `torch.linalg.solve`, autograd through all; float64
    peer    differentiable-robot-model, which is float32; it has no joints that slide

Then motions of 1 s at 250 Hz from random starts that nobody drives: ours, many at a time, beside
one `mujoco.mj_step` after the other in a loop, its integrator RK4. Ours knows the error of each
step and halves it where need be, so it needs six accelerations where MuJoCo needs four. Stribeck
friction is a callback in Python for MuJoCo. The network (ffnn) learned the viscous system, which
MuJoCo runs beside it.

Times are of the processor. All have to give the same: `apart` is the largest difference, of
accelerations over the largest one, of final positions over the range of positions.
"""

import argparse
import math
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import mujoco
import numpy as np
import torch
from rnea import peer
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parent.parent))
from robotid.dynamics.aba import aba
from robotid.dynamics.crba import crba
from robotid.dynamics.rnea import rnea
from robotid.models.actuators.actuator import Scales
from robotid.models.actuators.table import actuator_model
from robotid.models.forward_models import ForwardModel, NetworkForward, RigidForward
from robotid.models.forward_scales import SIGN_WIDTH, signal_scales
from robotid.robot.load import Loaded, load_robot
from robotid.robot.tree import RobotTree
from robotid.rollouts.integrate import Integration, integrate
from robotid.simulation.mujoco_engine import mujoco_model
from robotid.spatial.parametrisations.table import parametrisation
from robotid.training.adam import AdamOptions, train_adam
from robotid.training.problem import Problem
from tests.training.uniform import uniform

SAME, SAME_SINGLE, SAME_MOTION = 1e-6, 1e-3, 1e-3  # float64, float32, after 1 s
HOW = Integration(step_s=1 / 250, steps=250)
HIDDEN = (64, 64)  # as `fit` has them


def in_turns(functions: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """Median processor times of functions called one after the other [s]."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(repeat + 1):
        for function, spent in zip(functions, times, strict=True):
            began = time.process_time()
            function()
            spent.append(time.process_time() - began)
    return [statistics.median(spent[1:]) for spent in times]


def dense(robot: RobotTree, q: Tensor, qd: Tensor, tau: Tensor, phi: Tensor) -> Tensor:
    """Accelerations by the mass matrix."""
    rest = tau - rnea(robot, q, qd, torch.zeros_like(q), phi)
    return torch.linalg.solve(crba(robot, q, phi), rest)


def gradients(loaded: Loaded, batch: int, repeat: int) -> bool:
    """Print a line about accelerations and their gradients; whether all agree."""
    robot = loaded.tree
    motion = torch.randn(3, batch, robot.n, generator=torch.Generator().manual_seed(0)).double()
    phi = torch.tensor(robot.phi).requires_grad_()
    single, phi32 = motion.float(), torch.tensor(robot.phi).float().requires_grad_()
    ways = {
        "ours": lambda: aba(robot, *motion, phi),
        "dense": lambda: dense(robot, *motion, phi),
        "ours32": lambda: aba(robot, *single, phi32),
    }
    if all(joint.kind != "prismatic" for joint in robot.joints):
        other = peer(loaded.path, robot.links)
        ways["peer"] = lambda: other.compute_forward_dynamics(*single)
    true = ways["ours"]().detach()
    apart = {
        name: float((way().detach() - true).abs().max() / true.abs().max())
        for name, way in ways.items()
    }
    good = apart["dense"] <= SAME and max(apart.values()) <= SAME_SINGLE
    spent = dict(
        zip(
            ways,
            in_turns([lambda f=f: f().square().sum().backward() for f in ways.values()], repeat),
            strict=True,
        )
    )
    ours, beside = spent["ours"], spent.get("peer")
    of_peer, far = f"{'-':>8s} {'-':>6s}", "-"
    if beside is not None:
        of_peer = f"{1e3 * beside:8.1f} {beside / spent['ours32']:6.1f}"
        far = f"{apart['peer']:.0e}"
    print(
        f"{robot.name:9s} {batch:5d} {1e3 * ours:8.1f} {1e3 * spent['dense']:8.1f} "
        f"{spent['dense'] / ours:6.1f} {1e3 * spent['ours32']:8.1f} {of_peer} "
        f"{apart['dense']:8.0e} {far:>8s} {'' if good else 'FAIL'}".rstrip(),
        flush=True,
    )
    return good


def damped(robot: RobotTree) -> np.ndarray:
    """Viscous friction of the robot file."""
    return np.array([joint.damping for joint in robot.driven])


def stribeck_values(robot: RobotTree) -> np.ndarray:
    """Dry friction as large as the viscous one at a tenth of the speed limit, half more at rest."""
    speed = np.array([joint.limits.velocity for joint in robot.driven])
    dry = 0.1 * speed * damped(robot)
    return np.stack([dry, 0.5 * dry, 1 / (0.05 * speed) ** 2, damped(robot)])


def rigid(robot: RobotTree, name: str, values: np.ndarray) -> RigidForward:
    """The robot of the file behind an actuator with these values."""
    speed = torch.tensor([joint.limits.velocity for joint in robot.driven], dtype=torch.float64)
    one = torch.ones_like(speed)
    drive = actuator_model(name).made(Scales(one, speed, one, SIGN_WIDTH * speed))
    drive.begin_at(torch.from_numpy(values))
    links = parametrisation("free")
    return RigidForward(robot, links, links.theta(torch.tensor(robot.phi)), drive)


def learned(robot: RobotTree) -> NetworkForward:
    """A network that was trained a little on the viscous system."""
    train, validation = (uniform(robot, 2000, seed, damped(robot)) for seed in range(2))
    model = NetworkForward(signal_scales(*train), torch.Generator().manual_seed(0), HIDDEN)
    train_adam(Problem(model, train, validation), AdamOptions(epochs=30))
    return model


def viscous_model(robot: RobotTree) -> mujoco.MjModel:
    """The robot for MuJoCo."""
    model = mujoco_model(robot, np.zeros(robot.n))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = HOW.step_s
    model.dof_damping[:] = damped(robot)
    return model


def looped(model: mujoco.MjModel, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Final positions by MuJoCo, start by start and step by step."""
    data, result = mujoco.MjData(model), np.empty_like(q)
    for start in range(len(q)):
        data.qpos[:], data.qvel[:] = q[start], qd[start]
        for _ in range(HOW.steps):
            mujoco.mj_step(model, data)
        result[start] = data.qpos
    return result


def dry_friction(robot: RobotTree) -> Callable[[mujoco.MjModel, mujoco.MjData], None]:
    """What `stribeck` adds to viscous friction, as a callback for MuJoCo."""
    speed = [SIGN_WIDTH * joint.limits.velocity for joint in robot.driven]
    joints = list(enumerate(zip(speed, *stribeck_values(robot)[:3].tolist(), strict=True)))

    def resist(model: mujoco.MjModel, data: mujoco.MjData) -> None:  # noqa: ARG001 - a callback
        velocity, passive = data.qvel, data.qfrc_passive
        for place, (width, dry, at_rest, sharpness) in joints:
            v = velocity[place]
            passive[place] -= math.tanh(v / width) * (dry + at_rest * math.exp(-sharpness * v * v))

    return resist


def rollouts(robot: RobotTree, name: str, model: ForwardModel, count: int, repeat: int) -> bool:
    """Print a line about motions; whether both ways lead to the same."""
    lower, upper, speed = (robot.bound(which) for which in ("lower", "upper", "velocity"))
    at = np.random.default_rng(0).uniform(-1, 1, (2, count, robot.n))
    span = np.where(np.isfinite(upper - lower), upper - lower, 2 * np.pi)
    q, qd = 0.5 * at[0] * span, 0.2 * at[1] * speed
    scales = (torch.from_numpy(span), torch.from_numpy(2 * speed))
    done = {}

    def ours() -> None:
        given = torch.from_numpy(q), torch.from_numpy(qd)
        done["ours"] = integrate(model.fixed(), *given, scales, HOW)

    def theirs() -> None:
        done["theirs"] = looped(compiled, q, qd)

    compiled = viscous_model(robot)
    mujoco.set_mjcb_passive(dry_friction(robot) if name == "stribeck" else None)
    try:
        spent = in_turns([ours, theirs], repeat)
    finally:
        mujoco.set_mjcb_passive(None)
    apart = float((np.abs(done["ours"].q[-1].numpy() - done["theirs"]) / span).max())
    good = name == "ffnn" or apart <= SAME_MOTION
    print(
        f"{robot.name:9s} {name:9s} {count:5d} {count / spent[0]:9.0f} {count / spent[1]:9.0f} "
        f"{spent[1] / spent[0]:6.2f} {100 * done['ours'].halved:8.2f} "
        f"{'-' if name == 'ffnn' else f'{apart:.0e}':>8s} {'' if good else 'FAIL'}".rstrip(),
        flush=True,
    )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 64, 1024])
    parser.add_argument("--starts", type=int, nargs="+", default=[20, 200, 1000])
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    good = []
    print("accelerations and gradient [ms]; dense and peer: how many times longer than ours")
    print("robot     batch     ours    dense  ratio   ours32     peer  ratio    apart  of peer")
    for name in ("cartpole", "furuta", "panda"):
        good += [gradients(load_robot(name), batch, asked.repeat) for batch in asked.batches]
    print("\nrollouts per second; ratio: ours over MuJoCo's; share of steps halved [%]")
    print("robot     model    starts      ours    mujoco  ratio   halved    apart")
    for name in ("cartpole", "furuta"):
        robot = load_robot(name).tree
        models = {
            "viscous": rigid(robot, "viscous", damped(robot)[None]),
            "stribeck": rigid(robot, "stribeck", stribeck_values(robot)),
            "ffnn": learned(robot),
        }
        for kind, model in models.items():
            good += [rollouts(robot, kind, model, count, asked.repeat) for count in asked.starts]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
