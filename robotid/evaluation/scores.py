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
    sums, _ = _summed(data.get("train", ()), lambda factor: factor.power)
    means = {row: own.total / own.samples for row, own in sums.items()}

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
    found = {split: _summed(blocks, loss) for split, blocks in data.items()}
    extents = found["train"][1] if "train" in found else {}
    return metrics_of_sums({split: sums for split, (sums, _) in found.items()}, extents)


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


def _summed(
    blocks: Sequence[Sequence[Factor]], loss: Loss
) -> tuple[dict[str, ErrorSums], dict[str, float]]:
    """Sums over all blocks and greatest minus least torque, by row; one block is held at a time."""
    sums: dict[str, ErrorSums] = {}
    low: dict[str, float] = {}
    high: dict[str, float] = {}
    for block in blocks:
        for factor in block:
            row, before = factor.row, sums.get(factor.row, ErrorSums(0, 0.0, 0.0, 0.0))
            sums[row] = ErrorSums(
                before.samples + factor.count,
                before.loss + loss(factor),
                before.total + factor.total,
                before.power + factor.power,
            )
            low[row] = min(low.get(row, factor.lowest), factor.lowest)
            high[row] = max(high.get(row, factor.highest), factor.highest)
    return sums, {row: high[row] - low[row] for row in sums}
