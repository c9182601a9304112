"""The page of a design: what it says, in which order, and that nothing else is needed."""

import numpy as np
import pytest

from robotid.contracts.excitation import Caution
from robotid.reporting.excitation.certificate import PROOFS, closest_first
from robotid.reporting.excitation.expected import expected
from robotid.reporting.excitation.page import render_design
from robotid.reporting.excitation.signals import shown
from robotid.reporting.excitation.summary import summary
from robotid.signals.planned import PlannedMotion
from tests.excitation.designs import small_design
from tests.reporting.test_page import PAYLOADS, Elements

try:
    from tests.reporting.test_browser import CHROMIUM, PHONE, chromium, opened, sideways
except BaseException as error:  # without playwright that module skips itself
    if type(error).__name__ != "Skipped":
        raise
    CHROMIUM = None
else:
    assert chromium
    assert opened


@pytest.fixture(scope="module")
def design():
    return small_design("panda", trajectories=2)


def with_lines(design, **changes):
    """The same design with one line of its certificate changed."""
    first, *others = design.trajectories
    line, *lines = first.certificate
    changed = first.model_copy(update={"certificate": [*lines, line.model_copy(update=changes)]})
    return design.model_copy(update={"trajectories": [changed, *others]})


def test_it_is_the_same_twice(design):
    assert render_design(design) == render_design(design)


def test_it_says_what_matters(design):
    page = render_design(design)
    for said in ("inside all limits", "each proven for every instant", PROOFS["for all times"]):
        assert said in page
    for trajectory in design.trajectories:
        for play in trajectory.plays:
            assert f"{play.name}.csv" in page
    for parameter in design.parameters:
        assert parameter.name in page
    found = Elements(page)
    charts = [value for name, value in found.attributes if name == "aria-label"]
    assert sum("velocity [rad/s] over time" in value for value in charts) == 2 * 7


def test_it_says_what_to_know_before():
    said = Caution(code="not-guarded", message="no distance is kept of link1", hint="clear it")
    page = render_design(small_design(cautions=[said], noise_hz=70.0))
    for words in ("no distance is kept of link1", "clear it", "70 samples of it per second"):
        assert words in page
    assert "none, 0.02, 0.025" in page
    assert "What to know" not in render_design(small_design())


def test_jerks_are_drawn_where_they_have_limits():
    design = small_design()
    limited = {
        name: limits.model_copy(update={"jerk": 500.0}) for name, limits in design.limits.items()
    }
    design = design.model_copy(update={"limits": limited})
    (trajectory,) = design.trajectories
    titles = {signal.title: signal for signal in shown(design, trajectory).signals}
    assert list(titles) == ["Positions", "Velocities", "Accelerations", "Jerks"]
    motion = PlannedMotion(trajectory, tuple(design.joints), 2.0)
    t = np.linspace(0, motion.duration_s, 20001)
    qdd, jerk = motion.at(t).qdd, motion.jerk(t)
    slope = (qdd[2:] - qdd[:-2]) / (t[2:] - t[:-2])[:, None]
    smooth = np.abs(np.diff(jerk, axis=0)).max(1) < 0.01 * np.abs(jerk).max()
    inside = smooth[1:] & smooth[:-1]
    assert inside.mean() > 0.99
    np.testing.assert_allclose(slope[inside], jerk[1:-1][inside], atol=1e-3 * np.abs(jerk).max())


def test_closest_limits_come_first(design):
    lines = closest_first(design)
    assert [line.share for line in lines] == sorted(line.share for line in lines)
    close = closest_first(with_lines(design, margin=1e-6, proof="at samples"))
    assert close[0].line.margin == 1e-6
    page = render_design(with_lines(design, margin=1e-6, proof="at samples"))
    assert PROOFS["at samples"] in page
    assert "1 at samples only" in page


def test_a_broken_limit_is_bad_news(design):
    broken = with_lines(design, margin=-0.01)
    assert "not to be run" in render_design(broken)
    first = summary(broken).statements[0]
    assert (first.good, "1 limit of" in first.text) == (False, True)


