"""A disk that fails while a result is read is not damage of the result."""

import errno
import os
from pathlib import Path

import pytest

from robotid.contracts import excitation, factors, information, recording, residuals
from robotid.errors import BadDataError, StorageError, TemporaryError

READERS = {
    "recording": (lambda path: recording.read_recording(path), recording.pq, "read_table"),
    "factors": (lambda path: factors.read_factors(path), factors, "safe_open"),
    "information": (lambda path: information.read_information(path), information, "safe_open"),
    "residuals": (lambda path: residuals.read_residuals(path), residuals.pq, "read_table"),
    "excitation": (lambda path: excitation.read_excitation(path), Path, "read_bytes"),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.EIO, StorageError),
        (errno.ESTALE, StorageError),
        (errno.EINTR, StorageError),
        (errno.EMFILE, TemporaryError),
        (errno.EINVAL, BadDataError),
    ],
)
def test_c19_c22_trouble_keeps_its_exit_code(tmp_path, monkeypatch, name, number, kind):
    read, owner, function = READERS[name]

    def fails(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(owner, function, fails)
    with pytest.raises(kind):
        read(tmp_path)


@pytest.mark.parametrize("name", READERS)
def test_c19_a_close_that_fails_without_a_number_is_trouble_of_the_disk(
    tmp_path, monkeypatch, name
):
    read, owner, function = READERS[name]

    def fails(*_, **__):
        raise OSError("error closing file")

    monkeypatch.setattr(owner, function, fails)
    with pytest.raises(StorageError, match="error closing file") as caught:
        read(tmp_path)
    assert str(tmp_path) in caught.value.notice.file
