"""Digests are remembered exactly as long as nothing could have changed."""

import errno
import hashlib
import mmap
import os

import pytest

from robotid.store import digests as module
from robotid.store.digests import Digests
from robotid.store.files import FileFact
from robotid.store.store import Store


@pytest.fixture
def store(cache):
    cache.mkdir(mode=0o700)
    return Store(cache)


@pytest.fixture
def read(monkeypatch, tmp_path):
    """The files that are read; files count as settled at once, and as being on a local disk."""
    seen, hash_file = [], module.hash_file
    monkeypatch.setattr(module, "_SETTLED_S", 0.0)
    monkeypatch.setattr(module, "_local_devices", lambda: {tmp_path.stat().st_dev})
    monkeypatch.setattr(
        module, "hash_file", lambda path, **how: (seen.append(path.name), hash_file(path, **how))[1]
    )
    return seen


def fact_of(content):
    return FileFact(len(content), hashlib.sha256(content).hexdigest())


def asked(store, *paths):
    digests = Digests(store)
    found = [digests.fact(path) for path in paths]
    digests.save()
    return found


def test_a_file_is_read_once(store, tmp_path, read):
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_text(path.name)
    for _ in range(3):
        assert asked(store, *paths) == [fact_of(b"a"), fact_of(b"b")]
    assert read == ["a", "b"]


@pytest.mark.parametrize("how", ["write", "replace", "rename", "link", "append", "truncate"])
def test_c27_c28_a_change_that_times_and_size_do_not_show_is_seen(store, tmp_path, read, how):
    """The time of the last change of any kind cannot be set back."""
    path, other = tmp_path / "log.csv", tmp_path / "other"
    path.write_bytes(b"old")
    os.utime(path, (1e9, 1e9))
    asked(store, path)
    new = {"append": b"old!", "truncate": b"o"}.get(how, b"new")
    if how == "write":
        path.write_bytes(b"new")
    elif how == "append":
        with path.open("ab") as file:
            file.write(b"!")
    elif how == "truncate":
        os.truncate(path, 1)
    else:
        other.write_bytes(b"new")
        os.utime(other, (1e9, 1e9))
        if how == "link":
            path.unlink()
            path.symlink_to(other)
        else:
            other.replace(path)
    os.utime(path, (1e9, 1e9))
    assert asked(store, path) == [fact_of(new)]
    assert len(read) == 2


def test_c27_a_file_that_was_just_changed_is_not_remembered(store, tmp_path, read, monkeypatch):
    monkeypatch.setattr(module, "_SETTLED_S", 5.0)
    path = tmp_path / "log.csv"
    path.write_bytes(b"new")
    os.utime(path, (1e9, 1e9))  # as old as it pretends to be
    asked(store, path)
    asked(store, path)
    assert read == ["log.csv", "log.csv"]


@pytest.mark.parametrize("through", ["file", "map"])
def test_c27_a_file_that_somebody_may_be_writing_to_is_not_remembered(
    store, tmp_path, read, through
):
    """Of a page that was written to already, the kernel does not see the next write."""
    path = tmp_path / "log.csv"
    path.write_bytes(b"a" * 4096)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
        if through == "map":
            file.close()
            pages[0] = ord("b")
        before = path.stat()
        asked(store, path)
        pages[0] = ord("c")
        after = path.stat()
        if through == "map":
            assert before.st_ctime_ns == after.st_ctime_ns  # else this test shows nothing
        assert asked(store, path) == [fact_of(b"c" + 4095 * b"a")]
    assert len(read) == 2


@pytest.mark.parametrize("step_s", [-7200.0, -2.0, 2.0, 7200.0])
def test_c26_nothing_is_known_once_the_clock_was_set(store, tmp_path, read, monkeypatch, step_s):
    path, clock = tmp_path / "log.csv", module.time.time
    path.write_bytes(b"a")
    asked(store, path)
    asked(store, path)
    assert len(read) == 1
    monkeypatch.setattr(module.time, "time", lambda: clock() + step_s)
    asked(store, path)
    assert len(read) == 2


@pytest.mark.parametrize("what", ["boot", "network", "not the owner"])
def test_nothing_is_known_where_times_may_not_tell(store, tmp_path, read, monkeypatch, what):
    """After a restart, over a network, of files of others."""
    path, boot = tmp_path / "log.csv", tmp_path / "boot_id"
    path.write_bytes(b"a")
    boot.write_text("first")
    monkeypatch.setattr(module, "_BOOT", boot)
    if what == "network":
        monkeypatch.setattr(module, "_local_devices", lambda: {path.stat().st_dev + 1})
    if what == "not the owner":
        denied = PermissionError(errno.EACCES, "no lease")
        monkeypatch.setattr(module.fcntl, "fcntl", lambda *_: (_ for _ in ()).throw(denied))
    asked(store, path)
    boot.write_text("second" if what == "boot" else "first")
    asked(store, path)
    assert len(read) == 2


def test_local_disks_are_told_from_what_is_mounted(tmp_path, monkeypatch):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
        "28 27 0:25 / /dev/shm rw - tmpfs tmpfs rw\n"
        "29 27 0:31 / /data rw shared:3 - nfs4 server:/data rw\n"
        "30 27 8:17 / /disk/with\\040space rw - xfs /dev/sdb1 rw\n"
        "31 27 8:33 / /stick rw - vfat /dev/sdc1 rw\n"
    )
    monkeypatch.setattr(module, "_MOUNTS", mounts)
    assert module._local_devices() == {os.makedev(254, 0), os.makedev(8, 17)}
    mounts.unlink()
    assert module._local_devices() == set()


def test_c29_a_file_that_changes_while_it_is_read_is_not_remembered(
    store, tmp_path, read, monkeypatch
):
    path, hash_file = tmp_path / "log.csv", module.hash_file
    path.write_bytes(b"old")

    def growing(given, **how):
        found = hash_file(given, **how)
        path.write_bytes(b"newer")
        return found

    monkeypatch.setattr(module, "hash_file", growing)
    asked(store, path)
    monkeypatch.setattr(module, "hash_file", hash_file)
    assert asked(store, path) == [fact_of(b"newer")]


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b"[" * 100_000, None])
def test_damaged_notes_count_as_none(store, tmp_path, read, damage):
    path = tmp_path / "log.csv"
    path.write_bytes(b"a")
    asked(store, path)
    (note,) = (store.root / "digests").iterdir()
    content = note.read_bytes()
    other = fact_of(b"b").sha256
    note.write_bytes(content.replace(fact_of(b"a").sha256.encode(), other.encode()) if damage is None else damage)  # fmt: skip
    assert asked(store, path) == [fact_of(b"a")]
    assert len(read) == 2


def test_nothing_is_remembered_without_a_lasting_store(store, tmp_path, read):
    path = tmp_path / "log.csv"
    path.write_bytes(b"a")
    for none in (None, Store(store.root, lasting=False), Store(store.root, readonly=True)):
        asked(none, path)
    assert len(read) == 3
    assert not (store.root / "digests").exists()
