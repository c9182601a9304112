"""Other ways to design a trajectory, for the same problem from the same start.

Each takes a problem, a start and a `Trace`, and calls `Trace.saw` for every point that it looks at;
what was best when is worked out afterwards, so that nobody pays for it. A point counts if it keeps
all limits of the problem, but for a rounding that the solvers themselves allow.
"""

import time
from dataclasses import dataclass, field

import casadi
import numpy as np
import torch
from scipy.optimize import minimize

from robotid.dynamics.regressor import joint_torque_regressor
from robotid.excitation.criteria import goal
from robotid.excitation.interior_point import minimise
from robotid.excitation.problem import Problem
from robotid.excitation.starts import random_start

ALLOWED = 1e-5  # beyond a limit, as a share of it
SHARPNESS = 1e5  # of largest eigenvalues, for those who cannot raise it: where ours ends


@dataclass
class Trace:
    """Points by time of the processor since the beginning, in seconds."""

    seconds: list[float] = field(default_factory=list)
    points: list[np.ndarray] = field(default_factory=list)
    until: float = np.inf
    total: float = 0.0

    def __post_init__(self) -> None:
        self._began = time.process_time()

    def saw(self, x: np.ndarray) -> None:
        """A point was looked at."""
        self.seconds.append(time.process_time() - self._began)
        self.points.append(np.array(x, dtype=np.float64).ravel())

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return time.process_time() - self._began > self.until

    def end(self) -> None:
        """The search is over."""
        self.total = time.process_time() - self._began

    def best_by(self, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """The least value so far after each point."""
        found = [value_if_allowed(problem, x) for x in self.points]
        return np.array(self.seconds), np.minimum.accumulate(found)

    def best(self, problem: Problem) -> np.ndarray:
        """The best point."""
        return min(self.points, key=lambda x: value_if_allowed(problem, x))


def value_if_allowed(problem: Problem, x: np.ndarray) -> float:
    """The criterion; infinite where a limit is broken."""
    broken = max(
        float((np.abs(b.R @ x[b.part] + b.r) / b.bound).max()) - 1.0 for b in problem.blocks
    )
    if max(broken, -problem.curved_values(x).slack) > ALLOWED:
        return np.inf
    try:
        return problem.value(x)
    except np.linalg.LinAlgError:
        return np.inf


def ours(problem: Problem, start: np.ndarray, trace: Trace, iterations: int = 300) -> None:
    """The interior-point method of this package."""
    functions = problem.functions()

    def objective(x: np.ndarray, sharpness: float):
        trace.saw(x)
        return functions.objective(x, sharpness)

    found = minimise(functions._replace(objective=objective), start, iterations=iterations)
    trace.saw(found.x)


def best_of_random(problem: Problem, count: int, seed: int, trace: Trace) -> None:
    """Random trajectories within all limits."""
    random = np.random.default_rng([9, seed])
    for _ in range(count):
        x = random_start(problem, random)
        problem.value(x)
        trace.saw(x)


def evolution(problem: Problem, start: np.ndarray, trace: Trace, seed: int) -> None:
    """CMA-ES (Hansen's defaults); points outside are drawn back towards the start.

    The start is strictly inside the linear limits, which are convex, so the line to it crosses them
    once; what breaks a curved limit after that is drawn back by halves. Begun anew with twice the
    population when it has come to rest, until the time is up.
    """
    random = np.random.default_rng([7, seed])
    n, population = start.size, 4 + int(3 * np.log(start.size))
    while not trace.late:
        mean, spread = start.copy(), 0.1
        chosen = population // 2
        weights = np.log(chosen + 0.5) - np.log(np.arange(1, chosen + 1))
        weights /= weights.sum()
        mass = 1.0 / (weights**2).sum()
        c_path, c_spread = (4 + mass / n) / (n + 4 + 2 * mass / n), (mass + 2) / (n + mass + 5)
        c_one = 2 / ((n + 1.3) ** 2 + mass)
        c_mean = min(1 - c_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
        damping = 1 + 2 * max(0.0, np.sqrt((mass - 1) / (n + 1)) - 1) + c_spread
        usual = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
        C, path, path_spread = np.eye(n), np.zeros(n), np.zeros(n)
        axes, lengths = np.eye(n), np.ones(n)
        generation, last = 0, []
        while not trace.late and spread * lengths.max() > 1e-6:
            generation += 1
            if generation % max(1, int(1 / (10 * n * (c_one + c_mean)))) == 0:
                values, axes = np.linalg.eigh(C)
                lengths = np.sqrt(np.maximum(values, 1e-20))
            steps = (random.standard_normal((population, n)) * lengths) @ axes.T
            costs = []
            for step in steps:
                x, drawn = _drawn_in(problem, start, mean + spread * step)
                trace.saw(x)
                costs.append(problem.value(x) + 10.0 * drawn**2)
            order = np.argsort(costs)[:chosen]
            step = weights @ steps[order]
            mean = mean + spread * step
            path_spread = (1 - c_spread) * path_spread + np.sqrt(
                c_spread * (2 - c_spread) * mass
            ) * (axes @ ((axes.T @ step) / lengths))
            size = np.linalg.norm(path_spread)
            fading = np.sqrt(1 - (1 - c_spread) ** (2 * generation))
            steady = size / fading < (1.4 + 2 / (n + 1)) * usual
            path = (1 - c_path) * path + steady * np.sqrt(c_path * (2 - c_path) * mass) * step
            C = (
                (1 - c_one - c_mean + (1 - steady) * c_one * c_path * (2 - c_path)) * C
                + c_one * np.outer(path, path)
                + c_mean * (steps[order].T * weights) @ steps[order]
            )
            spread *= np.exp((c_spread / damping) * (size / usual - 1))
            last = [*last[-99:], min(costs)]
            if len(last) == 100 and max(last) - min(last) < 1e-5:
                break
        population *= 2


def _drawn_in(problem: Problem, start: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, float]:
    """The point, or one between start and it that is allowed, and how far it was drawn."""
    share = 1.0
    for block in problem.blocks:
        at = block.R @ start[block.part] + block.r
        by = block.R @ (x - start)[block.part]
        with np.errstate(divide="ignore"):
            room = np.where(by > 0, block.bound - at, block.bound + at) / np.abs(by)
        share = min(share, 0.999 * float(room.min()))
    while problem.curved_values(start + share * (x - start)).slack <= 0:
        share *= 0.8
    inside = start + share * (x - start)
    return inside, float(np.linalg.norm(x - inside))


class AutogradProblem:
    """Criterion and torques of a problem, written in torch as one would by hand."""

    def __init__(self, problem: Problem) -> None:
        """Take over the problem: maps, scales, and columns of friction."""
        self._problem, layout = problem, problem.unknowns.layout
        self._robot, self._layout = problem.robot, layout
        maps = problem.space.maps(problem.samples)
        M = np.zeros((3 * problem.samples, problem.robot.n, problem.space.size))
        for i, (matrix, part) in enumerate(zip(maps.matrices, maps.parts, strict=True)):
            M[:, i, part] = matrix
        self._M, self._m = torch.tensor(M), torch.tensor(np.stack(maps.offsets, 1))
        unknowns = problem.unknowns
        self._columns = torch.tensor(unknowns.columns)
        weight = problem.weight / problem.samples
        self._factor = torch.tensor(
            np.sqrt(weight) * unknowns.scale[None] / problem.noise[:, None]
        )  # (n, b)
        self._eye = torch.eye(problem.robot.n, dtype=torch.float64)
        driven = problem.robot.driven
        self._own = [(c.motor.members[0][0], c.term, c.saturation or 1.0) for c in layout.own]
        self._phi = torch.tensor(problem.robot.phi.ravel())
        self._damping = torch.tensor([joint.damping for joint in driven], dtype=torch.float64)
        self._rotor = torch.tensor([joint.rotor_inertia for joint in driven], dtype=torch.float64)

    def _motion(self, x: torch.Tensor) -> torch.Tensor:
        return (self._M @ x + self._m).reshape(3, self._problem.samples, -1)

    def objective(self, x: np.ndarray, sharpness: float) -> tuple[float, np.ndarray]:
        """Criterion and gradient."""
        given = torch.tensor(x, requires_grad=True)
        q, qd, qdd = self._motion(given)
        Y = joint_torque_regressor(self._robot, q, qd, qdd)
        terms = {"viscous": lambda j, _: qd[:, j], "rotor": lambda j, _: qdd[:, j]}
        terms["coulomb"] = lambda j, width: torch.clamp(qd[:, j] / width, -1.0, 1.0)
        terms["offset"] = lambda j, _: torch.ones_like(qd[:, j])
        own = torch.stack(
            [terms[t](j, width)[:, None] * self._eye[j] for j, t, width in self._own], 2
        )
        rows = torch.cat([Y, own], 2)[:, :, self._columns] * self._factor
        rows = rows.reshape(-1, rows.shape[-1])
        A = rows.T @ rows + torch.tensor(self._problem.given)
        value = self._criterion(A, np.sqrt(sharpness))
        (slope,) = torch.autograd.grad(value, given)
        return float(value), slope.numpy()

    def _criterion(self, A: torch.Tensor, power: float) -> torch.Tensor:
        name = self._problem.criterion
        if name == "logdet":
            return -torch.logdet(A) / len(A)
        if name == "trace-inv":
            return torch.log(torch.trace(torch.linalg.inv(A)) / len(A))
        logs = torch.log(torch.linalg.eigvalsh(A))
        size = np.log(len(A))
        worst = (torch.logsumexp(-power * logs, 0) - size) / power
        if name == "mineig":
            return worst
        return 0.5 * (worst + (torch.logsumexp(power * logs, 0) - size) / power)

    def _shares(self, x: torch.Tensor) -> torch.Tensor:
        q, qd, qdd = self._motion(x)
        torques = joint_torque_regressor(self._robot, q, qd, qdd) @ self._phi
        return (torques + self._rotor * qdd + self._damping * qd) / torch.tensor(
            0.99 * self._problem.torque_room
        )

    def curved_values(self, x: np.ndarray) -> np.ndarray:
        """Torques as shares."""
        with torch.no_grad():
            return self._shares(torch.tensor(x)).numpy().ravel()

    def curved_jacobian(self, x: np.ndarray) -> np.ndarray:
        """Their derivatives: a pass per joint to the motion, then the map to x."""
        motion = self._motion(torch.tensor(x)).requires_grad_()
        q, qd, qdd = motion
        torques = joint_torque_regressor(self._robot, q, qd, qdd) @ self._phi
        shares = (torques + self._rotor * qdd + self._damping * qd) / torch.tensor(
            0.99 * self._problem.torque_room
        )
        M = self._M.reshape(3, self._problem.samples, *self._M.shape[1:])
        rows = [
            torch.einsum(
                "osn,osnx->sx", torch.autograd.grad(total, motion, retain_graph=True)[0], M
            )
            for total in shares.sum(0)
        ]
        return torch.stack(rows, 1).reshape(-1, x.size).numpy()


class _Called(casadi.Callback):
    """A function of x for casadi, with a dense Jacobian."""

    def __init__(self, name, inputs, outputs, values, jacobian, options=None):
        casadi.Callback.__init__(self)
        self._sizes, self._values, self._jacobian = (inputs, outputs), values, jacobian
        self.construct(name, options or {})

    def get_n_in(self):
        return 1

    def get_n_out(self):
        return 1

    def get_sparsity_in(self, i):
        return casadi.Sparsity.dense(self._sizes[0], 1)

    def get_sparsity_out(self, i):
        return casadi.Sparsity.dense(self._sizes[1], 1)

    def eval(self, arg):
        return [casadi.DM(self._values(np.array(arg[0]).ravel()))]

    def has_jacobian(self):
        return self._jacobian is not None

    def get_jacobian(self, name, inames, onames, opts):
        outer = self

        class Jacobian(casadi.Callback):
            def __init__(self):
                casadi.Callback.__init__(self)
                self.construct(name, opts)

            def get_n_in(self):
                return 2

            def get_n_out(self):
                return 1

            def get_sparsity_in(self, i):
                return casadi.Sparsity.dense(outer._sizes[i], 1)

            def get_sparsity_out(self, i):
                return casadi.Sparsity.dense(outer._sizes[1], outer._sizes[0])

            def eval(self, arg):
                return [casadi.DM(outer._jacobian(np.array(arg[0]).ravel()))]

        self._kept = Jacobian()
        return self._kept


def ipopt(
    problem: Problem, start: np.ndarray, trace: Trace, *, autograd: bool = False, **settings
) -> str:
    """IPOPT with a limited-memory Hessian, until its barrier parameter is where ours ends.

    Returns:
        How it ended.
    """
    of = AutogradProblem(problem) if autograd else problem
    last: dict[str, object] = {}

    def objective(x):  # IPOPT asks for value and gradient of a point one after the other
        if last.get("x") is None or not np.array_equal(last["x"], x):
            try:
                last["found"] = of.objective(x, SHARPNESS)
            except np.linalg.LinAlgError:
                last["found"] = (np.nan, np.full(x.size, np.nan))
            last["x"] = x.copy()
            trace.saw(x)
        return last["found"]

    def shares(x):
        found = of.curved_values(x)
        return found if autograd else found.shares

    n = start.size
    x = casadi.MX.sym("x", n)
    f = _Called("f", n, 1, lambda x: objective(x)[0], lambda x: objective(x)[1][None])
    count = shares(start).size
    curved = _Called("c", n, count, shares, of.curved_jacobian)
    rows = [casadi.mtimes(casadi.DM(b.R), x[b.part]) for b in problem.blocks]
    low = [-b.bound - b.r for b in problem.blocks]
    high = [b.bound - b.r for b in problem.blocks]

    class Watch(casadi.Callback):
        def __init__(self):
            casadi.Callback.__init__(self)
            self.construct("watch", {})

        def get_n_in(self):
            return casadi.nlpsol_n_out()

        def get_n_out(self):
            return 1

        def get_name_in(self, i):
            return casadi.nlpsol_out(i)

        def get_name_out(self, i):
            return "ret"

        def get_sparsity_in(self, i):
            sizes = {"f": 1, "x": n, "lam_x": n, "g": total, "lam_g": total}
            return casadi.Sparsity.dense(sizes.get(casadi.nlpsol_out(i), 0), 1)

        def eval(self, arg):
            return [int(trace.late)]

    total = sum(len(b.r) for b in problem.blocks) + count
    watch = Watch()
    solver = casadi.nlpsol(
        "solver",
        "ipopt",
        {"x": x, "f": f(x), "g": casadi.vertcat(*rows, curved(x))},
        {
            "iteration_callback": watch,
            "print_time": False,
            "ipopt": {
                "hessian_approximation": "limited-memory",
                "print_level": 0,
                "sb": "yes",
                "tol": 1e-4,
                "max_iter": 3000,
                **settings,
            },
        },
    )
    one = np.ones(count)
    found = solver(
        x0=start, lbg=np.concatenate([*low, -one]), ubg=np.concatenate([*high, one])
    )
    trace.saw(np.array(found["x"]).ravel())
    return str(solver.stats()["return_status"])


def slsqp(problem: Problem, start: np.ndarray, trace: Trace, per_harmonic: int = 8) -> None:
    """A condition-number design as is usual: SLSQP, limits at samples, gradients by torch."""
    of = AutogradProblem(problem)
    A, b = [], []
    for block in problem.blocks:
        kept = slice(None, None, 32 // per_harmonic)
        for sign in (1.0, -1.0):
            rows = np.zeros((len(block.r[kept]), start.size))
            rows[:, block.part] = sign * block.R[kept]
            A.append(-rows)
            b.append(block.bound[kept] - sign * block.r[kept])
    A, b = np.vstack(A), np.concatenate(b)
    some = slice(None, None, 3)

    class Late(Exception):  # noqa: N818 - no error
        pass

    def objective(x):
        if trace.late:
            raise Late
        trace.saw(x)
        return of.objective(x, np.inf)

    def shares(x):
        found = of.curved_values(x).reshape(problem.samples, -1)[some].ravel()
        return np.concatenate([1 - found, 1 + found])

    def slopes(x):
        J = of.curved_jacobian(x).reshape(problem.samples, -1, x.size)[some].reshape(-1, x.size)
        return np.concatenate([-J, J])

    constraints = [
        {"type": "ineq", "fun": lambda x: A @ x + b, "jac": lambda x: A},
        {"type": "ineq", "fun": shares, "jac": slopes},
    ]
    try:
        minimize(
            objective,
            start,
            jac=True,
            method="SLSQP",
            constraints=constraints,
            options={"maxiter": 1000},
        )
    except Late:
        pass


def check_goal(problem: Problem, x: np.ndarray) -> float:
    """How far the criterion in torch is from the compiled one, value and gradient."""
    mine, theirs = problem.objective(x, SHARPNESS), AutogradProblem(problem).objective(x, SHARPNESS)
    return max(abs(mine[0] - theirs[0]), float(np.abs(mine[1] - theirs[1]).max()))


__all__ = ["Trace", "best_of_random", "check_goal", "evolution", "goal", "ipopt", "ours", "slsqp"]
