"""Links that can exist, from samples against FIGAROH, and from one factor against cvxpy."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import torch
from figaroh.identification.physical_fit import (
    PhysicalPolicy,
    build_problem,
    solve_direct_effort_fit,
)
from figaroh.tools.regressor import build_regressor_basic
from fit import from_samples
from robots import excitation
from sdp import through_cvxpy

from peers.comparison import Right, Task, Way
from robotid.fitting.linear import wls
from robotid.fitting.scaling import scaled_problem
from robotid.fitting.sdp import consistent_fit
from robotid.information.layout import Layout
from robotid.information.regressor import dense_regressor, signals_of
from robotid.robot.load import load_robot
from robotid.simulation.perturbation import perturbed
from robotid.spatial.inertia import pseudo_inertia
from tests.fitting.samples import sample

LEAST = -1e-6  # eigenvalue of a link that rounding may leave [kg m²]
ABOUT = """The arm has links that differ from those of its file by up to 10 %, each entry by
itself, no friction, and noise of 0.2 % of what its motors can do. FIGAROH allows eigenvalues down
to -1e-8, robotid none below 1e-6 of the usual size of each."""
_KEYS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


class _Robot:
    """A robot as FIGAROH wants it."""

    def __init__(self, path: Path) -> None:
        self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()


def tasks(_: Path, *, quick: bool) -> list[Task]:
    """Both tasks."""
    return [from_log(200 if quick else 5000), from_factor("pendulum" if quick else "panda")]


def from_log(samples: int) -> Task:
    """Regressor, base parameters and a fit with LMIs, of links alone: no friction in the data."""
    loaded = load_robot("panda")
    robot = loaded.tree
    layout = Layout(robot, ())
    q, qd, qdd = excitation(robot, samples, samples / 20.0)
    truth = perturbed(robot, 0.1, np.random.default_rng(3)).phi.ravel()
    noise = 0.002 * robot.bound("effort")
    tau = dense_regressor(robot, q, qd, qdd) @ truth
    tau += np.random.default_rng(1).normal(size=tau.shape) * noise
    signals = signals_of(robot, q=q, qd=qd, qdd=qdd, tau=tau)
    other = excitation(robot, 1000, 50.0, seed=7)
    W = dense_regressor(robot, *other)
    theirs, names = _Robot(loaded.path), robot.joint_names
    parameters = [f"{key}_{joint}" for joint in names for key in _KEYS]

    def ours() -> np.ndarray:
        return from_samples(layout, signals)[1].phi

    def figaroh() -> np.ndarray:
        options = {"act_idxv": list(range(robot.n))}
        Y = build_regressor_basic(theirs, q, qd, qdd, options)
        weights = np.repeat(1.0 / noise, samples)
        problem = build_problem(
            Y,
            tau.T.ravel(),
            parameters,
            names,
            prior=robot.phi.ravel(),
            policy=PhysicalPolicy(),
            row_weight=weights,
        )
        found = solve_direct_effort_fit(problem, solver="cvxopt").theta
        return np.full(layout.parameters, np.nan) if found is None else found

    def right(phi: np.ndarray) -> Right:
        if not np.isfinite(phi).all():
            return Right("no result", np.inf)
        error = float(np.sqrt(np.mean((W @ (phi - truth)) ** 2)))
        links = pseudo_inertia(torch.from_numpy(phi.reshape(-1, 10)))
        least = float(torch.linalg.eigvalsh(links).min())
        said = f"torques of another motion within {error:.2g} N m; least eigenvalue {least:.0e}"
        return Right(said, error if least > LEAST else np.inf)

    ways = {
        "robotid factors, fit --model sdp": Way(ours, right, ("robotid", "clarabel")),
        "FIGAROH: regressor, base parameters, LMI fit": Way(
            figaroh, right, ("figaroh", "pin", "picos", "cvxopt")
        ),
    }
    size = f"{samples:,} samples of 7 joints"
    return Task("Samples to links that can exist", size, ways, 0.1, ABOUT)


def from_factor(name: str) -> Task:
    """The same problem from one triangular factor."""
    noisy = sample(name, noise=0.3)
    system, layout = wls(noisy.evidence, noisy.base).system, noisy.layout
    problem = scaled_problem(system, layout)

    def ours() -> np.ndarray:
        return consistent_fit(system, layout).phi / problem.size

    def value(x: np.ndarray) -> float:
        errors = problem.R @ x - problem.z
        return 1.0 + float(errors @ errors) + problem.rest**2

    best = min(value(ours()), value(through_cvxpy(system, layout, "norm")))

    def right(x: np.ndarray) -> Right:
        above = value(x) / best - 1
        return Right(f"{above:.0e} above the best value found", above)

    ways = {
        "robotid.fitting.sdp": Way(ours, right, ("robotid", "clarabel")),
        "cvxpy, norm of residuals": Way(
            lambda: through_cvxpy(system, layout, "norm"), right, ("cvxpy", "clarabel")
        ),
        "cvxpy, sum of squares": Way(
            lambda: through_cvxpy(system, layout, "squares"), right, ("cvxpy", "clarabel")
        ),
    }
    size = f"{name}, {layout.parameters} parameters"
    return Task("One factor to links that can exist", size, ways, 1e-7)
