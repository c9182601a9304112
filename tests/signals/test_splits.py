"""Holding data out."""

import numpy as np
import pytest

from robotid.signals.splits import by_split


def _columns(start, samples=1000):
    return {"t": (np.arange(samples) * 10_000_000 + start).astype(np.int64), "x": np.zeros(samples)}


def test_n21_recordings_are_never_mixed():
    splits, within = by_split(
        {"a": _columns(0), "b": _columns(0), "c": _columns(0)},
        {"a": "train", "b": "val", "c": "test"},
        1.0,
    )
    assert {name: len(parts) for name, parts in splits.items()} == {"train": 1, "val": 1, "test": 1}
    assert not within


def test_single_recording_is_cut_with_a_gap():
    splits, within = by_split({"a": _columns(0)}, {"a": "train"}, gap_s=2.5)
    assert within
    train, test = splits["train"][0]["t"] / 1e9, splits["test"][0]["t"] / 1e9
    assert test[0] - train[-1] >= 2.5
    assert test.size == pytest.approx(200, abs=2)
