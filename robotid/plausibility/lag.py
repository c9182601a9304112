"""How much later torques are than the motion: the shift with which the model fits best."""

import numpy as np

from robotid.plausibility.blocks import Array
from robotid.plausibility.finding import duration
from robotid.plausibility.model import Model, friction_terms
from robotid.plausibility.report import Report
from robotid.plausibility.samples import Samples

_SHORTEST_S, _SHORTEST_SAMPLES = 0.008, 2
_LONGEST_S, _STEPS = 0.3, 15
_BETTER = 0.5  # of what is left without shift
_LEFT = 0.15
_WEIGHT = (0.4, 3.0)  # usual scale of gravity; otherwise the robot file does not fit at all


def check_lag(samples: Samples, model: Model, start: int, report: Report) -> None:
    """Shift the torques against the motion."""
    fit = _ShiftedFit(samples, model)
    step = samples.step_s
    stride = max(1, round(_LONGEST_S / step / _STEPS))
    farthest = _STEPS * stride
    left = {lag: fit.left(lag) for lag in range(-farthest, farthest + 1, stride)}
    best = min(left, key=lambda lag: left[lag])
    while stride > 1:
        stride = (stride + 1) // 2
        for lag in (best - stride, best + stride):
            if lag not in left and abs(lag) <= farthest:
                left[lag] = fit.left(lag)
        best = min(left, key=lambda lag: left[lag])
    late = best * step
    if abs(late) < max(_SHORTEST_S, _SHORTEST_SAMPLES * step) or abs(best) == farthest:
        return
    if left[best] > min(_BETTER * left[0], _LEFT) or not fit.is_trusted(best):
        return
    report.add(
        "torque-lag",
        f"torques are {duration(round(abs(late) * 1e9))} {'later' if late > 0 else 'earlier'} than "
        f"the motion: so shifted, the model leaves {100 * left[best]:.2g} % of them unexplained "
        f"instead of {100 * left[0]:.2g} %",
        f"shift the torques (lag_s = {late:.4g} in the map)",
        t=start,
    )


class _ShiftedFit:
    """Torques of other times fitted by gravity, dynamics, friction, rotor and offset of each joint.

    Without a rotor, a shift and friction that gives power would stand for its inertia.
    """

    def __init__(self, samples: Samples, model: Model) -> None:
        self._samples = samples
        joints = range(samples.q.shape[1])
        self._joints = [j for j in joints if np.isfinite(samples.tau[:, j]).any()]
        whole = model.gravity + model.dynamic
        self._heavy = {j: float(np.std(model.gravity[:, j])) for j in joints}
        self._terms = [
            np.column_stack([whole[:, j], samples.qdd[:, j], friction_terms(samples.qd[:, j])])
            for j in joints
        ]

    def _fitted(self, lag: int) -> list[tuple[int, float, float]]:
        """Joint, scale of the model, share left of its torque."""
        tau = self._samples.tau_later(lag)[:, self._joints]
        good = np.isfinite(tau).all(1)
        found = []
        for y, joint in zip(tau[good].T, self._joints, strict=True):
            terms: Array = self._terms[joint][good]
            normal = terms.T @ terms
            ridge = 1e-12 * np.trace(normal) * np.eye(len(normal))
            scale = np.linalg.solve(normal + ridge, terms.T @ y)
            variance = float(np.var(y)) if y.size else 0.0
            share = float(np.mean((y - terms @ scale) ** 2)) / variance if variance else 1.0
            found.append((joint, float(scale[0]), share))
        return found

    def left(self, lag: int) -> float:
        """Mean share of the torques that is not explained when they come `lag` rows later."""
        return float(np.mean([share for _, _, share in self._fitted(lag)]))

    def is_trusted(self, lag: int) -> bool:
        """Whether the heavier half of the joints shows about the weight of the robot file."""
        scales = {joint: scale for joint, scale, _ in self._fitted(lag)}
        usual = np.median([self._heavy[joint] for joint in scales])
        heavy = [scale for joint, scale in scales.items() if self._heavy[joint] >= usual > 0]
        return bool(heavy) and _WEIGHT[0] < float(np.median(heavy)) < _WEIGHT[1]
