"""Series as SVG paths: the `d` of each."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.reporting.charts.chart import Series
from robotid.reporting.charts.scale import Scale
from robotid.reporting.charts.thinning import kept

Array = NDArray[np.float64]

_POINTS = 1200  # of a line that is not zoomed
_POINTS_ZOOMED = 4000
_CLOUD = 600  # points of a cloud
_BAR = 0.86  # of the distance between bars
_LONE_BAR = 30.0  # its width [px]


class Pen:
    """Draws the series of one chart.

    Args:
        x: the scale across.
        y: the scale upward.
        series: all of the chart; bars share the room there is.
        fine: whether lines will be looked at closely.
    """

    def __init__(self, x: Scale, y: Scale, series: Sequence[Series], *, fine: bool) -> None:
        self._x, self._y = x, y
        self._most = _POINTS_ZOOMED if fine else _POINTS
        self._digits = 2 if fine else 1
        bars = [one.x for one in series if one.style == "bars"]
        centres = np.unique(x(np.concatenate(bars))) if bars else np.zeros(0)
        steps = np.diff(centres[np.isfinite(centres)])
        self._bar = _BAR * (float(steps.min()) if steps.size else _LONE_BAR)

    def path(self, one: Series) -> str:
        """The path of a series."""
        if one.style == "band":
            return self._band(one)
        if one.style == "bars":
            return self._bars(one)
        if one.style in ("points", "dots"):
            return self._points(one)
        places = kept(one.y, self._most)
        return self._line(self._x(one.x[places]), self._y(one.y[places]))

    def _line(self, x: Array, y: Array) -> str:
        parts, pen_up = [], True
        for a, b in zip(x.tolist(), y.tolist(), strict=True):
            if a != a or b != b:  # not a number
                pen_up = True
                continue
            parts.append(f"{'M' if pen_up else 'L'}{self._px(a)} {self._px(b)}")
            pen_up = False
        return "".join(parts)

    def _band(self, one: Series) -> str:
        """There along the upper edge and back along the lower, for each stretch without a gap."""
        low = one.y if one.low is None else one.low
        places = np.union1d(kept(one.y, self._most // 2), kept(low, self._most // 2))
        x, y, low = self._x(one.x[places]), self._y(one.y[places]), self._y(low[places])
        good = ~np.isnan(x + y + low)
        edges = np.flatnonzero(np.diff(good)) + 1
        stretches = [part for part in np.split(np.arange(x.size), edges) if good[part[0]]]
        return "".join(
            self._line(np.r_[x[part], x[part][::-1]], np.r_[y[part], low[part][::-1]]) + "Z"
            for part in stretches
        )

    def _bars(self, one: Series) -> str:
        """On zero, or the edge of the plot that is nearest to it."""
        floor = self._y.pixels[0]
        ground = floor if self._y.log else min(max(self._y.at(0.0), 0.0), floor)
        return "".join(
            f"M{self._px(a - self._bar / 2)} {self._px(ground)}V{self._px(b)}"
            f"H{self._px(a + self._bar / 2)}V{self._px(ground)}Z"
            for a, b in zip(self._x(one.x).tolist(), self._y(one.y).tolist(), strict=True)
            if a == a and b == b
        )

    def _points(self, one: Series) -> str:
        """An even choice of a large cloud, and its extremes."""
        good = np.flatnonzero(np.isfinite(one.x) & np.isfinite(one.y))
        if good.size > _CLOUD:
            even = good[np.linspace(0, good.size - 1, _CLOUD - 4).astype(np.int64)]
            ends = [good[f(v[good])] for v in (one.x, one.y) for f in (np.argmin, np.argmax)]
            good = np.unique(np.concatenate([even, ends]))
        return "".join(
            f"M{self._px(a)} {self._px(b)}h0"
            for a, b in zip(self._x(one.x[good]), self._y(one.y[good]), strict=True)
        )

    def _px(self, value: float) -> str:
        """A coordinate, as short as it can be."""
        text = f"{value:.{self._digits}f}".rstrip("0").removesuffix(".")
        return "0" if text in ("-0", "") else text
