"""Training data of a fit go to a file and back, and damage is seen."""

import numpy as np
import pytest

from robotid.contracts.fit_data import TrainedRecording
from robotid.contracts.training import Training, TrainingFacts, read_training, write_training
from robotid.errors import BadDataError
from tests.contracts.test_factors import ABOUT, rows

RECORDINGS = [
    TrainedRecording(name=name, source_sha256=name * 64, samples=10) for name in ("a", "b")
]


def training(blocks=1):
    facts = TrainingFacts(about=ABOUT, independent=0.5, recordings=RECORDINGS)
    return Training(facts, rows(blocks))


def test_same_numbers_come_back(tmp_path):
    for name in ("one", "two"):
        write_training(tmp_path / name, training())
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    found = read_training(tmp_path / "one")
    assert found.facts.model_copy(update={"tensors_sha256": ""}) == training().facts
    assert found.facts.samples == 20
    for ours, theirs in zip(training().rows, found.rows, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


def test_damage_is_seen(tmp_path):
    path = tmp_path / "training.safetensors"
    write_training(path, training())
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadDataError, match="not what was written"):
        read_training(path)
    path.write_bytes(data[:-8])
    with pytest.raises(BadDataError, match="not the training data of a fit"):
        read_training(path)
    with pytest.raises(BadDataError, match="not the training data of a fit"):
        read_training(tmp_path / "none")
    with pytest.raises(BadDataError, match="tensors of row j have shapes"):
        write_training(path, training(blocks=2))
