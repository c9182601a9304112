"""Labels of an axis: round, never too many, and enough to read a value between them."""

import numpy as np
import pytest

from robotid.reporting.charts.ticks import linear_ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (-0.94, 0.86, 4, ["-0.5", "0", "0.5"]),
        (0.0, 1.0, 2, ["0", "1"]),
        (-0.1, 0.02, 3, ["-0.10", "-0.05", "0"]),
        (1e6, 2e6, 4, ["1.0e6", "1.5e6", "2.0e6"]),
    ],
)
def test_texts(low, high, most, texts):
    assert [tick.text for tick in linear_ticks(low, high, most)] == texts


@pytest.mark.parametrize("most", [3, 4, 8])
def test_as_many_as_there_is_room_for(most):
    rng = np.random.default_rng(0)
    for _ in range(2000):
        low = rng.uniform(-10, 10)
        high = low + 10 ** rng.uniform(-3, 3)
        values = [tick.value for tick in linear_ticks(low, high, most)]
        assert max(2, most // 2) <= len(values) <= most
        assert low - 1e-9 <= min(values)
        assert max(values) <= high + 1e-9
