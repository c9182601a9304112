"""Which of several fits to use, and which gates failed: said before all tables, and rightly."""

import pytest

from robotid.contracts.fit import Metric
from robotid.contracts.fit_data import Remark
from robotid.errors import ConfigError
from robotid.reporting.advice import advice
from robotid.reporting.baseline import check_baseline, read_baseline
from robotid.reporting.comparison import compare
from robotid.reporting.facts import Published, ReportFacts
from robotid.reporting.gates.outcomes import outcomes
from robotid.reporting.page import render
from robotid.reporting.summary import comparison_table, gates_in_short, summary
from tests.reporting.results import JOINTS, metrics, view
from tests.reporting.test_baseline import old
from tests.reporting.test_comparison import hard_and_easy, with_errors
from tests.reporting.test_page import PAYLOADS, Elements


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return view(tmp_path_factory.mktemp("fit") / "fit")


@pytest.fixture
def plain(shown):
    return shown.fit


def facts_of(units="N m", **fits):
    return ReportFacts(fits=fits, comparison=compare(fits), units=dict.fromkeys(JOINTS, units))


def impossible(fit):
    links = [link.model_copy(update={"consistent": False}) for link in fit.links]
    return fit.model_copy(update={"links": links})


def test_a_single_fit_needs_none(plain):
    assert advice(ReportFacts(fits={"a": plain})) is None
    figures = {"Author": Published(source="Table 2", rmse=1.0)}
    beside = ReportFacts(fits={"a": plain}, comparison=compare({"a": plain}, figures))
    assert advice(beside) is None
    assert comparison_table(beside.comparison).best is None


def test_the_best_is_to_be_used(plain):
    errors = hard_and_easy()
    remark = Remark(code="offset-differs", message="it lies higher")
    good = with_errors(plain, errors, remarks=[remark])
    found = advice(facts_of(a=impossible(with_errors(plain, 2 * errors)), b=good))
    assert (found.use, found.title) == ("b", "Use b")
    said = "\n".join(found.said)
    assert "b is best" in said
    rmse = good.metrics["test"]["rmse"].mean
    assert f"b has a mean error over the joints of {rmse:.3g} N m on held-out data (run2)" in said
    assert "times less than the mean torque, the best baseline." in said
    assert "under its verdict: offset-differs." in said
    assert "Against a: its error is 100 % larger, beyond chance; 1 of 1 link cannot exist (upper)." in said  # fmt: skip


def test_links_that_can_exist_decide_between_equals(plain):
    errors = hard_and_easy()
    first = impossible(with_errors(plain, errors))
    found = advice(facts_of(a=first, b=with_errors(plain, errors * (1 + 1e-6))))
    assert found.use == "b"
    assert any("b is preferred: all its links can exist" in said for said in found.said)
    assert any(said.startswith("Against a: 1 of 1 link cannot exist") for said in found.said)
    worse = advice(facts_of(a=first, b=with_errors(plain, 2 * errors)))
    assert worse.use == "a"
    assert "a predicts torques, but 1 of 1 link cannot exist (upper), which simulators may refuse." in worse.said  # fmt: skip
    assert "Where links have to exist, use b." in worse.said


def test_equals_are_as_good_a_choice(plain):
    fit = with_errors(plain, hard_and_easy())
    found = advice(facts_of(a=fit, b=fit, c=fit))
    assert found.use == "a"
    assert found.said[-1] == "Nothing speaks against b and c: as good a choice."


def test_none_is_to_be_used(plain, tmp_path):
    errors = hard_and_easy()
    bad = with_errors(view(tmp_path / "bad", usable=False).fit, errors)
    facts = facts_of(a=bad, b=with_errors(bad, 2 * errors))
    found = advice(facts)
    assert (found.use, found.title) == (None, "No fit is to be used")
    assert "Against b: not to be used: the fit did not converge." in found.said
    assert comparison_table(facts.comparison).best is None
    one = advice(facts_of(a=bad, b=with_errors(plain, errors)))
    assert one.use == "b"
    assert "Against a: not to be used: the fit did not converge." in one.said


def test_a_fit_without_an_error_or_baselines(plain):
    nothing = Metric(mean=None, joints=dict.fromkeys(JOINTS))
    empty = {**plain.metrics, "test": {**plain.metrics["test"], "rmse": nothing}}
    none = plain.model_copy(update={"metrics": empty, "baselines": {}})
    assert advice(facts_of(a=none, b=none)).use is None
    bare = plain.model_copy(update={"baselines": {}})
    assert "the best baseline" not in " ".join(advice(facts_of(a=bare, b=bare)).said)


