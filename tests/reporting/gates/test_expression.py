"""Gate expressions: read right, refused with a place, never anything but a ConfigError."""

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotid.errors import ConfigError
from robotid.reporting.gates.expression import parse
from robotid.reporting.gates.outcomes import outcomes
from tests.reporting.results import changed, metrics, view

WORDS = [
    "test.rmse", "test.rmse[*]", "test.rmse[elbow]", 'val.r2["a]b"]', "baselines.zero.test.rmse",
    "identified", "usable", "parameters.upper_arm.m.std", "and", "or", "not", "(", ")", "<", "<=", "==",
    "+", "-", "*", "/", "1", "2.5e3", ".5", "a:", "[", "]", '"', ".", "=", "samples.test", " ",
]  # fmt: skip


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    return view(tmp_path_factory.mktemp("fit") / "fit").fit


def holds(fit, text):
    (outcome,) = outcomes([text], {"f": fit})
    return not outcome.passed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("test.rmse > 0.05", True),  # it is 0.1 everywhere
        ("test.rmse > 0.1", False),
        ("test.rmse >= 0.1", True),
        ("test.rmse == 0.1", True),
        ("test.rmse != 0.1", False),
        ("test.rmse[elbow] > 0.05", True),
        ('test.rmse["elbow"] > 0.05', True),
        ("test.rmse[ elbow ] < 0.05", False),
        ("test.rmse / baselines.zero.test.rmse > 0.04", True),  # 0.1 / 2
        ("test.rmse / baselines.zero.test.rmse > 0.06", False),
        ("not test.rmse > 0.05", False),
        ("not not test.rmse > 0.05", True),
        ("not usable", False),
        ("converged and consistent", True),
        ("rank < structural_rank", False),
        ("condition > 20 and condition < 40", True),
        ("identified == 14", True),
        ("samples.test < 501", True),
        ("parameters.upper_arm.m.value > 0", True),
        ('parameters["upper_arm.m"].value > 0', True),
        ("f: test.rmse > 0.05", True),
    ],
)
def test_values(fit, text, expected):
    assert holds(fit, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 1 * 2 - 1 == 2", True),
        ("1 - 2 - 3 == -4", True),
        ("8 / 4 / 2 == 1", True),
        ("-2 * -3 == 6", True),
        ("2 - -3 == 5", True),
        ("(1 + 2) * 3 == 9", True),
        ("1 > 2 or 1 > 2 and 2 > 1", False),
        ("2 > 1 or 1 > 2 and 1 > 2", True),  # and before or
        ("(2 > 1 or 1 > 2) and 1 > 2", False),
    ],
)
def test_order_of_operators(fit, text, expected):
    assert holds(fit, f"({text}) and usable") is expected


@pytest.mark.parametrize(
    ("text", "column", "said", "hint"),
    [
        ("", 1, "missing", "test.rmse"),
        ("test.rmse >", 12, "a value is missing", ""),
        ("> 1", 1, "a value is missing before '>'", ""),
        ("test.rmse 1", 11, "an operator is missing before '1'", ""),
        ("(test.rmse > 1", 1, "never closed", ""),
        ("test.rmse > 1)", 14, "never opened", ""),
        ("1 < test.rmse < 2", 15, "chained", "and"),
        ("test.rmse = 1", 11, "'=' means nothing", "'=='"),
        ("test.rmse > 1 && usable", 15, "'&' means nothing", "'and'"),
        ("test.rmsee > 1", 6, "no metric is called 'rmsee'", "'rmse'"),
        ("tset.rmse > 1", 1, "no value is called 'tset'", "'test'"),
        ("baselines.zero.tets.rmse > 1", 16, "no split is called 'tets'", "'test'"),
        ("test.rmse[a > 1", 10, "bracket", "joint3"),
        ("test > 1", 1, "not of the form SPLIT.METRIC", ""),
        ("test.rmse[] > 1", 1, "not of the form SPLIT.METRIC", ""),
        ("baselines.zero > 1", 1, "not of the form baselines.NAME.SPLIT.METRIC", ""),
        ("parameters.m > 1", 1, "not of the form parameters.NAME", ""),
        ("parameters.a.m.percentage > 1", 16, "no attribute", "'percent'"),
        ("usable.x", 1, "usable has no parts", ""),
        ("test.rmse", 1, "a number, not a condition", "compare"),
        ("usable > 1", 8, "'>' takes numbers", ""),
        ("test.rmse and usable", 11, "'and' takes conditions", ""),
        ("-usable > 1", 1, "'-' takes numbers", ""),
        ("test.rmse > 1e999", 13, "too large a number", ""),
        ("1 > 2", 1, "says nothing about a fit", "test.rmse"),
        (": test.rmse > 1", 1, "name of a fit is missing", ""),
        ("usable not usable", 8, "an operator is missing before 'not'", "stands before"),
    ],
)
def test_refused_with_place_and_way_out(text, column, said, hint):
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert said in caught.value.notice.message
    assert f"at column {column} of " in caught.value.notice.message
    assert hint in (caught.value.notice.hint or "")


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("val.rmse > 1", "no split of this fit is called 'val'", "test, train"),
        ("test.rmse[elbwo] > 1", "no joint is called 'elbwo'", "'elbow'"),
        ("baselines.nominal.test.rmse > 1", "no baseline is called 'nominal'", "mean, zero"),
        (
            "parameters.upper_arm.mm.std > 1",
            "no parameter is called 'upper_arm.mm'",
            "'upper_arm.m'",
        ),
        ("g: usable", "no fit is called 'g'", "f"),
    ],
)
def test_what_a_fit_does_not_have_is_named(fit, text, said, hint):
    with pytest.raises(ConfigError) as caught:
        outcomes([text], {"f": fit})
    assert said in caught.value.notice.message
    assert hint in caught.value.notice.hint


