"""What a chart shows, in numbers and words; `drawing` puts it on paper."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Bars stand on zero, or on the lower edge of a logarithmic axis; bands lie between y and `low`.
# Points are a cloud, dots a few values that each count.
Style = Literal["line", "dashed", "points", "dots", "bars", "band"]


class Series(NamedTuple):
    """One line, cloud or band of a chart; values that are not finite break a line.

    Args:
        name: for the legend; empty leaves it out of that.
        x: shape (n,).
        y: shape (n,).
        style: how it is drawn.
        colour: a number of the palette, 0 to 7, the same in light and dark; None is grey.
        low: lower edge of a band, shape (n,).
    """

    name: str
    x: Array
    y: Array
    style: Style = "line"
    colour: int | None = 0
    low: Array | None = None


class Axis(NamedTuple):
    """An axis; ends that are not given are where the data end.

    Args:
        label: with its unit.
        low: the left or lower end.
        high: the other one.
        log: whether it is logarithmic.
        names: of places 0, 1, ..., in place of numbers.
    """

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    names: Sequence[str] = ()


class Chart(NamedTuple):
    """A chart.

    Args:
        title: what it is a chart of; also what a screen reader says.
        across: the horizontal axis.
        upward: the vertical axis.
        series: in the order in which they are drawn.
        marks: values across at which a dashed line stands.
        zoom: whether a reader may zoom; it then keeps more points of long lines.
        width: [px], of the whole drawing, which shrinks with the page.
        height: [px].
    """

    title: str
    across: Axis
    upward: Axis
    series: Sequence[Series]
    marks: Sequence[float] = ()
    zoom: bool = False
    width: int = 680
    height: int = 240
