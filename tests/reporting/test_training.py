"""The training curve."""

import numpy as np

from robotid.contracts.fit import CurvePoint
from robotid.reporting.page import render
from robotid.reporting.sections import training
from robotid.reporting.sections.training import training_chart
from tests.reporting.results import changed, view

CURVE = [
    CurvePoint(step=step, train=10.0**-step, validation=None if step % 2 else 2 * 10.0**-step)
    for step in range(5)
]


def test_lines():
    chart = training_chart(CURVE)
    train, validation = chart.series
    np.testing.assert_allclose(train.y, [1, 0.1, 0.01, 1e-3, 1e-4])
    np.testing.assert_array_equal(validation.x, [0, 2, 4])  # one line, over steps without a value
    assert chart.upward.log


def test_only_fits_that_were_trained_have_one(tmp_path):
    plain = view(tmp_path / "fit")
    for curve in ([], CURVE[:1]):
        assert training.section(changed(plain, curve=curve)) is None
    without = [point.model_copy(update={"validation": None}) for point in CURVE]
    assert [s.name for s in training.section(changed(plain, curve=without)).shapes] == ["training"]
    text = render([changed(plain, curve=CURVE)])
    assert "validation" in text
    assert "Loss over steps" in text
