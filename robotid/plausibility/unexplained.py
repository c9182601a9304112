"""Short stretches of torque that the motion does not explain: a collision, a stop, a hand."""

import numpy as np

from robotid.plausibility.blocks import Array
from robotid.plausibility.finding import duration
from robotid.plausibility.model import Fit, friction_terms
from robotid.plausibility.report import Report
from robotid.plausibility.torque import Compared, nominal

_EXPLAINED = 0.9  # of the rest of a torque, before anything is said of what is not
_FAR = 10.0  # robust standard deviations of what is usually left
_LARGE = 0.5  # of the torque's own standard deviation
_BY_MODEL = 0.5  # of a torque's standard deviation that links must make
_SHORTEST_S = 0.04
_LONGEST_S, _MOST = 2.0, 0.2  # longer, or more of the recording, is a model that does not fit
_ROUNDS = 10


def check_unexplained(at: Compared, report: Report) -> None:
    """Look for runs of samples far from a fit that does not follow them (B93)."""
    for joint, fit in enumerate(at.fits):
        if fit is not None:
            _check_joint(at, joint, fit, report)


def _check_joint(at: Compared, joint: int, fit: Fit, report: Report) -> None:
    good = np.isfinite(fit.residual)
    tau, t = at.samples.tau[good, joint], at.samples.t[good]
    terms = np.column_stack([nominal(at)[good, joint], friction_terms(at.samples.qd[good, joint])])
    left, spread, scale = _robust(terms, tau)
    if abs(scale) * float(np.std(terms[:, 0])) < _BY_MODEL * float(np.std(tau)):
        return  # friction makes this torque, and friction has its moods
    far = np.abs(left) > max(_FAR * spread, _LARGE * float(np.std(tau)))
    usual = ~far
    if not far.any() or np.mean(far) > _MOST or np.count_nonzero(usual) < len(tau) / 2:
        return
    if 1 - np.var(left[usual]) / max(np.var(tau[usual]), 1e-300) < _EXPLAINED:
        return
    edges = np.flatnonzero(np.diff(far, prepend=False, append=False))
    runs = [(b, e - 1) for b, e in zip(edges[::2], edges[1::2], strict=True) if e - b > 1]
    runs = [
        (b, e)
        for b, e in runs
        if _SHORTEST_S * 1e9 <= t[e] - t[b] < _LONGEST_S * 1e9
        and not report.covers(int(t[b]), int(t[e]))
    ]
    if not runs:
        return
    first, last = runs[0]
    worst = max(float(np.abs(left[b : e + 1]).max()) for b, e in runs)
    unit = list(at.robot.torque_units.values())[joint]
    times = "once" if len(runs) == 1 else f"{len(runs)} times"
    report.add(
        "unexplained-torque",
        f"{times} tau is up to {worst:.3g} {unit} from what the motion explains, first for "
        f"{duration(int(t[last] - t[first]))}",
        "a collision, a stop or a hand on the robot? leave it out: "
        f"--exclude {t[first] / 1e9 - 0.2:.2f}:{t[last] / 1e9 + 0.2:.2f}",
        joint=at.joints[joint],
        t=int(t[first]),
    )


def _robust(terms: Array, y: Array) -> tuple[Array, float, float]:
    """What a fit leaves that outliers do not pull, its usual size, and the factor of the model."""
    weight = np.ones(len(y))
    left, spread, scale = y, float(np.std(y)), 0.0
    for _ in range(_ROUNDS):
        root = np.sqrt(weight)
        found = np.linalg.lstsq(terms * root[:, None], y * root, rcond=1e-10)[0]
        left, scale = y - terms @ found, float(found[0])
        spread = 1.4826 * float(np.median(np.abs(left)))
        weight = 1 / (1 + (left / max(3 * spread, 1e-300)) ** 2)
    return left, spread, scale
