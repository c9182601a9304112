"""Charts of residuals, each of one joint."""

from collections.abc import Sequence
from math import pi

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import BlockErrors
from robotid.contracts.fit_data import Autocorrelation
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.samples import binned, padded

Array = NDArray[np.float64]

_WIDTH, _HEIGHT = 340, 200  # [px]; several stand side by side
_BARS = 41
_WIDE = 4.0  # standard deviations that are shown at least
_MOST = 0.999  # of samples that are shown at least


def distribution(residual: Array, noise: float | None, joint: str, unit: str) -> Chart | None:
    """A histogram of density one (of all samples), with the normal curve of the stated noise."""
    residual = residual[np.isfinite(residual)]
    if not residual.size or not np.ptp(residual):
        return None
    size = np.abs(residual)
    end = max(_WIDE * (noise or 0.0), float(np.quantile(size, _MOST))) or float(size.max())
    counts, edges = np.histogram(residual, bins=_BARS, range=(-end, end))
    step = 2 * end / _BARS
    middles = (edges[:-1] + edges[1:]) / 2
    series = [Series("errors", middles, counts / (residual.size * step), "bars", 0)]
    if noise:
        x = np.linspace(-end, end, 161)
        normal = np.exp(-0.5 * (x / noise) ** 2) / (noise * np.sqrt(2 * pi))
        series.append(Series("stated noise", x, normal, "line", 1))
    return Chart(
        title=joint,
        across=Axis(f"error [{unit}]", low=-end, high=end),
        upward=Axis(f"density [1/({unit})]", low=0.0),
        series=series,
        width=_WIDTH,
        height=_HEIGHT,
    )


def over_signal(x: Array, residual: Array, joint: str, label: str, unit: str) -> Chart | None:
    """Residuals over another signal: a cloud, medians of bins, and the middle half of samples."""
    good = np.isfinite(x) & np.isfinite(residual)
    if not good.any() or not np.ptp(x[good]):
        return None
    x, residual = x[good], residual[good]
    bins = binned(x, residual)
    end = 1.1 * float(max(np.quantile(np.abs(residual), 0.99), np.abs(bins[1:]).max())) or 1.0
    return Chart(
        title=joint,
        across=padded(label, x),
        upward=Axis(f"error [{unit}]", low=-end, high=end),
        series=[
            Series("samples", x, residual, "points", None),
            Series("middle half of samples", bins.x, bins.high, "band", 0, low=bins.low),
            Series("median", bins.x, bins.median, "line", 0),
        ],
        width=_WIDTH,
        height=_HEIGHT,
    )


def over_blocks(blocks: Sequence[BlockErrors], joint: str, unit: str) -> Chart | None:
    """Root mean square and mean of blocks, recording after recording, as steps."""
    blocks = [block for block in blocks if block.rmse.get(joint) is not None]
    if len(blocks) < 2:
        return None
    names = list(dict.fromkeys(block.recording for block in blocks))
    steps: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    borders, before = [], 0.0
    for name in names:
        own = sorted((b for b in blocks if b.recording == name), key=lambda block: block.start_s)
        shift = before - own[0].start_s
        for block in own:
            kind = "training" if block.split == "train" else "held out"
            for what, value in (("rmse", block.rmse[joint]), ("mean", block.mean.get(joint))):
                x, y = steps.setdefault((kind, what), ([], []))
                x += [block.start_s + shift, block.end_s + shift]
                y += [np.nan if value is None else value] * 2
        for x, y in steps.values():  # lines end where recordings do
            x.append(x[-1])
            y.append(np.nan)
        before = own[-1].end_s + shift
        borders.append(before)
    colours = {"training": 0, "held out": 1}
    return Chart(
        title=joint,
        across=Axis("time [s]"),
        upward=Axis(f"error [{unit}]"),
        series=[
            Series(
                f"{what}, {kind}",
                np.array(x),
                np.array(y),
                "line" if what == "rmse" else "dashed",
                colours[kind],
            )
            for (kind, what), (x, y) in steps.items()
        ],
        marks=borders[:-1],
        width=_WIDTH,
        height=_HEIGHT,
    )


def autocorrelation(given: Autocorrelation, joint: str) -> Chart | None:
    """Values at each lag, on the band around what the filter makes of white noise."""
    lag, band = np.array(given.lag_s), np.array(given.band)
    if lag.size < 2:
        return None
    noise = np.array(given.expected) if given.expected else np.zeros(lag.size)
    return Chart(
        title=joint,
        across=Axis("lag [s]"),
        upward=Axis("correlation", low=-1.0, high=1.0),
        series=[
            Series("95 % band", lag, noise + band, "band", None, low=noise - band),
            Series("noise through the filter", lag, noise, "dashed", None),
            Series("errors", lag, np.array(given.value), "line", 0),
        ],
        width=_WIDTH,
        height=_HEIGHT,
    )
