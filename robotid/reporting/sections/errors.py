"""Errors by joint and split, beside baselines."""

from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import AnyFit, Fold, Metric
from robotid.contracts.words import DATA
from robotid.reporting.beside import Beside, Compared, beside, compared
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.quantities import Quantity
from robotid.reporting.same_data import names_in
from robotid.reporting.sections.robot_file import no_baseline
from robotid.reporting.view import FitView, View
from robotid.reporting.words import SPLITS

_GAP = 0.16  # between dots of one joint, in the chart


class Row(NamedTuple):
    """A line of a table: a joint, or the mean over all.

    Args:
        name: of the joint.
        unit: of its error.
        metrics: values by metric.
        baselines: errors (root mean square) by baseline.
        compared: the error beside the best of these.
        beside: the same in short.
    """

    name: str
    unit: str
    metrics: dict[str, float | None]
    baselines: dict[str, float | None]
    compared: Compared
    beside: Beside


class SplitErrors(NamedTuple):
    """Errors in one split.

    Args:
        split: its short name.
        name: in words.
        data: what data these are, in words.
        samples: how many.
        recordings: with samples in it.
        joints: rows.
        mean: over the joints.
    """

    split: str
    name: str
    data: str
    samples: int | None
    recordings: list[str]
    joints: list[Row]
    mean: Row


class Folds(NamedTuple):
    """Rounds of cross-validation, and what they are together, by metric."""

    rounds: list[Fold]
    mean: dict[str, Metric]
    spread: dict[str, Metric]


class Errors(NamedTuple):
    """What the template shows.

    Args:
        of: what is predicted, in words.
        splits: held-out data first.
        baselines: names in words, by short name.
        unit: of the mean over joints.
        drawing: errors of joints on held-out data.
        no_file: why the robot file is no baseline; None where it is one.
        folds: of cross-validation; None without any.
    """

    of: str
    splits: list[SplitErrors]
    baselines: dict[str, str]
    unit: str
    drawing: Drawing | None
    no_file: str | None
    folds: Folds | None = None


def with_folds(view: FitView) -> Errors | None:
    """Errors of all splits, and of cross-validation where there was one."""
    found, fit = section(view), view.fit
    folds = Folds(fit.folds, fit.folds_mean, fit.folds_spread) if fit.folds else None
    return found and found._replace(folds=folds)


def section(view: View[AnyFit]) -> Errors | None:
    """Errors of all splits; None where there are no metrics."""
    fit, first = view.fit, view.held_out
    if not fit.metrics:
        return None
    order = [first, *(split for split in fit.metrics if split != first)]
    return Errors(
        of=view.quantity.name,
        splits=[_split(view, split) for split in order],
        baselines={name: view.quantity.called(name) for name in fit.baselines},
        unit=view.unit,
        drawing=drawn(errors_chart(fit, first, view.quantity)),
        no_file=no_baseline(view),
    )


def _split(view: View[AnyFit], split: str) -> SplitErrors:
    fit, names = view.fit, view.quantity.baselines
    own = fit.metrics[split]
    others = {name: metrics[split]["rmse"] for name, metrics in fit.baselines.items()}

    def row(name: str, unit: str, joint: str | None) -> Row:
        def of(metric: Metric) -> float | None:
            return metric.mean if joint is None else metric.joints.get(joint)

        baselines = {key: of(metric) for key, metric in others.items()}
        metrics = {key: of(metric) for key, metric in own.items()}
        own_error = metrics.get("rmse")
        return Row(
            name=name,
            unit=unit,
            metrics=metrics,
            baselines=baselines,
            compared=compared(own_error, baselines, names),
            beside=beside(own_error, baselines, names),
        )

    return SplitErrors(
        split=split,
        name=SPLITS.get(split, split),
        data=DATA.get(split, split),
        samples=fit.samples.get(split),
        recordings=[*names_in(fit, split), *_earlier(fit, split)],
        joints=[row(joint, view.units[joint], joint) for joint in fit.joints],
        mean=row("mean", view.unit, None),
    )


def _earlier(fit: AnyFit, split: str) -> list[str]:
    """Errors of training count samples of the fit that is continued, too."""
    return ["those of the earlier fit"] if split == "train" and fit.continues else []


def errors_chart(fit: AnyFit, split: str, of: Quantity) -> Chart:
    """Errors of model and baselines as shares of what is predicted, joint by joint."""
    kinds = {"this model": fit.metrics} | {
        of.called(name): metrics for name, metrics in fit.baselines.items()
    }
    places = np.arange(len(fit.joints), dtype=np.float64)
    series = []
    for number, (name, metrics) in enumerate(kinds.items()):
        found = metrics[split].get("relative")
        values = [None if found is None else found.joints.get(joint) for joint in fit.joints]
        y = np.array([np.nan if value is None else 100 * value for value in values])
        offset = _GAP * (number - (len(kinds) - 1) / 2)
        colour = None if name == of.called("zero") else number
        series.append(Series(name, places + offset, y, "dots", colour))
    return Chart(
        title=f"Error as a share of the {of.name}, on {DATA.get(split, split)}",
        across=Axis("joint", names=fit.joints),
        upward=Axis(f"error [% of the {of.name}]", log=True),
        series=series,
        height=280,
    )
