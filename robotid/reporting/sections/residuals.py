"""What the model leaves: how errors are spread, and what they go with."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from robotid.reporting.charts.chart import Chart
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.residual_charts import (
    autocorrelation,
    distribution,
    over_blocks,
    over_signal,
)
from robotid.reporting.samples import joined, units, windows_of
from robotid.reporting.view import FitView


class Group(NamedTuple):
    """The same chart of every joint, and how to read it."""

    title: str
    words: str
    drawings: list[Drawing]


_DISTRIBUTION = (
    "How often errors of {data} have which size; the line is the normal distribution of the "
    "noise that the intervals of parameters assume. A shifted or wider hump: other conditions than "
    "in training, or something that the model lacks."
)
_VELOCITY = (
    "Errors of {data} over velocity, medians of bins and the middle half of samples around them. "
    "A curve where there should be a flat line is friction that the model lacks."
)
_TEMPERATURE = "Errors over temperature, in the same way. A slope: friction that falls with warmth."
_TIME = (
    "Root mean square of errors in blocks of time and, dashed, their mean, recording after "
    "recording (upright lines lie between them). What falls or rises steadily is warming up or "
    "a drifting zero."
)
_AUTOCORRELATION = (
    "How alike errors are that lie so much time apart, in training data. The filter alone makes "
    "neighbours alike: dashed is what it makes of white noise, the band what chance adds to that "
    "(95 % for all lags together). Errors that leave the band hold something that the model lacks."
)


def section(view: FitView) -> list[Group] | None:
    """Groups that have something to show."""
    windows = windows_of(view, view.held_out)
    found: list[Group] = []
    of = units(view)
    if windows and view.excerpt is not None:
        data = "training data" if view.held_out == "train" else "held-out data"
        names, noise = view.excerpt.joints, view.fit.noise

        def errors(place: int) -> Chart | None:
            name = names[place]
            residual = joined(windows, "residual", place)
            return distribution(residual, noise.get(name), name, of[name].torque)

        def against(signal: str, label: Callable[[str], str]) -> Callable[[int], Chart | None]:
            def chart(place: int) -> Chart | None:
                x, name = joined(windows, signal, place), names[place]
                residual = joined(windows, "residual", place)
                return over_signal(x, residual, name, label(name), of[name].torque)

            return chart

        places = range(len(names))
        velocity = against("qd", lambda joint: f"velocity [{of[joint].velocity}]")
        temperature = against("temperature", lambda _: "temperature [°C]")
        found = [
            Group("Distribution", _DISTRIBUTION.format(data=data), _drawn(map(errors, places))),
            Group("Over velocity", _VELOCITY.format(data=data), _drawn(map(velocity, places))),
            Group("Over temperature", _TEMPERATURE, _drawn(map(temperature, places))),
        ]
    time = [over_blocks(view.fit.blocks, joint, of[joint].torque) for joint in view.fit.joints]
    lags = [autocorrelation(given, name) for name, given in view.fit.autocorrelation.items()]
    found += [
        Group("Over time", _TIME, _drawn(time)),
        Group("Autocorrelation", _AUTOCORRELATION, _drawn(lags)),
    ]
    return [group for group in found if group.drawings] or None


def _drawn(charts: Iterable[Chart | None]) -> list[Drawing]:
    return [found for chart in charts if chart is not None and (found := drawn(chart))]
