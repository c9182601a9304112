"""Holding data out."""

import numpy as np
import pytest

from robotid.contracts.recording import FilterFacts, Joint, RecordingFacts, Segment
from robotid.signals.splits import by_split, hold_out


def _columns(start=0, samples=1000):
    return {"t": (np.arange(samples) * 10_000_000 + start).astype(np.int64), "x": np.zeros(samples)}


def _facts(*segments, memory_s=2.0):
    own = [Segment(start_s=a, end_s=b, samples=n) for a, b, n in segments]
    used = FilterFacts(cutoff_hz=5.0, order=4, memory_s=memory_s, trimmed=0, segments=own)
    samples = sum(segment.samples for segment in own)
    return RecordingFacts(
        joints=[Joint(name="a")],
        source_sha256="0" * 64,
        rate_hz=100.0,
        duration_s=own[-1].end_s - own[0].start_s,
        samples=samples,
        filter=used,
    )


WHOLE = _facts((1.0, 101.0, 10_001))


def test_n21_recordings_are_never_mixed():
    splits = {"a": "train", "b": "val", "c": "test"}
    assert hold_out(dict.fromkeys(splits, WHOLE), splits, 0.2) == {}
    found = by_split({name: _columns() for name in splits}, splits, {})
    assert {name: len(parts) for name, parts in found.items()} == {"train": 1, "val": 1, "test": 1}


def test_single_recording_is_cut_with_twice_the_memory_between():
    (name, (train, test)) = next(iter(hold_out({"a": WHOLE}, {"a": "train"}, 0.2).items()))
    assert (name, train.split, test.split) == ("a", "train", "test")
    assert (train.start_s, test.end_s) == (1.0, 101.0)
    assert test.start_s == pytest.approx(81.0, abs=0.1)
    assert test.start_s - train.end_s == pytest.approx(4.0)


def test_share_is_of_samples_and_not_of_time():
    """Half of the samples lie in each segment, whatever the pause between them."""
    found = hold_out({"a": _facts((0, 10, 1000), (500, 510, 1000))}, {"a": "train"}, 0.25)
    assert found["a"][1].start_s == pytest.approx(505.0)


def test_only_the_last_training_recording_is_cut():
    splits = {"a": "train", "b": "train", "c": "val"}
    assert list(hold_out(dict.fromkeys(splits, WHOLE), splits, 0.2)) == ["b"]


@pytest.mark.parametrize(("share", "memory_s"), [(0.0, 2.0), (0.2, 60.0)])
def test_nothing_to_hold_out(share, memory_s):
    """Not asked for, or nothing would be left for the training."""
    facts = _facts((0.0, 100.0, 10_001), memory_s=memory_s)
    assert hold_out({"a": facts}, {"a": "train"}, share) == {}


def test_parts_of_a_cut_recording():
    intervals = hold_out({"a": _facts((0.0, 9.99, 1000), memory_s=0.5)}, {"a": "train"}, 0.2)
    found = by_split({"a": _columns()}, {"a": "train"}, intervals)
    train, test = found["train"][0]["t"] / 1e9, found["test"][0]["t"] / 1e9
    assert test.size == pytest.approx(200, abs=2)
    assert test[0] - train[-1] >= 1.0
    assert train[0] == 0.0
    assert test[-1] == 9.99
