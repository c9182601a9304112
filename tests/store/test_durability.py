"""What is on disk before a name shows it: a power cut cannot be staged, the order of calls can."""

import errno
import os
from pathlib import Path

import pytest

from robotid.store.delivery import deliver
from tests.store.conftest import FILES


def _place(fd):
    return str(Path(f"/proc/self/fd/{fd}").readlink())


@pytest.fixture
def calls(monkeypatch):
    """Every fsync and rename from now on, in order, with the place it is about."""
    seen = []
    fsync, rename = os.fsync, os.rename

    def watched_fsync(fd):
        fsync(fd)
        seen.append(("fsync", _place(fd)))

    def watched_rename(source, target, **more):
        rename(source, target, **more)
        seen.append(("rename", str(source), str(target)))

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "rename", watched_rename)
    return seen


def _shown(calls, target):
    """The call that gives a folder its final name: its number, and the name before."""
    number = next(
        i for i, call in enumerate(calls) if call[0] == "rename" and call[2] == str(target)
    )
    return number, Path(calls[number][1])


def test_c03_all_of_an_entry_is_on_disk_before_it_is_shown(store, commit, calls):
    entry = commit(store)
    number, before = _shown(calls, entry.path)
    for name in (*FILES, "manifest.json", "deep", ""):
        assert ("fsync", str(before / name)) in calls[:number], name
    manifest = calls.index(("fsync", str(before / "manifest.json")))
    for name in FILES:
        assert calls.index(("fsync", str(before / name))) < manifest


def test_c03_the_name_of_an_entry_is_on_disk_before_it_counts(store, commit, calls):
    entry = commit(store)
    number, _ = _shown(calls, entry.path)
    assert ("fsync", str(entry.path.parent)) in calls[number:]


def test_r33_all_of_a_copy_is_on_disk_before_it_is_shown(store, commit, calls, tmp_path):
    entry = commit(store)
    calls.clear()
    deliver(store, entry, tmp_path / "out")
    number, before = _shown(calls, tmp_path / "out")
    for name in (*FILES, "manifest.json", "deep", ""):
        assert ("fsync", str(before / name)) in calls[:number], name
    assert ("fsync", str(tmp_path)) in calls[number:]


@pytest.mark.parametrize("name", [*FILES, "manifest.json", "deep"])
def test_c19_c20_what_does_not_reach_the_disk_is_not_kept(store, commit, monkeypatch, name):
    """An error of fsync is the last chance to hear of a failed write."""
    fsync, met = os.fsync, []

    def failing(fd):
        if _place(fd).endswith(f"result/{name}"):
            met.append(name)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="Input/output"):
        commit(store)
    assert met == [name]
    assert not list(store.root.glob("entries/*/*/*"))
    assert not list((store.root / "tmp").iterdir())


def test_c19_a_rename_that_fails_is_an_error(store, commit, monkeypatch):
    rename = os.rename

    def failing(source, target, **more):
        if "entries" in str(target):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(source, target, **more)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="cross-device"):
        commit(store)
    assert not list(store.root.glob("entries/*/*/*"))
