"""Recordings describe themselves, and damage to them is noticed."""

import json
import random

import numpy as np
import pytest

from robotid.contracts.dataset import assign_splits, read_index, write_index
from robotid.contracts.recording import (
    Joint,
    RecordingFacts,
    inspect_recording,
    iterate_recording,
    read_facts,
    read_recording,
    write_recording,
)
from robotid.errors import BadDataError, ConfigError


def facts(joints=("a",)):
    return RecordingFacts(
        joints=[Joint(name=name) for name in joints],
        source_sha256="0" * 64,
        rate_hz=100.0,
        duration_s=9.99,
        samples=1000,
    )


COLUMNS = {
    "t": np.arange(1000, dtype=np.int64) * 10_000_000,
    "q.a": np.random.default_rng(0).normal(size=1000),
}


def test_round_trip_is_exact(tmp_path):
    write_recording(tmp_path, COLUMNS, facts())
    columns, found = read_recording(tmp_path / "recording.parquet")
    assert found == facts() == read_facts(tmp_path)
    for name, values in COLUMNS.items():
        np.testing.assert_array_equal(columns[name], values)
        assert columns[name].dtype == values.dtype


def test_flipped_bits_never_give_other_numbers(tmp_path):
    """Also outside the store: page checksums. What is not refused must read as it was."""
    write_recording(tmp_path, COLUMNS, facts())
    path = tmp_path / "recording.parquet"
    good = path.read_bytes()
    chance, refused = random.Random(0), 0
    for _ in range(200):
        bit = chance.randrange(len(good) * 8)
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(bad)
        try:
            columns, _ = read_recording(path)
        except BadDataError:
            refused += 1
        else:
            np.testing.assert_array_equal(columns["q.a"], COLUMNS["q.a"])
    assert refused > 150


@pytest.mark.parametrize("rows", [1, 7, 999, 1000, 5000])
def test_reading_in_pieces_gives_the_same(tmp_path, rows):
    write_recording(tmp_path, COLUMNS, facts())
    path = tmp_path / "recording.parquet"
    pieces = list(iterate_recording(path, ["q.a", "t"], rows))
    assert max(piece["t"].size for piece in pieces) <= rows
    for name, values in COLUMNS.items():
        np.testing.assert_array_equal(np.concatenate([piece[name] for piece in pieces]), values)
    assert inspect_recording(path) == (["t", "q.a"], facts())


def test_damage_is_noticed_while_reading_in_pieces(tmp_path):
    write_recording(tmp_path, COLUMNS, facts())
    path = tmp_path / "recording.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadDataError, match="not a recording"):
        list(iterate_recording(path, ["t", "q.a"], 100))
    with pytest.raises(BadDataError, match="not a recording"):
        inspect_recording(tmp_path / "nothing.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 100])
def test_foreign_files_are_refused(tmp_path, content):
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(BadDataError, match="not a recording"):
        read_recording(tmp_path / "x.parquet")


def test_recordings_of_one_dataset_have_the_same_joints(tmp_path):
    with pytest.raises(BadDataError, match="recording y has joints"):
        write_index(tmp_path, {"x": facts(), "y": facts(("b",))}, {"x": "train", "y": "test"})


def test_splits():
    assert assign_splits(["a"], [], [], []) == {"a": "train"}
    assert assign_splits(["a", "b", "c"], [], [], []) == {"a": "train", "b": "train", "c": "test"}
    assert assign_splits(["a1", "a2", "b"], [], ["b"], ["a*"]) == {
        "a1": "test",
        "a2": "test",
        "b": "val",
    }
    assert assign_splits(["a", "b"], [], ["b"], []) == {"a": "train", "b": "val"}
    assert assign_splits(["a", "b", "c"], [], ["c"], []) == {"a": "train", "b": "test", "c": "val"}
    assert assign_splits(["[x]", "y"], [], [], ["[x]"]) == {"[x]": "test", "y": "train"}
    with pytest.raises(ConfigError, match="no recording matches 'x'"):
        assign_splits(["a"], [], [], ["x"])
    with pytest.raises(ConfigError, match="b would be in test and in val"):
        assign_splits(["a", "b"], [], ["b"], ["*"])


def test_splits_by_share():
    names = [f"run{n:02d}" for n in range(10)]
    splits = assign_splits(names, [], ["0.1"], ["0.2"])
    assert sorted(splits.values()) == ["test"] * 2 + ["train"] * 7 + ["val"]
    assert splits == assign_splits(names, [], ["0.1"], ["0.2"])
    more = assign_splits([*names, "run10"], [], ["0.1"], ["0.2"])
    assert sum(more[name] == splits[name] for name in names) >= 8  # one more changes little
    assert assign_splits(["a", "b"], ["a"], [], ["b"]) == {"a": "train", "b": "test"}
    with pytest.raises(ConfigError, match="c would be in no split"):
        assign_splits(["a", "b", "c"], ["a"], [], ["b"])
    with pytest.raises(ConfigError, match="2 of 2 recordings, 1 are left"):
        assign_splits(["a", "b"], [], ["0.9"], ["0.5"])


def index_text(recordings, splits):
    inner = {name: json.loads(facts().model_dump_json()) for name in recordings}
    joints = [{"name": "a", "kind": "revolute"}]
    return json.dumps({"format": 1, "joints": joints, "recordings": inner, "splits": splits})


@pytest.mark.parametrize(
    ("recordings", "splits", "says"),
    [
        (["../outside/a"], {"../outside/a": "train"}, "not the name of a recording"),
        (["/etc/passwd"], {"/etc/passwd": "train"}, "not the name of a recording"),
        ([""], {"": "train"}, "not the name of a recording"),
        (["a", "b"], {"a": "train"}, "do not name the same"),
        (["a"], {"a": "train", "b": "test"}, "do not name the same"),
        (["a"], {"a": "training"}, "train"),
    ],
)
def test_s12_index_cannot_lead_out_of_its_folder(tmp_path, recordings, splits, says):
    (tmp_path / "dataset.json").write_text(index_text(recordings, splits))
    with pytest.raises(BadDataError, match=says):
        read_index(tmp_path)


def test_recording_that_is_not_in_the_index(tmp_path):
    with pytest.raises(BadDataError, match="recording y is in the folder and not in"):
        write_index(tmp_path, {"x": facts(), "y": facts()}, {"x": "train"})
