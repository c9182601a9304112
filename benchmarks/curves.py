"""Curves on logarithmic axes as SVG: text of fixed form, so that the same numbers give one file."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 360, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 30, 40
_COLOURS = ("#1f6fb4", "#d2691e", "#2e8b57", "#8b3a8b")


class Panel(NamedTuple):
    """A chart: its title, what the horizontal axis is, and curves by name."""

    title: str
    along: str
    curves: Mapping[str, Points]


def drawn(panels: Sequence[Panel]) -> str:
    """Panels in two columns."""
    rows = (len(panels) + 1) // 2
    width, height = 2 * _WIDTH, rows * _HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        '<g font-family="sans-serif" font-size="11" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, panel in enumerate(panels):
        at = (number % 2 * _WIDTH, number // 2 * _HEIGHT)
        parts += [f'<g transform="translate({at[0]} {at[1]})">', *_panel(panel), "</g>"]
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def _panel(panel: Panel) -> list[str]:
    every = [point for points in panel.curves.values() for point in points]
    across = _Axis([x for x, _ in every], _LEFT, _WIDTH - _RIGHT)
    up = _Axis([y for _, y in every], _HEIGHT - _BOTTOM, _TOP)
    middle = f'x="{(_LEFT + _WIDTH) / 2:.0f}" y="{_HEIGHT - 8}" text-anchor="middle"'
    parts = [
        f'<text x="{_LEFT}" y="16" font-weight="bold">{panel.title}</text>',
        f"<text {middle}>{panel.along}</text>",
    ]
    for value in across.ticks:
        x = across(value)
        parts.append(
            f'<path d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#ddd"/>'
            f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="middle">'
            f"{_said(value)}</text>"
        )
    for value in up.ticks:
        y = up(value)
        parts.append(
            f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 4}" y="{y + 4:.1f}" text-anchor="end">{_said(value)}</text>'
        )
    for number, (name, points) in enumerate(panel.curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [(across(x), up(y)) for x, y in points]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places]
        y = _TOP + 12 + 13 * number
        parts.append(f'<text x="{_LEFT + 8}" y="{y}" fill="{colour}">{name}</text>')
    return parts


class _Axis:
    """A logarithmic axis between two places, with room for all values."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self._low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        self._span = max(1, high - self._low)
        self._begin, self._length = begin, end - begin

    @property
    def ticks(self) -> list[float]:
        step = max(1, self._span // 5)
        return [10.0 ** (self._low + k) for k in range(0, self._span + 1, step)]

    def __call__(self, value: float) -> float:
        return self._begin + self._length * (math.log10(value) - self._low) / self._span


def _said(value: float) -> str:
    """10000 as 10⁴."""
    power = round(math.log10(value))
    if -2 <= power <= 2:
        return f"{value:g}"
    digits = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{digits}"
