"""What was verified a short time ago is handed out unread, unless it shows any change."""

import os

import pytest

from robotid.store import store as module
from robotid.store import vouching
from robotid.store.store import Store
from robotid.store.vouching import Vouching


@pytest.fixture
def store(cache):
    return Store(cache)


@pytest.fixture
def entry(store):
    with store.workspace() as space:
        (space / "r").mkdir()
        (space / "r" / "a.txt").write_text("alpha")
        (space / "r" / "b.txt").write_text("beta")
        return store.commit(store.seal({"format": 1, "stage": "emit"}, space / "r"), space / "r")


@pytest.fixture
def read(monkeypatch):
    seen, hash_file = [], module.hash_file
    monkeypatch.setattr(
        module, "hash_file", lambda path: (seen.append(path.name), hash_file(path))[1]
    )
    return seen


def sound(store, entry):
    vouching = Vouching(store)
    found = vouching.sound(entry)
    vouching.save()
    return found


def test_files_are_read_once_a_day(store, entry, read, monkeypatch):
    assert sound(store, entry)
    assert sound(store, entry)
    assert read == ["a.txt", "b.txt"]
    monkeypatch.setattr(vouching.time, "time", lambda: entry.path.stat().st_mtime + 25 * 3600)
    assert sound(store, entry)
    assert len(read) == 4


def test_links_of_a_verified_file_are_verified(store, entry, read):
    """As the recordings of a dataset are to which one was added."""
    sound(store, entry)
    with store.workspace() as space:
        (space / "r").mkdir()
        fact = store.adopt(entry, "a.txt", space / "r" / "x.txt", verify=False)
        (space / "r" / "new.txt").write_text("new")
        record = {"format": 1, "stage": "emit", "more": 1}
        other = store.commit(store.seal(record, space / "r", adopted={"x.txt": fact}), space / "r")
    read.clear()
    assert sound(store, other)
    assert read == ["new.txt"]


@pytest.mark.parametrize("cover", ["nothing", "time", "time and mode"])
def test_c05_a_changed_file_is_noticed(store, entry, cover):
    sound(store, entry)
    path = entry.path / "a.txt"
    before = path.stat()
    path.chmod(0o644)
    path.write_text("Alpha")
    if "time" in cover:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    if "mode" in cover:
        path.chmod(before.st_mode)
    assert not sound(store, entry)
    assert store.find("emit", entry.key) is None


def test_a_missing_file_is_noticed(store, entry):
    sound(store, entry)
    (entry.path / "a.txt").unlink()
    assert not sound(store, entry)


def test_a_clock_that_went_back_is_not_trusted(store, entry, read, monkeypatch):
    sound(store, entry)
    monkeypatch.setattr(vouching.time, "time", lambda: 1e9)
    assert sound(store, entry)
    assert len(read) == 4
