"""Errors by joint and split, beside baselines."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import FitResult, Metric
from robotid.contracts.words import BASELINES, DATA
from robotid.reporting.beside import Beside, Compared, beside, compared
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.same_data import names_in
from robotid.reporting.sections.robot_file import no_baseline
from robotid.reporting.view import FitView
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


class Errors(NamedTuple):
    """What the template shows.

    Args:
        splits: held-out data first.
        baselines: names in words, by short name.
        unit: of the mean over joints.
        drawing: errors of joints on held-out data.
        no_file: why the robot file is no baseline; None where it is one.
    """

    splits: list[SplitErrors]
    baselines: dict[str, str]
    unit: str
    drawing: Drawing | None
    no_file: str | None


def section(view: FitView) -> Errors | None:
    """Errors of all splits; None where there are no metrics."""
    fit, first = view.fit, view.held_out
    if not fit.metrics:
        return None
    units = view.units
    unit = " or ".join(sorted(set(units.values()), reverse=True))
    order = [first, *(split for split in fit.metrics if split != first)]
    return Errors(
        splits=[_split(fit, split, units, unit) for split in order],
        baselines={name: BASELINES.get(name, name) for name in fit.baselines},
        unit=unit,
        drawing=drawn(errors_chart(fit, first)),
        no_file=no_baseline(view),
    )


def _split(fit: FitResult, split: str, units: Mapping[str, str], unit: str) -> SplitErrors:
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
            compared=compared(own_error, baselines),
            beside=beside(own_error, baselines),
        )

    return SplitErrors(
        split=split,
        name=SPLITS.get(split, split),
        data=DATA.get(split, split),
        samples=fit.samples.get(split),
        recordings=names_in(fit, split),
        joints=[row(joint, units.get(joint, unit), joint) for joint in fit.joints],
        mean=row("mean", unit, None),
    )


def errors_chart(fit: FitResult, split: str) -> Chart:
    """Errors of model and baselines as shares of the torque, joint by joint."""
    kinds = {"this model": fit.metrics} | {
        BASELINES.get(name, name): metrics for name, metrics in fit.baselines.items()
    }
    places = np.arange(len(fit.joints), dtype=np.float64)
    series = []
    for number, (name, metrics) in enumerate(kinds.items()):
        found = metrics[split].get("relative")
        values = [None if found is None else found.joints.get(joint) for joint in fit.joints]
        y = np.array([np.nan if value is None else 100 * value for value in values])
        offset = _GAP * (number - (len(kinds) - 1) / 2)
        colour = None if name == BASELINES["zero"] else number
        series.append(Series(name, places + offset, y, "dots", colour))
    return Chart(
        title=f"Error as a share of the torque, on {DATA.get(split, split)}",
        across=Axis("joint", names=fit.joints),
        upward=Axis("error [% of the torque]", log=True),
        series=series,
        height=280,
    )
