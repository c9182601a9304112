"""Factor to physically consistent parameters, against the same problem through cvxpy.

    python benchmarks/sdp.py [--repeat 9]

Both solve with clarabel: ours through its own interface, cvxpy in the better of two forms (norm of
the residual, or its square), from the same triangular factor in the same units. Each round builds
the problem anew, as each fit does. Values are compared with the best that any of them finds.
"""

import argparse
import statistics
import sys
import time
import warnings
from pathlib import Path

import cvxpy as cp
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from robotid.fitting.linear import wls
from robotid.fitting.scaling import scaled_problem
from robotid.fitting.sdp import MARGIN, consistent_fit
from tests.fitting.reference_sdp import cvxpy_problem
from tests.fitting.samples import sample

AT_LEAST = 2.0
WITHIN = 1e-8
ROBOTS = ("double_pendulum", "ur10", "panda", "iiwa")
FORMS = ("norm", "squares")
TOLERANCES = ("tol_gap_abs", "tol_gap_rel", "tol_feas")


def through_cvxpy(system, layout, form):
    """Parameters in the units of the scaled problem, by cvxpy with a tolerance it can reach."""
    made, x, _ = cvxpy_problem(system, layout, form=form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.solve(solver=cp.CLARABEL, **dict.fromkeys(TOLERANCES, 1e-9))
    return x.value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    failed = False
    for name in ROBOTS:
        noisy = sample(name, noise=0.3)
        system, layout = wls(noisy.evidence, noisy.base).system, noisy.layout
        problem = scaled_problem(system, layout)
        times: dict[str, list[float]] = {"ours": [], **{form: [] for form in FORMS}}
        values = {}
        for _ in range(options.repeat):
            began = time.perf_counter()
            result = consistent_fit(system, layout)
            times["ours"].append(time.perf_counter() - began)
            found = {"ours": result.phi / problem.size}
            for form in FORMS:
                began = time.perf_counter()
                found[form] = through_cvxpy(system, layout, form)
                times[form].append(time.perf_counter() - began)
        for which, x in found.items():  # the residual of the best unconstrained fit is 1
            errors = problem.R @ x - problem.z
            values[which] = 1.0 + float(errors @ errors) + problem.rest**2
        middle = {which: statistics.median(spent) for which, spent in times.items()}
        best = min(FORMS, key=lambda form: middle[form])
        ratio = middle[best] / middle["ours"]
        above = values["ours"] / min(values.values()) - 1
        physical = result.converged and bool((result.eigenvalues > 0.99 * MARGIN).all())
        failed |= ratio < AT_LEAST or above > WITHIN or not physical
        print(
            f"{name} ({layout.parameters} parameters, {len(result.active)} constraints active): "
            f"{1e3 * middle['ours']:.1f} ms, {ratio:.1f} x faster than cvxpy ({best}; at least "
            f"{AT_LEAST:.0f}); {above:.0e} above the best value (at most {WITHIN:.0e}), cvxpy "
            f"{values[best] / min(values.values()) - 1:.0e}; apart in torque "
            f"{np.linalg.norm(problem.R @ (found['ours'] - found[best])):.0e} of the residual"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
