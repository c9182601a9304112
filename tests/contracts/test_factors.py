"""The file of factors: exact, the same bytes each time, and refused when damaged."""

import random

import numpy as np
import pytest

from robotid.contracts.factors import (
    Block,
    FactorFacts,
    RecordingTensors,
    RobotFacts,
    Row,
    RowTensors,
    read_blocks,
    read_factors,
    read_facts,
    read_index,
    read_middle,
    write_factors,
    write_index,
)
from robotid.errors import BadDataError

ABOUT = RobotFacts(
    robot="arm",
    geometry_sha256="0" * 64,
    terms=["viscous"],
    parameters=["a.m", "a.hx", "j.viscous"],
    rows=[Row(name="j", columns=[0, 1, 2]), Row(name="k", columns=[1])],
)


def facts(blocks=2):
    made = [Block(start_s=float(n), end_s=n + 0.5, samples=10) for n in range(blocks)]
    return FactorFacts(about=ABOUT, rate_hz=100.0, independent=0.1, blocks=made)


def rows(blocks=2):
    rng = np.random.default_rng(0)
    return [
        RowTensors(
            rng.normal(size=(2, 3)), rng.normal(size=(blocks, 6)), rng.normal(size=(blocks, 3))
        ),
        RowTensors(
            rng.normal(size=(1, 1)), rng.normal(size=(blocks, 3)), rng.normal(size=(blocks, 3))
        ),
    ]


def tensors(of_rows=None, blocks=2):
    own = rows(blocks) if of_rows is None else of_rows
    rng = np.random.default_rng(1)
    middle = {name: rng.normal(size=5) for name in ("t", "q.j", "temperature.j")}
    wholes = [rng.normal(size=row.factor.shape[1]) for row in own]
    return RecordingTensors(own, wholes, rng.normal(size=(blocks, 8, 2)), middle)


def test_round_trip_is_exact_and_bytes_repeat(tmp_path):
    written = []
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        write_factors(folder, facts(), tensors())
        written.append((folder / "factors.safetensors").read_bytes())
    assert len(set(written)) == 1
    path = tmp_path / "0" / "factors.safetensors"
    found, read = read_factors(path)
    assert found == read_facts(tmp_path / "0")
    assert found.blocks == facts().blocks
    assert read.by_name().keys() == tensors().by_name().keys()
    for name, value in tensors().by_name().items():
        np.testing.assert_array_equal(read.by_name()[name], value)
    for ours, theirs in zip(rows(), read_blocks(path, 2), strict=True):
        np.testing.assert_array_equal(ours.factor, theirs)
    np.testing.assert_equal(read_middle(path), tensors().middle)


def test_s02_damage_is_noticed(tmp_path):
    """Every flipped bit and every cut is refused, or what is read is what was written."""
    write_factors(tmp_path, facts(), tensors())
    path = tmp_path / "factors.safetensors"
    good, (expected, _) = path.read_bytes(), read_factors(path)
    chance, refused = random.Random(0), 0
    for trial in range(150):
        bad = bytearray(good)
        if trial % 5 == 0:
            bad = bad[: chance.randrange(len(good))]
        else:
            bit = chance.randrange(8 * len(good))
            bad[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bad)
        try:
            found, read = read_factors(path)
        except BadDataError:
            refused += 1
        else:  # a digit of the facts
            assert found.tensors_sha256 == expected.tensors_sha256
            np.testing.assert_array_equal(read.rows[0].factor, rows()[0].factor)
    assert refused > 75


@pytest.mark.parametrize("content", [b"", b"nonsense" * 50, b"\xff" * 8])
def test_s02_foreign_files_are_refused(tmp_path, content):
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(BadDataError, match="not factors of robotid"):
        read_factors(tmp_path / "x.safetensors")


def test_wrong_shapes_are_refused(tmp_path):
    wrong = [rows()[0]._replace(factor=np.zeros((2, 5))), rows()[1]]
    with pytest.raises(BadDataError, match="row j have shapes"):
        write_factors(tmp_path, facts(), tensors(wrong))
    wrong = [rows()[0]._replace(torque=np.zeros((2, 3), dtype=np.float32)), rows()[1]]
    with pytest.raises(BadDataError, match="not all float64"):
        write_factors(tmp_path, facts(), tensors(wrong))


@pytest.mark.parametrize(
    "change",
    [
        {"whole": [np.zeros(6), np.zeros(4)]},
        {"extremes": np.zeros((3, 8, 2))},
        {"extremes": np.zeros((2, 8, 2), dtype=np.float32)},
        {"extremes": np.zeros((2, 7, 2))},
        {"extremes": np.zeros(2)},
        {"middle": {"t": np.zeros(4), "q.j": np.zeros(5)}},
        {"middle": {"t": np.zeros((5, 1)), "q.j": np.zeros((5, 1))}},
        {"middle": {"q.j": np.zeros(5)}},
    ],
    ids=str,
)
def test_tensors_that_do_not_fit_together_are_refused(tmp_path, change):
    write_factors(tmp_path, facts(), tensors()._replace(**change))
    with pytest.raises(BadDataError, match="do not fit together"):
        read_factors(tmp_path / "factors.safetensors")


def test_no_more_than_64_blocks():
    with pytest.raises(ValueError, match="at most 64"):
        facts(65)


def test_index(tmp_path):
    write_index(tmp_path, {"a": facts(), "b": facts()}, {"a": "train", "b": "test", "c": "val"})
    index = read_index(tmp_path)
    assert index.splits == {"a": "train", "b": "test"}
    assert index.about == ABOUT
    text = (tmp_path / "factors.json").read_text()
    (tmp_path / "factors.json").write_text(text.replace('"b": "test"', '"z": "test"'))
    with pytest.raises(BadDataError, match="do not name the same"):
        read_index(tmp_path)