def test_least_certain_parameters_come_first(design):
    found = expected(design)
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
    assert found[0].grade == "badly"
    assert found[-1].grade == "well"
    assert found[0].share == pytest.approx(0.7)


def test_summary_shows_all_criteria_and_files(design):
    said = summary(design)
    tables = {table.title.split(" ")[0]: table for table in said.tables}
    assert tables["Criteria"].header == ["after", "trace-inv", "logdet", "mineig", "cond"]
    assert tables["Criteria"].best == 1
    assert len(tables["Closest"].rows) == 5
    assert all(row[-1] == "for all times" for row in tables["Closest"].rows)
    assert [row[-1] for row in tables["Plays"].rows] == [
        f"{play.name}.csv" for t in design.trajectories for play in t.plays
    ]


def hostile(design, payload):
    """Text from a robot file everywhere it can reach the page."""
    renamed = dict(
        zip(design.joints, [f"{payload}{i}" for i in range(len(design.joints))], strict=True)
    )

    def keyed(values):
        return {renamed[name]: value for name, value in values.items()}

    trajectories = [
        t.model_copy(
            update={
                "series": keyed(t.series),
                "ramp_in": t.ramp_in.model_copy(
                    update={"coefficients": keyed(t.ramp_in.coefficients)}
                ),
                "ramp_out": t.ramp_out.model_copy(
                    update={"coefficients": keyed(t.ramp_out.coefficients)}
                ),
                "certificate": [
                    line.model_copy(update={"about": renamed[line.about]}) for line in t.certificate
                ],
            }
        )
        for t in design.trajectories
    ]
    return design.model_copy(
        update={
            "robot": payload,
            "joints": list(renamed.values()),
            "units": keyed(design.units),
            "limits": keyed(design.limits),
            "noise": keyed(design.noise),
            "trajectories": trajectories,
            "parameters": [
                p.model_copy(update={"name": payload, "groups": payload, "advice": payload})
                for p in design.parameters
            ],
            "options": {"keep_in": [payload]},
            "cautions": [Caution(code="c", message=payload, hint=payload)],
        }
    )


@pytest.mark.parametrize("payload", PAYLOADS)
def test_text_from_data_stays_text(payload):
    design = small_design()
    before = Elements(render_design(hostile(design, "x" * len(payload))))
    found = Elements(render_design(hostile(design, payload)))
    assert found.tags == before.tags
    assert [name for name, _ in found.attributes] == [name for name, _ in before.attributes]
    assert any(payload in data for data in found.data)


def test_nothing_else_is_needed(design):
    found = Elements(render_design(design))
    assert not {"link", "img", "iframe"} & set(found.tags)
    assert not [value for name, value in found.attributes if name == "style"]
    policy = next(value for name, value in found.attributes if value and "default-src" in value)
    assert policy.startswith("default-src 'none'")


def test_motion_is_drawn_to_its_extremes(design):
    """A line keeps the least and the largest value, however many points are left out."""
    trajectory = design.trajectories[0]
    motion = PlannedMotion(trajectory, tuple(design.joints))
    qd = motion.at(np.linspace(0, motion.duration_s, 4001)).qd
    for place, drawing in enumerate(shown(design, trajectory).signals[1].drawings):
        line = drawing.chart.series[0]
        assert line.y.max() == qd[:, place].max()
        assert line.y.min() == qd[:, place].min()
        limits = sorted(float(one.y[0]) for one in drawing.chart.series[1:])
        bound = design.limits[design.joints[place]].velocity
        assert limits == [-bound, bound]


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
@pytest.mark.parametrize("scripts", [True, False])
def test_browser(design, tmp_path, request, scripts):
    """It opens by itself and scrolls one way only, on a phone and without scripts."""
    path = tmp_path / "excitation.html"
    path.write_text(render_design(design), encoding="utf-8")
    tab = request.getfixturevalue("opened")(path, viewport=PHONE, java_script_enabled=scripts)
    if scripts:
        assert sideways(tab) == 0
    assert tab.locator(".certificate table").first.is_visible()
    assert tab.locator("figure svg").first.is_visible()
