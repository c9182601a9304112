"""IPOPT, through casadi, on the problem of a design."""

import casadi
import numpy as np
from excitation_autograd import SHARPNESS, AutogradProblem
from excitation_rivals import Trace

from robotid.excitation.problem import Problem


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

    def get_sparsity_in(self, _):
        return casadi.Sparsity.dense(self._sizes[0], 1)

    def get_sparsity_out(self, _):
        return casadi.Sparsity.dense(self._sizes[1], 1)

    def eval(self, arg):
        return [casadi.DM(self._values(np.array(arg[0]).ravel()))]

    def has_jacobian(self):
        return self._jacobian is not None

    def get_jacobian(self, name, _inames, _onames, opts):
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

            def get_sparsity_out(self, _):
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

        def get_name_out(self, _):
            return "ret"

        def get_sparsity_in(self, i):
            sizes = {"f": 1, "x": n, "lam_x": n, "g": total, "lam_g": total}
            return casadi.Sparsity.dense(sizes.get(casadi.nlpsol_out(i), 0), 1)

        def eval(self, _):
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
    found = solver(x0=start, lbg=np.concatenate([*low, -one]), ubg=np.concatenate([*high, one]))
    trace.saw(np.array(found["x"]).ravel())
    return str(solver.stats()["return_status"])
