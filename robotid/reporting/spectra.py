"""Spectra before and after filtering, as lines of a picture with logarithmic axes."""

from math import ceil, floor, log10
from typing import NamedTuple

from robotid.contracts.fit import FilteredData

WIDTH, HEIGHT = 420, 220
_EDGE = 36  # room for the labels of axes
_DECADES = 10  # of density that are shown
TITLES = {"q": "positions", "qd": "velocities", "tau": "torques"}


class Mark(NamedTuple):
    """A label of an axis, at a place along it."""

    at: float
    text: str


class Picture(NamedTuple):
    """One kind of signal: lines as points of an SVG, labels of the axes, where the cut-off is."""

    title: str
    before: list[str]
    after: list[str]
    across: list[Mark]
    upward: list[Mark]
    cutoff: float | None


def pictures(data: FilteredData) -> list[Picture]:
    """A picture for each kind of signal that was filtered."""
    found = []
    for signal, title in TITLES.items():
        before, after = (
            [row for name, row in rows.items() if name.partition(".")[0] == signal]
            for rows in (data.before, data.after)
        )
        picture = _picture(title, data, before, after)
        if picture is not None:
            found.append(picture)
    return found


def _picture(
    title: str, data: FilteredData, before: list[list[float]], after: list[list[float]]
) -> Picture | None:
    frequencies = [f for f in data.frequency_hz if f > 0]
    densities = [value for row in before for value in row if value > 0]
    if len(frequencies) < 2 or not densities:
        return None
    left, right = log10(frequencies[0]), log10(frequencies[-1])
    top = ceil(log10(max(densities)))
    bottom = max(top - _DECADES, floor(log10(min(densities))) - 2)

    def x(frequency: float) -> float:
        share = (log10(frequency) - left) / (right - left)
        return round(_EDGE + share * (WIDTH - _EDGE), 1)

    def y(density: float) -> float:
        share = (top - log10(max(density, 10.0**bottom))) / max(1, top - bottom)
        return round(share * (HEIGHT - _EDGE) + 8, 1)

    def line(row: list[float]) -> str:
        pairs = zip(data.frequency_hz, row, strict=True)
        return " ".join(f"{x(f)},{y(value)}" for f, value in pairs if f > 0)

    return Picture(
        title=title,
        before=[line(row) for row in before],
        after=[line(row) for row in after],
        across=[
            Mark(x(10.0**power), f"{10.0**power:g}")
            for power in range(ceil(left), floor(right) + 1)
        ],
        upward=[Mark(y(10.0**power), f"1e{power}") for power in range(bottom, top + 1, 2)],
        cutoff=x(data.cutoff_hz) if frequencies[0] < data.cutoff_hz < frequencies[-1] else None,
    )
