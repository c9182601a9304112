"""Tables of many results: figures by path, claims between rows, and the stage."""

import json
import re

import pytest
from pydantic import ValidationError

from robotid.contracts.table import read_table
from robotid.errors import ConfigError
from robotid.reporting.tabulated.paths import column, figure
from robotid.runner.pipeline import load_pipeline
from robotid.stages.contract import Source
from robotid.stages.tabulate import TabulateConfig, run

FACTS = {
    "metrics": {"test": {"rmse": {"mean": 0.5, "joints": {"a.b": 0.25}}}},
    "outcomes": [
        {"gain": "soft", "duration_s": 2.0, "rmse": {"mean": 3.0}},
        {"gain": "soft", "duration_s": 10.0, "rmse": {"mean": 1.0}},
        {"gain": "stiff", "duration_s": 2.0, "rmse": None},
    ],
    "status": {"reached": True, "iterations": 3},
    "recordings": {
        "run1": {"errors": {"a": {"rmse": 1.0, "r2": 0.9}, "b": {"rmse": 2.0, "r2": 0.9}}},
        "run2": {"errors": {"a": {"rmse": 3.0, "r2": 0.9}, "b": {"rmse": 10.0, "r2": None}}},
    },
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metrics.test.rmse.mean", 0.5),
        ('metrics.test.rmse.joints."a.b"', 0.25),
        ("outcomes[gain=soft].rmse.mean", 2.0),
        ("outcomes[gain=soft][duration_s=10].rmse.mean", 1.0),
        ("outcomes[gain=stiff].rmse.mean", None),
        ("outcomes.rmse.mean", 2.0),
        ("recordings.*.errors.*.rmse", 4.0),
        ("recordings.*.errors.b.rmse", 6.0),
        ("median of recordings.*.errors.*.rmse", 2.5),
        ("median of recordings.*.errors.*.r2", None),
        ("recordings.*.errors.*.r2", None),
        ("recordings.*.errors.c.rmse", None),
        ("recordings.*.errors.c.rmse or recordings.run1.errors.b.rmse", 2.0),
        ("median of metrics.none or recordings.*.errors.*.rmse", 2.5),
        ("metrics.none or metrics.nothing", None),
        ("status[reached=true].iterations", 3.0),
        ("status[reached=false].iterations", None),
        ("metrics.val.rmse.mean", None),
        ("metrics.test", None),
    ],
)
def test_figures_by_path(path, value):
    assert figure(FACTS, column(path)) == value


@pytest.mark.parametrize("path", ["", "a..b", "a.", "a[b", "a[b]", '"a'])
def test_what_is_no_path(path):
    with pytest.raises(ValidationError, match="is no path such as"):
        TabulateConfig(columns={"x": path})


@pytest.mark.parametrize("text", ["a is less than b", "a < b", "< b in c"])
def test_what_is_no_claim(text):
    with pytest.raises(ValidationError, match="is no claim such as"):
        TabulateConfig(claims=(text,))


@pytest.fixture
def fits(tmp_path):
    """Two kinds of three seeds each; one has no figure of its own."""
    found = []
    for kind, values in {
        "good": (1.0, 2.0, 3.0),
        "bad": (5.0, 4.5, None),
        "alike": (2.1,) * 3,
    }.items():
        for seed, value in enumerate(values):
            folder = tmp_path / f"{kind}{seed}"
            folder.mkdir()
            (folder / "fit.json").write_text(json.dumps({"error": value}))
            found.append(Source(f"fit/seed={seed}/model={kind}", folder, ""))
    return found


ROWS = {"Good": "*model=good", "Bad": "*model=bad", "Alike": "*model=alike"}


def tabulated(fits, out, **keys):
    out.mkdir()
    run(TabulateConfig(rows=ROWS, columns={"error": "error"}, **keys), {"fits": fits}, out)
    return read_table(out)


