"""A report of a robot with seven joints is small enough to be sent by mail."""

from robotid.reporting.page import render
from tests.reporting.full import full_view

_LARGEST = 3_000_000  # bytes


def test_page_of_seven_joints(tmp_path):
    """With as many samples in its excerpt as a fit keeps, and every section there is."""
    page = render([full_view(tmp_path / "fit", "panda", samples=40_000, lines=257)])
    assert len(page.encode()) < _LARGEST
    assert "panda_joint7" in page