def test_units_are_those_of_the_robot(plain):
    turns, slides = facts_of(a=plain, b=plain), facts_of("N", a=plain, b=plain)
    mixed = turns.model_copy(update={"units": {"x": "N m", "y": "N"}})
    for facts, unit in ((turns, "[N m]"), (slides, "[N]"), (mixed, "[N m or N]")):
        found = summary(facts)
        assert unit in found.tables[0].title
        assert found.tables[1].rows[1][0] == f"rmse {unit}"
    assert ReportFacts(fits={"a": plain}).unit == "N m or N"  # not known


def test_gates_that_failed_are_named(plain, tmp_path):
    fits = {"a": plain, "b": plain}
    failed = outcomes(["a: test.rmse > 0.05", "rank < 1"], fits)
    said = gates_in_short(ReportFacts(fits=fits, gates=failed))
    assert said == (False, "1 gate failed: a: test.rmse > 0.05.")
    many = outcomes(["test.rmse > 0.05"] * 3, fits)
    assert gates_in_short(ReportFacts(fits=fits, gates=many)).text.endswith("; and 2 more.")
    assert gates_in_short(ReportFacts(fits=fits)) is None
    passed = outcomes(["rank < 1"], fits)
    assert gates_in_short(ReportFacts(fits=fits, gates=passed)) == (True, "All gates passed.")


def test_what_is_worse_than_in_the_older_report_is_named(plain, tmp_path):
    now = metrics(0.1)
    now["test"]["rmse"] = now["test"]["rmse"].model_copy(
        update={"mean": 0.2, "joints": {"shoulder": 0.1, "elbow": 0.3}}
    )
    fits = {"a": plain.model_copy(update={"metrics": now})}
    check = check_baseline(fits, read_baseline(old(tmp_path, a=plain)), 0.05)
    facts = ReportFacts(fits=fits, baseline=check)
    grown = "error over 5 % larger than in the older report in the mean and for elbow"
    assert gates_in_short(facts) == (False, f"1 gate failed: {grown}.")
    free = check.model_copy(update={"limit": None})
    assert gates_in_short(ReportFacts(fits=fits, baseline=free)) is None


def test_findings_have_their_codes(plain, tmp_path):
    remark = Remark(code="offset-differs", message="lies higher", joint="elbow", recording="run1")
    bad = view(tmp_path / "bad", usable=False, remarks=[remark]).fit
    assert summary(ReportFacts(fits={"a": bad})).remarks == [
        "the fit did not converge [not-converged]",
        "elbow, run1: lies higher [offset-differs]",
    ]
    many = ReportFacts(fits={"a": plain.model_copy(update={"remarks": [remark] * 12})})
    assert summary(many).first_remarks[-1] == "and 2 more in the report"


def test_published_figures_by_joint(plain):
    figures = Published(source="Table 2", rmse=0.2, relative=0.031, rmse_by_joint={"elbow": 0.25})
    rows = {row[0]: row[1:] for row in comparison_table(compare({"a": plain}, {"A": figures})).rows}
    assert rows["rmse of elbow"] == ["0.1", "0.25"]
    assert rows["rmse of shoulder"] == ["0.1", "–"]
    assert rows["relative"] == ["10 %", "3.1 %"]
    other = figures.model_copy(update={"rmse_by_joint": {"elbo": 0.25}})
    with pytest.raises(ConfigError, match=r"published.A.rmse_by_joint: no joint is called 'elbo'"):
        compare({"a": plain}, {"A": other})


def page(shown, facts):
    return render([shown], advice=advice(facts), passed=gates_in_short(facts))


def test_it_comes_first_on_the_page(shown, plain):
    facts = facts_of(a=plain, b=plain)
    facts = facts.model_copy(update={"gates": outcomes(["test.rmse > 0.05"], facts.fits)})
    text = page(shown, facts)
    assert text.index("Use a") < text.index("✗ 2 gates failed: a: test.rmse") < text.index("<table")
    assert 'id="advice"' not in render([shown])


@pytest.mark.parametrize("payload", PAYLOADS)
def test_names_stay_text(shown, plain, payload):
    def hostile(text):
        named = plain.links[0].model_copy(update={"consistent": False, "name": text})
        remark = Remark(code=text, message=text)
        return facts_of(
            **{
                text: plain.model_copy(update={"remarks": [remark]}),
                "other": plain.model_copy(update={"links": [named]}),
            }
        )

    before, found = (Elements(page(shown, hostile(text))) for text in ("harmless", payload))
    assert (found.tags, found.attributes) == (before.tags, before.attributes)
    assert sum(payload in data for data in found.data) >= 3
