"""Several fits side by side: told apart when they differ, refused when they cannot be compared."""

import re

import numpy as np
import pytest

from robotid.contracts.fit import BlockErrors, Metric, read_fit
from robotid.contracts.fit_data import RecordingUsed
from robotid.errors import BadDataError
from robotid.reporting.advice import advice, chosen
from robotid.reporting.comparison import compare
from robotid.reporting.facts import Published, ReportFacts
from robotid.reporting.paired import Blocks, half_width
from robotid.reporting.summary import comparison_table
from tests.exporting.fits import write_fit
from tests.reporting.results import JOINTS, view


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return view(tmp_path_factory.mktemp("fit") / "fit").fit


def blocks_of(rmse, recording="run2", start=0.0):
    """Blocks of one second; `rmse` is (blocks, joints)."""
    return [
        BlockErrors(
            recording=recording, split="test", start_s=start + k, end_s=start + k + 1,
            rmse=dict(zip(JOINTS, map(float, row), strict=True)), mean=dict.fromkeys(JOINTS),
        )
        for k, row in enumerate(rmse)
    ]  # fmt: skip


def with_errors(fit, rmse, **changes):
    """The fit with these errors in every block, and the metrics that follow from them."""
    joints = dict(zip(JOINTS, map(float, np.sqrt(np.mean(np.square(rmse), axis=0))), strict=True))
    metric = Metric(mean=sum(joints.values()) / 2, joints=joints)
    metrics = {**fit.metrics, "test": {**fit.metrics["test"], "rmse": metric}}
    return fit.model_copy(update={"metrics": metrics, "blocks": blocks_of(rmse), **changes})


def hard_and_easy(seed=0, count=12):
    """Errors that go up and down together whatever the model."""
    rng = np.random.default_rng(seed)
    return 0.1 * np.exp(rng.normal(size=(count, 2)))


def recorded(sha, split="test"):
    return RecordingUsed(split=split, source_sha256=sha, rate_hz=100, duration_s=10, samples=1000)


def test_a_single_fit_is_not_compared(plain):
    assert compare({"a": plain}) is None


def test_best_where_all_others_are_worse(plain):
    """Pairs count: the motion makes errors differ much more than the models do."""
    errors = hard_and_easy()
    rng = np.random.default_rng(1)
    worse = errors * (1.1 + 0.02 * rng.normal(size=errors.shape))
    found = compare({"a": with_errors(plain, worse), "b": with_errors(plain, errors)})
    assert (found.least, found.best, found.blocks) == ("b", "b", 12)
    behind = found.models["a"].behind
    assert behind.worse
    assert 0 < behind.lower < behind.value < behind.upper
    mean = found.models["a"].metrics["rmse"].mean - found.models["b"].metrics["rmse"].mean
    assert behind.value == pytest.approx(mean)
    assert "b is best" in found.sentence


def test_not_told_apart_by_chance(plain):
    errors = hard_and_easy()
    noise = np.exp(0.3 * np.random.default_rng(3).normal(size=(2, *errors.shape)))
    fits = {"a": with_errors(plain, errors * noise[0]), "b": with_errors(plain, errors * noise[1])}
    found = compare(fits)
    assert found.best is None
    other = next(name for name in fits if name != found.least)
    assert not found.models[other].behind.worse
    assert (
        found.sentence == f"{found.least} has the least error, but is not told apart from {other}."
    )


def test_what_is_the_same_is_not_told_apart(plain):
    """A solver's last digits make no model better, however steady they are."""
    errors = hard_and_easy()
    found = compare({"a": with_errors(plain, errors * (1 + 1e-6)), "b": with_errors(plain, errors)})
    assert found.best is None
    same = compare({"a": with_errors(plain, errors), "b": with_errors(plain, errors)})
    assert same.best is None
    assert {model.behind.value for model in same.models.values() if model.behind} == {0.0}
    close = {"a": with_errors(plain, errors * (1 + 1e-9)), "b": with_errors(plain, errors)}
    rows = {row[0]: row[1:] for row in comparison_table(compare(close)).rows}
    assert rows["above the least"] == ["0", "–"]