def test_means_and_spreads_over_seeds(fits, tmp_path):
    found = tabulated(fits, tmp_path / "out", published={"Good": {"error": 1.5}}, source="a paper")
    good, bad, _ = found.rows
    assert (good.results, good.cells["error"].mean, good.cells["error"].std) == (3, 2.0, 1.0)
    assert (bad.cells["error"].count, bad.cells["error"].missing) == (2, 1)
    page = (tmp_path / "out" / "table.html").read_text(encoding="utf-8")
    assert "2 ± 1 [1.5]" in page
    assert "a paper" in page
    assert "2 ± 1" in (tmp_path / "out" / "table.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("Good < Bad in error", True),
        ("Bad < Good in error", False),
        ("Good << Bad in error", True),
        ("Alike << Bad in error", True),
        ("Good << Alike in error", False),
        ("Good ~ Alike in error", True),
        ("Good ~ Alike in error within 1 %", False),
        ("Good, Alike < Bad in error", True),
        ("Good < Bad, Alike in error", True),
        ("Alike < Bad, Good in error", False),
        ("Bad < 100 in error", False),
        ("Bad ~ Good in error", None),
        ("Alike < 2.2 in error", True),
        ("Alike < 2.05 in error", False),
        ("Alike << 4 in error", False),
        ("Good, Alike < 2.2 in error", True),
    ],
)
def test_claims(fits, tmp_path, claim, holds):
    (found,) = tabulated(fits, tmp_path / "out", claims=(claim,)).claims
    assert found.holds is holds
    assert "Here" in found.found


def test_what_results_of_a_row_differ_in_is_said(fits, tmp_path):
    found = tabulated(fits, tmp_path / "out")
    assert found.over == ["seed"]
    page = (tmp_path / "out" / "table.md").read_text(encoding="utf-8")
    assert "over the results of a row, which differ in seed." in page


def test_a_row_with_a_result_that_failed_counts_as_worst(fits, tmp_path):
    """Its mean over the others would be that of the lucky ones."""
    (found,) = tabulated(fits, tmp_path / "out", claims=("Good < Bad in error",)).claims
    assert "Bad 4.75 ± 0.35 of 2" in found.found


def test_what_chance_may_have_made_is_said(fits, tmp_path):
    """2 ± 1 over three seeds has a standard error of 0.58: 2.1 is not two of them away, 4 is."""
    claims = ("Good < Alike in error", "Good < 4 in error", "Good << 9 in error")
    close, apart, half = tabulated(fits, tmp_path / "out", claims=claims).claims
    assert close.holds
    assert "Good and Alike differ by less than two standard errors" in close.found
    assert apart.holds
    assert half.holds
    assert "standard errors" not in apart.found + half.found


def test_claims_beside_published_figures(fits, tmp_path):
    published = {"Good": {"error": 3.0}, "Bad": {"error": 2.0}}
    (found,) = tabulated(
        fits, tmp_path / "out", claims=("Good < Bad in error",), published=published
    ).claims
    assert found.holds
    assert "published Good 3, Bad 2 (did not hold)" in found.found


PIPELINE = """[stages.table]
stage = "tabulate"
inputs.fits = "fits/*"
columns = { error = "metrics.test.rmse.mean" }
rows = { Good = "*a*", Bad = "*b*" }
"""


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("claims = ['Good < Bda in error']", "claims: 'Good < Bda in error' is about a row 'Bda'"),
        ("claims = ['Good < Bad in err']", "is about a column 'err'"),
        ("published.Godo = { error = 1.0 }", "published: figures are of a row 'Godo'"),
        ("relative.all = ['err']", "relative: 'all' is of a column 'err'"),
    ],
)
def test_names_in_a_pipeline_are_checked_before_anything_runs(tmp_path, line, says):
    path = tmp_path / "pipeline.toml"
    path.write_text(PIPELINE + line)
    with pytest.raises(ConfigError, match=re.escape(says)) as caught:
        load_pipeline(path)
    assert caught.value.notice.line == 6
    path.write_text(PIPELINE)
    assert load_pipeline(path).nodes


def test_names_that_are_not_there(fits, tmp_path):
    with pytest.raises(ConfigError, match="no result is called"):
        run(TabulateConfig(rows={"x": "*y"}, columns={"error": "error"}), {"fits": fits}, tmp_path)
    with pytest.raises(ConfigError, match="is about a row 'Goof' that is not there"):
        tabulated(fits, tmp_path / "a", claims=("Goof < Bad in error",))
    with pytest.raises(ConfigError, match="is about a column 'err'"):
        tabulated(fits, tmp_path / "b", claims=("Good < Bad in err",))
    with pytest.raises(ConfigError, match="has a column 'err'"):
        tabulated(fits, tmp_path / "c", published={"Good": {"err": 1.0}})
    with pytest.raises(ConfigError, match="of a row 'Godo' that is not there") as caught:
        tabulated(fits, tmp_path / "d", published={"Godo": {"error": 1.0}})
    assert caught.value.notice.hint == "did you mean 'Good'?"
    with pytest.raises(ConfigError, match="no results to tabulate"):
        run(TabulateConfig(), {}, tmp_path)


