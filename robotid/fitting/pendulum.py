"""Fitting one revolute joint under gravity, with held-out errors and baselines."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import (
    FitResult,
    Identifiability,
    Metric,
    Metrics,
    Parameter,
    Status,
)
from robotid.dynamics.pendulum import PARAMETERS, regressor
from robotid.fitting.least_squares import Solution, solve
from robotid.fitting.metrics import METRICS, errors
from robotid.fitting.verdict import judge

_UNCERTAIN = 0.3  # relative standard deviation beyond which a value is not called identified


class Motion(NamedTuple):
    """Signals of one joint, each of shape (samples,): rad, rad/s, rad/s^2, N m."""

    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    qdd: NDArray[np.float64]
    tau: NDArray[np.float64]


def fit_pendulum(
    joint: str,
    motions: Mapping[str, Motion],
    *,
    independent: float,
    split_by: Literal["recording", "segment"],
) -> FitResult:
    """Least squares on the `train` motion; errors on every split beside those of baselines.

    Args:
        joint: its name.
        motions: the data of each split.
        independent: share of samples that count as independent.
        split_by: how the data were held out.
    """
    train = motions["train"]
    solution = solve(regressor(train.q, train.qd, train.qdd), train.tau, independent)
    deficient = len(PARAMETERS) - solution.rank
    status = Status(
        converged=deficient == 0,
        message="solved" if deficient == 0 else f"{deficient} directions are not determined",
        remedy=None if deficient == 0 else "record a motion with more speeds and positions",
    )
    mean = float(np.mean(train.tau))
    predicted = {s: regressor(m.q, m.qd, m.qdd) @ solution.values for s, m in motions.items()}
    zero = {split: np.zeros_like(m.tau) for split, m in motions.items()}
    constant = {split: np.full_like(m.tau, mean) for split, m in motions.items()}
    metrics = _metrics(joint, motions, predicted)
    baselines = {
        "zero": _metrics(joint, motions, zero),
        "mean": _metrics(joint, motions, constant),
    }
    parameters = _parameters(joint, solution)
    return FitResult(
        model="ols",
        joints=[joint],
        samples={split: int(motion.tau.size) for split, motion in motions.items()},
        split_by=split_by,
        status=status,
        verdict=judge(status, metrics, baselines, parameters),
        metrics=metrics,
        baselines=baselines,
        identifiability=Identifiability(
            rank=solution.rank,
            structural_rank=len(PARAMETERS),
            condition=solution.condition if np.isfinite(solution.condition) else None,
        ),
        parameters=parameters,
    )


def _metrics(
    joint: str, motions: Mapping[str, Motion], predicted: Mapping[str, NDArray[np.float64]]
) -> Metrics:
    found: Metrics = {}
    for split, motion in motions.items():
        values = errors(motion.tau, predicted[split])
        found[split] = {
            name: Metric(mean=values[name], joints={joint: values[name]}) for name in METRICS
        }
    return found


def _parameters(joint: str, solution: Solution) -> list[Parameter]:
    return [
        Parameter(
            name=name,
            joint=joint,
            unit=unit,
            value=float(value),
            std=float(std) if np.isfinite(std) else None,
            status=_status(float(value), float(std)),
        )
        for (name, unit), value, std in zip(
            PARAMETERS.items(), solution.values, solution.std, strict=True
        )
    ]


def _status(value: float, std: float) -> Literal["identified", "uncertain", "not excited"]:
    if not np.isfinite(std):
        return "not excited"
    return "identified" if std <= _UNCERTAIN * abs(value) else "uncertain"