def test_too_few_blocks_say_so(plain):
    found = compare({n: with_errors(plain, hard_and_easy(k, 5)) for k, n in enumerate("ab")})
    assert found.best is None
    assert all(model.behind is None for model in found.models.values())
    assert "whether by chance cannot be told" in found.sentence
    assert "have 5 stretches of data in common, 6 are needed" in found.sentence
    one = compare({n: with_errors(plain, hard_and_easy(k, 1)) for k, n in enumerate("ab")})
    assert "have 1 stretch of data in common" in one.sentence
    assert compare({"a": plain, "b": plain}).blocks == 0


def test_one_that_is_not_to_be_used_is_never_best(plain, tmp_path):
    errors = hard_and_easy()
    bad = view(tmp_path / "bad", usable=False).fit
    found = compare({"bad": with_errors(bad, errors / 2), "good": with_errors(plain, errors)})
    assert found.least == "good"
    assert any("bad" in remark for remark in found.remarks)


def test_nothing_is_said_to_be_worse_than_what_stands_alone(plain, tmp_path):
    errors = hard_and_easy()
    bad = with_errors(view(tmp_path / "bad", usable=False).fit, errors / 2)
    found = compare({"bad": bad, "good": with_errors(plain, errors)})
    assert (found.best, found.sentence) == (None, "good is the only fit that can be used.")
    told = next(row for row in comparison_table(found).rows if row[0] == "told apart")
    assert told[1:] == ["not to be used", "least error"]
    worse = with_errors(bad, errors)
    found = compare({"a": worse, "b": bad})
    assert (found.best, found.sentence) == (None, "No fit is to be used; b has the least error.")


def test_errors_too_large_to_be_squared(plain):
    errors = hard_and_easy()
    vast = with_errors(plain, errors)
    metric = Metric(mean=1e200, joints=dict.fromkeys(JOINTS, 1e200))
    metrics = {**vast.metrics, "test": {**vast.metrics["test"], "rmse": metric}}
    vast = vast.model_copy(update={"metrics": metrics, "blocks": blocks_of(1e200 * errors)})
    with np.errstate(over="ignore", invalid="ignore"):
        found = compare({"vast": vast, "b": with_errors(plain, errors)})
    assert (found.least, found.best, found.models["vast"].behind) == ("b", None, None)


def test_false_alarms_are_as_rare_as_is_said():
    """Models of equal error, neighbours correlated by a half: 7 % measured, 5 % when independent."""
    rng = np.random.default_rng(0)
    recording = np.zeros(16, dtype=np.int64)

    def correlated(rho):
        x = rng.normal(size=(16, 3))
        for k in range(1, 16):
            x[k] = rho * x[k - 1] + np.sqrt(1 - rho**2) * x[k]
        return x

    def alarms(rho, runs=400):
        count = 0
        for _ in range(runs):
            base = correlated(rho)
            power = [np.exp(2 * (0.5 * base + 0.15 * correlated(rho))) for _ in range(2)]
            one, other = (Blocks(p, np.ones(16), recording) for p in power)
            gap = np.sqrt(power[0].mean(axis=0)).mean() - np.sqrt(power[1].mean(axis=0)).mean()
            count += abs(gap) > half_width(one, other, 0.95)
        return count / runs

    assert alarms(0.0) < 0.07  # 3 % measured
    assert alarms(0.5) < 0.11


def test_different_robots(plain, tmp_path):
    other = read_fit(write_fit(tmp_path / "other", "pendulum"))
    with pytest.raises(BadDataError) as caught:
        compare({"a": plain, "b": other})
    assert caught.value.notice.code == "robots-differ"
    assert "'double_pendulum'" in str(caught.value)
    assert "'pendulum'" in str(caught.value)


