"""What is no readable file at all, whatever its format would be."""

import errno
import os
import re
import socket
from pathlib import Path

import numpy as np
import pytest

from robotid.errors import RobotidError
from robotid.logs.formats import open_log
from tests.logs import bags
from tests.logs.opening import read_all, refused


def exit_code(path):
    with pytest.raises(RobotidError) as caught:
        open_log(path)
    return caught.value.exit_code, caught.value.notice.code


def test_b01_b02_missing_and_folder(tmp_path):
    assert exit_code(tmp_path / "none.csv") == (66, "not-found")
    assert exit_code(tmp_path / "none" / "log.csv") == (66, "not-found")
    assert exit_code(tmp_path) == (66, "not-a-log")
    (tmp_path / "file").touch()
    assert exit_code(tmp_path / "file" / "log.csv") == (66, "not-found")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_b03_no_permission(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("t,q\n0,1\n")
    path.chmod(0)
    assert exit_code(path) == (77, "not-allowed")


def test_b14_b15_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    assert exit_code(tmp_path / "fifo") == (65, "not-a-file")
    assert exit_code(Path("/dev/zero")) == (65, "not-a-file")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "socket"))
        assert exit_code(tmp_path / "socket") == (65, "not-a-file")
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert exit_code(tmp_path / "a") == (66, "not-found")


class Failing:
    """A file on a disk that fails behind some byte."""

    def __init__(self, file, good):
        self._file, self._good = file, good

    def read(self, *size):
        if self._file.tell() >= self._good:
            raise OSError(errno.EIO, "Input/output error")
        return self._file.read(*size)

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()


@pytest.mark.parametrize("name", ["log.csv", "log.mcap", "log.bag", "log.npy"])
def test_b18_disk_that_fails_under_way(tmp_path, monkeypatch, name):
    path = tmp_path / name
    if name == "log.csv":
        path.write_text("t,q\n" + "0.125,0.25\n" * 300_000)
    elif name == "log.npy":
        np.save(path, np.zeros((1 << 21, 2)))
    elif name == "log.mcap":
        path.write_bytes(bags.mcap_bytes(bags.states(bags.ROS2, 100) * 40, 100))
    else:
        bags.write_rosbag1(path, {"/j": (bags.TYPE, bags.states(bags.ROS1, 100) * 40)}, None, 9999)
    opened = Path.open
    good = path.stat().st_size // 2

    def open_failing(self, *args, **options):
        return Failing(opened(self, *args, **options), good)

    assert read_all(path).positions
    monkeypatch.setattr(Path, "open", open_failing)
    with pytest.raises(RobotidError) as caught:
        read_all(path)
    assert (caught.value.exit_code, caught.value.notice.code) == (74, "io-error")
    assert caught.value.notice.file == str(path)
    if name != "log.npy":
        at = int(re.search(r"at byte (\d+)", caught.value.notice.message)[1])
        assert good <= at < good + (1 << 20)


def test_b48_b49_columns_of_other_files(tmp_path):
    """Columns are found by name: their order is free, and one that is missing names the file."""
    one, other, third = (tmp_path / name for name in ("one.csv", "other.csv", "third.csv"))
    one.write_text("t,q,tau\n0,1,2\n1,3,4\n")
    other.write_text("tau,t,extra,q\n2,0,9,1\n4,1,9,3\n")
    third.write_text("t,tau\n0,2\n")
    wanted = ["t", "q", "tau"]
    first, second = read_all(one, columns=wanted), read_all(other, columns=wanted)
    for name in wanted:
        np.testing.assert_array_equal(first.columns[name], second.columns[name])
    notice = refused(third, columns=wanted)
    assert (notice.code, notice.file) == ("no-such-column", str(third))
    assert "'q'" in notice.message