def test_a_column_without_any_figure_is_said(fits, tmp_path):
    columns = {"error": "error", "of nothing": "metrics.test"}
    (said,) = run(TabulateConfig(columns=columns), {"fits": fits}, tmp_path)
    assert said.code == "empty-column"
    assert "'of nothing', at metrics.test" in said.message


def test_columns_of_some_results_and_how_far_rows_are_from_the_best(tmp_path):
    values = {("a", "good"): 1.0, ("a", "bad"): 5.0, ("b", "good"): 30.0, ("b", "bad"): 20.0}
    fits = []
    for (robot, kind), value in values.items():
        folder = tmp_path / f"{robot}{kind}"
        folder.mkdir()
        (folder / "fit.json").write_text(json.dumps({"error": value}))
        fits.append(Source(f"{robot}/model={kind}", folder, ""))
    keys = {
        "rows": {"Good": "*model=good", "Bad": "*model=bad"},
        "columns": {"of a": "a/*: error", "of b": "b/*: error"},
        "relative": {"all": ("of a", "of b")},
        "published": {"Good": {"all": 0.5}},
        "claims": ("Good < Bad in all",),
    }
    (tmp_path / "out").mkdir()
    run(TabulateConfig(**keys), {"fits": fits}, tmp_path / "out")
    good, bad = read_table(tmp_path / "out").rows
    assert (good.cells["of a"].mean, good.cells["of b"].mean) == (1.0, 30.0)
    assert good.cells["all"].mean == pytest.approx((0 / 5 + 10 / 30) / 2)
    assert bad.cells["all"].mean == pytest.approx((4 / 5 + 0 / 30) / 2)
    assert read_table(tmp_path / "out").claims[0].holds
    with pytest.raises(ConfigError, match="'none' that is not there"):
        run(TabulateConfig(**keys | {"relative": {"all": ("none",)}}), {"fits": fits}, tmp_path)


def test_predictions_are_results(tmp_path):
    given = []
    for name, value in (("good", 1.0), ("bad", 4.0)):
        folder = tmp_path / name
        folder.mkdir()
        errors = {"r1": {"errors": {"a": {"rmse": value}, "b": {"rmse": 3 * value}}}}
        (folder / "predictions.json").write_text(json.dumps({"recordings": errors}))
        given.append(Source(name, folder, ""))
    (tmp_path / "out").mkdir()
    keys = {"columns": {"rmse": "recordings.*.errors.*.rmse"}, "claims": ("good < bad in rmse",)}
    run(TabulateConfig(**keys), {"predictions": given}, tmp_path / "out")
    found = read_table(tmp_path / "out")
    assert [row.cells["rmse"].mean for row in found.rows] == [2.0, 8.0]
    assert found.claims[0].holds


def test_rows_of_a_sweep_are_what_is_not_averaged_over(fits, tmp_path):
    (tmp_path / "out").mkdir()
    config = TabulateConfig(over=("seed",), columns={"error": "error"})
    run(config, {"fits": fits}, tmp_path / "out")
    by_name, by_pattern = read_table(tmp_path / "out"), tabulated(fits, tmp_path / "other")
    assert [row.name for row in by_name.rows] == [
        f"fit/model={m}" for m in ("good", "bad", "alike")
    ]
    assert [row.cells for row in by_name.rows] == [row.cells for row in by_pattern.rows]


def test_an_axis_that_no_result_varies_along(fits, tmp_path):
    with pytest.raises(ConfigError, match="no result is one of an axis 'seeds'") as caught:
        run(TabulateConfig(over=("seeds",)), {"fits": fits}, tmp_path)
    assert "did you mean 'seed'" in caught.value.notice.hint
    with pytest.raises(ValidationError, match="give one"):
        TabulateConfig(over=("seed",), rows=ROWS)