def test_different_joints(plain):
    other = plain.model_copy(update={"joints": ["shoulder"]})
    with pytest.raises(BadDataError, match="different joints: elbow"):
        compare({"a": plain, "b": other})


def test_missing_recordings_are_named(plain):
    splits = {"run1": "train", "run2": "test", "run3": "test"}
    other = plain.model_copy(update={"recordings": splits})
    with pytest.raises(BadDataError, match="a has no run3 of b") as caught:
        compare({"a": plain, "b": other})
    assert caught.value.notice.code == "recordings-differ"


def test_the_same_recordings_held_out_otherwise_are_set_side_by_side(plain):
    """As in a sweep over splits: nothing is ranked, and nothing is told to be used."""
    turned = {"train": "test", "test": "train"}
    other = plain.model_copy(
        update={"recordings": {name: turned[split] for name, split in plain.recordings.items()}}
    )
    found = compare({"a": plain, "b": other})
    assert not found.same_data
    assert (found.blocks, found.best, found.least) == (0, None, None)
    assert found.sentence == "Errors are of different recordings, so none of them is the least."
    worse = with_errors(other, 2 * hard_and_easy())
    facts = ReportFacts(fits={"a": plain, "b": worse}, comparison=compare({"a": plain, "b": worse}))
    assert not re.search("least error|larger", " ".join(advice(facts).said))
    assert found.recordings == sorted(plain.recordings)
    assert any("Errors are of different recordings: " in remark for remark in found.remarks)
    assert chosen(found) is None
    assert compare({"a": plain, "b": plain}).same_data


def test_cut_recordings_with_and_without_blocks(plain):
    """Models that are fitted on samples have no errors of blocks; their data are the same."""
    cut = plain.model_copy(update={"recordings": {"run1": "train"}, "split_by": "segment"})
    errors = hard_and_easy()
    blocks = with_errors(cut, errors, blocks=blocks_of(errors, "run1"))
    for fits in ({"a": cut, "b": blocks}, {"b": blocks, "a": cut}):
        found = compare(fits)
        assert (found.recordings, found.blocks) == (["run1"], 0)
    assert compare({"a": blocks, "b": blocks}).blocks == 12
    other = cut.model_copy(update={"recordings": {"run9": "train"}})
    with pytest.raises(BadDataError, match="run9"):
        compare({"a": blocks, "b": other})


def test_content_counts_not_names(plain):
    """The digest of a log says which recording it is, where fits have it."""
    here = plain.model_copy(update={"data": {"run2": recorded("aa")}})
    there = plain.model_copy(update={"data": {"run2": recorded("bb")}})
    with pytest.raises(BadDataError, match="logs of the same name differ: run2"):
        compare({"a": here, "b": there})
    splits = {"run1": "train", "again": "test"}
    renamed = plain.model_copy(update={"recordings": splits, "data": {"again": recorded("aa")}})
    errors = hard_and_easy()
    renamed = with_errors(renamed, errors, blocks=blocks_of(errors, "again"))
    found = compare({"a": with_errors(here, errors), "b": renamed})
    assert found.blocks == 12
    assert compare({"a": here, "b": plain}).recordings == ["run2"]  # one of them has names only


def test_other_filters_are_remarked(plain):
    used = RecordingUsed(
        split="test", source_sha256="", rate_hz=100, duration_s=1, samples=3, cutoff_hz=8
    )
    other = plain.model_copy(update={"data": {"run2": used}, "samples": {"train": 1, "test": 3}})
    found = compare({"a": plain, "b": other})
    assert any("filtered differently" in remark for remark in found.remarks)
    assert any("numbers of samples: 500 (a); 3 (b)" in remark for remark in found.remarks)


def test_published_figures_stand_beside(plain):
    figures = Published(source="A. Author, Table 2", rmse=0.2)
    found = compare({"a": plain}, {"Author": figures})
    assert found.published["Author"].rmse == 0.2
    assert found.best is None
