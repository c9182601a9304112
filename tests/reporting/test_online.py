"""The curve of a model that learned in the order of time."""

import numpy as np

from robotid.contracts.fit import Metric, OnlinePoint
from robotid.reporting.page import render
from robotid.reporting.sections import online
from robotid.reporting.sections.online import online_chart
from tests.reporting.results import changed, view

CURVE = [
    OnlinePoint(
        seen=256 * step,
        nmse_var=Metric(mean=0.5**step, joints={"one": 0.5**step, "still": None}),
    )
    for step in range(4)
]


def test_lines():
    mean, one, still = online_chart(CURVE).series
    np.testing.assert_array_equal(mean.x, [0, 256, 512, 768])
    np.testing.assert_allclose(mean.y, [1, 0.5, 0.25, 0.125])
    np.testing.assert_allclose(one.y, mean.y)
    assert np.isnan(still.y).all()  # a torque that never changed has no such error


def test_only_fits_that_learned_online_have_one(tmp_path):
    plain = view(tmp_path / "fit")
    assert online.section(plain) is None
    assert online.section(changed(plain, online=CURVE[:1])) is None
    text = render([changed(plain, online=CURVE)])
    assert "Error on all data while it learned" in text
    assert "samples learned from" in text
