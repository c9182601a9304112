"""Metrics of parameters and of baselines, by split, from factors only."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.contracts.fit import Metric, Metrics
from robotid.contracts.splits import Split
from robotid.errors import BadDataError
from robotid.evaluation.metrics import METRICS, SUMMED, ErrorSums, Values
from robotid.information.blocks import BySplit
from robotid.information.factor import Factor
from robotid.information.samples import samples_of
from robotid.robot.physical import check_bodies, violations
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
Predict = Callable[[Array, Array, Array], Array]
Loss = Callable[[Factor], float]  # sum of squared errors of a prediction over a factor's samples


def scores(data: BySplit, phi: ArrayLike) -> Metrics:
    """All metrics of a vector of all parameters.

    Args:
        data: factors by split, block and row; a split without samples is left out.
        phi: all parameters, shape (p,).
    """
    values = np.asarray(phi, dtype=np.float64)
    return _scored(data, lambda factor: factor.loss(values))


def baselines(data: BySplit, nominal: ArrayLike | None = None) -> dict[str, Metrics]:
    """The metrics of predictions that anybody could make without a fit.

    `zero` predicts no torque, `mean` the mean torque of the training data, `nominal` what the robot
    file says.

    Args:
        data: factors by split, block and row.
        nominal: all parameters as in the robot file with its friction, shape (p,); None where
            the file has no links to compare with (see `has_physical_links`).
    """
    means = {
        row: sum(factor.total for factor in factors) / sum(factor.count for factor in factors)
        for row, factors in _by_row(data.get("train", ())).items()
    }

    def off_mean(factor: Factor) -> float:
        mean = means[factor.row]
        return max(0.0, factor.power - 2 * mean * factor.total + factor.count * mean**2)

    found = {"zero": _scored(data, lambda factor: factor.power), "mean": _scored(data, off_mean)}
    return found if nominal is None else {**found, "nominal": scores(data, nominal)}


def has_physical_links(robot: RobotTree) -> bool:
    """Whether a robot file says enough to predict torques: every joint moves a possible body."""
    return not check_bodies(robot) and not any(violations(phi) for phi in robot.phi)


def metric(values: Mapping[str, float | None], *, summed: bool = False) -> Metric:
    """A metric of all joints; mean and sum are over those where it has a value."""
    known = [value for value in values.values() if value is not None]
    return Metric(
        mean=float(np.mean(known)) if known else None,
        joints=dict(values),
        total=float(np.sum(known)) if known and summed else None,
    )


def _scored(data: BySplit, loss: Loss) -> Metrics:
    """The metrics of any prediction of which sums of squared errors are known."""
    training = _by_row(data.get("train", ()))
    extents = {
        row: max(f.highest for f in factors) - min(f.lowest for f in factors)
        for row, factors in training.items()
    }
    sums = {
        split: {row: _sums(factors, loss) for row, factors in _by_row(blocks).items()}
        for split, blocks in data.items()
    }
    return metrics_of_sums(sums, extents)


def scores_of_samples(
    read: Callable[[Split], Iterable[Array]],
    robot: RobotTree,
    predict: Predict,
    rows: Sequence[str] = (),
) -> Metrics:
    """The same as `scores` for a model that is outside what factors tell, in one more pass.

    Args:
        read: batches of q, qd, qdd and tau of a split, each of shape (nq + 3 nv, samples).
        robot: whose samples they are.
        predict: torques (samples, nv) of q (samples, nq), qd and qdd (samples, nv).
        rows: the first ones, if not all count.
    """
    rows, extents = rows or robot.rows, dict[str, float]()
    result: dict[Split, dict[str, ErrorSums]] = {}
    splits: tuple[Split, ...] = ("train", "val", "test")
    for name in splits:
        low, high = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
        samples, sums = 0, np.zeros((3, len(rows)))
        for batch in read(name):
            q, qd, qdd, tau = samples_of(robot, batch)
            tau = tau[:, : len(rows)]
            e = tau - predict(q, qd, qdd)[:, : len(rows)]
            sums += np.array([(e**2).sum(0), tau.sum(0), (tau**2).sum(0)])
            low, high = np.minimum(low, tau.min(0)), np.maximum(high, tau.max(0))
            samples += len(tau)
        if name == "train" and samples:
            extents = dict(zip(rows, (high - low).tolist(), strict=True))
        if samples:
            found = zip(rows, sums.T.tolist(), strict=True)
            result[name] = {row: ErrorSums(samples, *own) for row, own in found}
    return metrics_of_sums(result, extents)


def metrics_of_sums(
    sums: Mapping[Split, Mapping[str, ErrorSums]], extents: Mapping[str, float]
) -> Metrics:
    """All metrics.

    Args:
        sums: by split and joint.
        extents: greatest minus least torque of the training data, by joint.
    """
    if not extents:
        raise BadDataError("no-training-data", "there are no training data to compare with")
    trained = {row: own.variance for row, own in sums["train"].items() if own.samples}
    result: Metrics = {}
    for split, rows in sums.items():
        values: dict[str, Values] = {
            row: own.metrics(extents[row], trained[row]) for row, own in rows.items() if own.samples
        }
        if values:
            result[split] = {
                name: metric({r: found[name] for r, found in values.items()}, summed=name in SUMMED)
                for name in METRICS
            }
    return result


def _by_row(blocks: Sequence[Sequence[Factor]]) -> dict[str, list[Factor]]:
    rows: dict[str, list[Factor]] = {}
    for block in blocks:
        for factor in block:
            rows.setdefault(factor.row, []).append(factor)
    return rows


def _sums(factors: Sequence[Factor], loss: Loss) -> ErrorSums:
    return ErrorSums(
        samples=sum(factor.count for factor in factors),
        loss=sum(loss(factor) for factor in factors),
        total=sum(factor.total for factor in factors),
        power=sum(factor.power for factor in factors),
    )