def test_every_joint_in_turn(tmp_path):
    """`[*]` is the same joint everywhere in an expression."""
    found = metrics(0.1)
    found["test"]["rmse"] = found["test"]["rmse"].model_copy(
        update={"joints": {"shoulder": 0.1, "elbow": 3.0}}
    )
    fit = view(tmp_path / "fit", metrics=found).fit
    (outcome,) = outcomes(["test.rmse[*] / baselines.zero.test.rmse[*] > 1"], {"f": fit})
    assert (outcome.passed, outcome.joints) == (False, ["elbow"])
    assert outcome.said == "elbow: 3 / 2 > 1"
    (outcome,) = outcomes(["test.rmse[*] > 5"], {"f": fit})
    assert (outcome.passed, outcome.said) == (True, "holds for none of 2 joints")


def test_no_value_fails_and_says_so(fit):
    found = metrics(0.1)
    found["test"]["relative"] = found["test"]["relative"].model_copy(
        update={"mean": None, "joints": {"shoulder": 0.1, "elbow": None}}
    )
    fit = fit.model_copy(update={"metrics": found})
    for text in ("test.relative > 1", "not test.relative > 1", "usable or test.relative > 1"):
        (outcome,) = outcomes([text], {"f": fit})
        assert not outcome.passed
        assert "test.relative has no value" in outcome.said
    (outcome,) = outcomes(["test.relative[*] > 1"], {"f": fit})
    assert outcome.joints == ["elbow"]
    assert "test.relative[elbow] has no value" in outcome.said
    (outcome,) = outcomes(["test.rmse / (rank - rank) > 1"], {"f": fit})
    assert not outcome.passed
    assert "division by zero" in outcome.said


def test_gates_of_several_fits(tmp_path):
    one = view(tmp_path / "a", name="a")
    fits = {"a": one.fit, "b": changed(one, metrics=metrics(0.3)).fit}
    found = outcomes(["test.rmse > 0.2", "b: test.rmse > 0.5"], fits)
    assert [(o.fit, o.passed) for o in found] == [("a", True), ("b", False), ("b", True)]


def test_ten_thousand_parentheses(fit):
    begin = time.perf_counter()
    assert holds(fit, "(" * 10_000 + "usable" + ")" * 10_000)
    assert holds(fit, "not " * 10_000 + "usable")
    assert holds(fit, "-" * 10_000 + "test.rmse > 0")
    for text in ("(" * 50_000, "(" * 10_000 + "usable", ")" * 10_000, "usable" + ")" * 10_000):
        with pytest.raises(ConfigError) as caught:
            parse(text)
        assert len(caught.value.notice.message) < 500
    with pytest.raises(ConfigError, match="too long"):
        parse("(" * 200_000)
    assert time.perf_counter() - begin < 5


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=14).map("".join)))
def test_any_text_is_a_gate_or_a_config_error(fit, text):
    with suppress(ConfigError):  # and nothing else
        outcomes([text], {"f": fit})


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join))
def test_words_in_any_order(fit, text):
    try:
        (outcome, *_) = outcomes([text], {"f": fit})
    except ConfigError:
        return
    assert outcome.said
