"""Why something was computed again."""

import json

import pytest

from robotid.errors import BadDataError, InputMissingError, UsageError
from robotid.store.canonical import tagged
from robotid.store.explain import Explainer, differences

from .conftest import record


def configured(**config):
    return {
        "config": tagged(config),
        "inputs": {"data": ["a" * 64]},
        "code": {"robotid.x": "1" * 64},
    }


def test_names_the_field_and_both_values():
    old = record(**configured(cutoff_hz=5.0, order=4, model="ols"))
    new = record(**configured(cutoff_hz=8.0, order=4, model="sdp"))
    assert differences(old, new) == [
        ("config.cutoff_hz", "5.0", "8.0"),
        ("config.model", "'ols'", "'sdp'"),
    ]


def test_configuration_comes_before_code():
    old = record(**configured(a=1))
    new = {**record(**configured(a=2)), "code": {"robotid.x": "2" * 64}}
    assert [d.field for d in differences(old, new)] == ["config.a", "code.robotid.x"]


def test_nearest_entry_is_the_one_compared_with(store, commit):
    commit(store, **configured(a=1, b=1))
    commit(store, **configured(a=1, b=2))
    assert Explainer(store).why_missing(record(**configured(a=2, b=2))) == "config.a 1 -> 2"


def test_no_earlier_result(store):
    assert Explainer(store).why_missing(record(**configured(a=2))) == "no earlier result of made"


def test_by_key_prefix_folder_and_run(store, commit, tmp_path):
    commit(store, **configured(a=1))
    entry = commit(store, **configured(a=2))
    (store.root / "runs").mkdir()
    stages = [{"name": "x", "stage": "made", "keys": [entry.key, "0" * 64]}]
    (store.root / "runs" / "mine.json").write_text(json.dumps({"stages": stages}))
    for name in (entry.key, entry.key[:8], str(entry.path), "mine"):
        (found,) = Explainer(store).explain(name)
        assert found.manifest.key == entry.key
        assert [d.field for d in found.differences] == ["config.a"]


def test_unknown_name(store, commit):
    commit(store)
    for name in ("nightly", "abc", "../../etc/passwd", ""):
        with pytest.raises(InputMissingError, match="no run"):
            Explainer(store).explain(name)


def test_c37_ambiguous_prefix(store, commit):
    entry = commit(store)
    twin = entry.path.with_name(entry.key[:10] + "0" * 54)
    twin.mkdir()
    (twin / "manifest.json").write_bytes((entry.path / "manifest.json").read_bytes())
    with pytest.raises(UsageError, match="stands for 2 entries"):
        Explainer(store).explain(entry.key[:8])


def test_damaged_things_are_told_from_missing_ones(store, commit, tmp_path):
    entry = commit(store)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "manifest.json").write_text("{}")
    (store.root / "runs").mkdir()
    (store.root / "runs" / "broken.json").write_text("{")
    for name in (str(tmp_path / "copy"), "broken"):
        with pytest.raises(BadDataError):
            Explainer(store).explain(name)
    (entry.path / "manifest.json").unlink()
    (entry.path / "manifest.json").write_text("{}")
    with pytest.raises(BadDataError):
        Explainer(store).explain(entry.key[:8])
