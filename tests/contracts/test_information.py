"""The information of a fit goes to a file and back, and damage is seen."""

import numpy as np
import pytest

from robotid.contracts.information import (
    Information,
    InformationFacts,
    read_information,
    write_information,
)
from robotid.errors import BadDataError


def information(**changed):
    facts = {
        "robot": "arm",
        "geometry_sha256": "0" * 64,
        "parameters": ["a", "b", "c"],
        "noise": {"j1": 0.5},
        "independent": 0.25,
        "count": 100,
    }
    R = np.triu(np.random.default_rng(0).normal(size=(3, 3)))
    return Information(InformationFacts(**facts | changed), R, np.arange(3.0), 2.0)


def test_same_numbers_come_back(tmp_path):
    given = information()
    for name in ("one", "two"):
        write_information(tmp_path / name, given)
    found = read_information(tmp_path / "one")
    np.testing.assert_array_equal(found.R, given.R)
    np.testing.assert_array_equal(found.z, given.z)
    assert found.rho == 2.0
    assert found.facts.model_copy(update={"tensors_sha256": ""}) == given.facts
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_damage_is_seen(tmp_path):
    path = tmp_path / "information.safetensors"
    write_information(path, information())
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadDataError, match="not what was written"):
        read_information(path)
    path.write_bytes(data[:-8])
    with pytest.raises(BadDataError, match="not the information of a fit"):
        read_information(path)
    with pytest.raises(BadDataError, match="not the information of a fit"):
        read_information(tmp_path / "none")


def test_what_does_not_fit_together_is_refused(tmp_path):
    path = tmp_path / "information.safetensors"
    with pytest.raises(BadDataError, match="R has shape"):
        write_information(path, information(parameters=["a", "b"]))
    with pytest.raises(BadDataError, match="no standard deviation"):
        write_information(path, information(noise={"j1": 0.0}))
    with pytest.raises(BadDataError, match="z is not finite"):
        write_information(path, information()._replace(z=np.full(3, np.nan)))
