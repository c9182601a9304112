"""A forward model of a real double pendulum: friction and links as others have found them."""

import pytest

from tests.real_double_pendulum import WITHOUT_FRICTION, Session, at_times, beside_published
from tests.test_real_logs import REAL

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="ROBOTID_REAL_LOGS is not set")


def test_a_forward_model_with_friction(robotid, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = Session(lambda *words: robotid(*words, "--quiet").code)
    session.filtered("design_C1_run2", runs="23")
    fit = session.fit("coulomb", "coulomb")
    rolled = session.rollout("coulomb", starts=10)
    assert {start.recording for start in rolled.starts} == {"design_C1_run2"}
    error = at_times(rolled.fits["coulomb"].error)[-1]
    baselines = session.baselines(fit, 10)
    assert error < 0.5 * min(baselines[name][-1] for name in WITHOUT_FRICTION)
    assert rolled.fits["coulomb"].energy_growth < 1e-6
    # Two published fits of this pendulum differ by as much.
    off = {one.name: one.percent for one in beside_published(fit) if one.percent is not None}
    assert len(off) == 6
    assert all(abs(percent) < 25 for percent in off.values()), off
