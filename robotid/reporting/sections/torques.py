"""Measured and predicted torque over time, on held-out data."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import AnyFit
from robotid.contracts.residuals import Window
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.charts.thinning import thinned
from robotid.reporting.samples import units, windows_of
from robotid.reporting.view import FitView, LearnedView, View

Array = NDArray[np.float64]

LONGEST_S = 20.0  # that is shown
_POINTS = 2400  # of a line
_WIDTH = 900  # [px]
_SIGMAS = 2.0  # of the band around zero error


class JointTorques(NamedTuple):
    """Charts of a joint: both torques, and their difference on a scale of its own."""

    joint: str
    torque: Drawing | None
    error: Drawing | None


class Torques(NamedTuple):
    """A stretch of a recording, from `start_s` to `end_s`."""

    recording: str
    split: str
    start_s: float
    end_s: float
    joints: list[JointTorques]


def section(view: FitView) -> Torques | None:
    """The beginning of the first held-out recording."""
    return _torques(view, view.fit.noise)


def of_learned(view: LearnedView) -> Torques | None:
    """The same of a model that states no noise."""
    return _torques(view, {})


def _torques(view: View[AnyFit], noise: Mapping[str, float]) -> Torques | None:
    windows = stretch(windows_of(view, view.held_out))
    if not windows or view.excerpt is None:
        return None
    found, torque_units = [], units(view)
    for place, joint in enumerate(view.excerpt.joints):
        unit = torque_units[joint].torque
        found.append(
            JointTorques(
                joint,
                drawn(torque_chart(windows, place, joint, unit)),
                drawn(error_chart(windows, place, joint, unit, noise.get(joint))),
            )
        )
    return Torques(
        recording=windows[0].recording,
        split=windows[0].split,
        start_s=float(windows[0].t[0]),
        end_s=float(windows[-1].t[-1]),
        joints=found,
    )


def stretch(windows: Sequence[Window], longest_s: float = LONGEST_S) -> list[Window]:
    """Windows of the first recording, so many seconds of samples at most."""
    found: list[Window] = []
    left = longest_s
    for window in windows:
        if window.recording != windows[0].recording or left <= 0:
            break
        kept = int(np.searchsorted(window.t, window.t[0] + left, side="right"))
        found.append(
            Window(
                window.recording,
                window.split,
                t=window.t[:kept],
                q=window.q[:kept],
                qd=window.qd[:kept],
                qdd=window.qdd[:kept],
                tau=window.tau[:kept],
                predicted=window.predicted[:kept],
            )
        )
        left -= float(window.t[kept - 1] - window.t[0])
    return found


def torque_chart(windows: Sequence[Window], place: int, joint: str, unit: str) -> Chart:
    """Both torques of a joint over time."""
    return Chart(
        title=joint,
        across=Axis("time [s]"),
        upward=Axis(f"torque [{unit}]"),
        series=[
            Series("measured", *_line(windows, [w.tau[:, place] for w in windows]), colour=0),
            Series(
                "predicted", *_line(windows, [w.predicted[:, place] for w in windows]), "dashed", 1
            ),
        ],
        zoom=True,
        width=_WIDTH,
        height=220,
    )


def error_chart(
    windows: Sequence[Window], place: int, joint: str, unit: str, noise: float | None
) -> Chart:
    """Measured minus predicted torque of a joint, on the stated noise (two standard deviations)."""
    errors = [window.tau[:, place] - window.predicted[:, place] for window in windows]
    series = [Series("measured minus predicted", *_line(windows, errors), colour=2)]
    if noise is not None:
        ends = np.array([windows[0].t[0], windows[-1].t[-1]])
        edge = np.full(2, _SIGMAS * noise)
        band = Series("stated noise, ± 2 standard deviations", ends, edge, "band", None, low=-edge)
        series.insert(0, band)
    return Chart(
        title=f"{joint}: error",
        across=Axis("time [s]"),
        upward=Axis(f"error [{unit}]"),
        series=series,
        zoom=True,
        width=_WIDTH,
        height=170,
    )


def _line(windows: Sequence[Window], values: Sequence[Array]) -> tuple[Array, Array]:
    """A line that breaks between windows; those are thinned one by one, so that breaks stay."""
    total = sum(window.t.size for window in windows)
    x, y = [np.zeros(0)], [np.zeros(0)]
    for window, here in zip(windows, values, strict=True):
        if len(x) > 1:
            x.append(window.t[:1])
            y.append(np.full(1, np.nan))
        kept = thinned(window.t, here, max(5, _POINTS * window.t.size // total))
        x.append(kept[0])
        y.append(kept[1])
    return np.concatenate(x), np.concatenate(y)
