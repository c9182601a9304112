"""Copies for users: verified, whole, and never in the way of what is there."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from robotid.errors import (
    ExitCode,
    RobotidError,
    StorageError,
    TemporaryError,
    UnsafePathError,
    UsageError,
)
from robotid.store import delivery, files
from robotid.store.delivery import check_target, deliver
from robotid.store.store import EntryDamagedError

from .conftest import FILES


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.name != "manifest.json"
    }


def test_copy_is_complete_and_independent(store, commit, tmp_path):
    entry = commit(store)
    target = tmp_path / "new" / "out"
    deliver(store, entry, target)
    assert content(target) == FILES
    assert (target / "data.bin").stat().st_nlink == 1
    assert (target / "data.bin").stat().st_mode & 0o200  # the user's own file, writable
    shutil.rmtree(store.root)
    assert content(target) == FILES


def test_copy_into_an_empty_folder(store, commit, tmp_path):
    (tmp_path / "out").mkdir()
    deliver(store, commit(store), tmp_path / "out")
    assert content(tmp_path / "out") == FILES


def test_r34_same_content_is_left_untouched(store, commit, tmp_path):
    entry = commit(store)
    deliver(store, entry, tmp_path / "out")
    before = (tmp_path / "out" / "a.json").stat()
    deliver(store, entry, tmp_path / "out")
    after = (tmp_path / "out" / "a.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_same_bytes_from_another_key_only_change_the_manifest(store, commit, tmp_path):
    deliver(store, commit(store, seed=1), tmp_path / "out")
    before = (tmp_path / "out" / "a.json").stat()
    second = commit(store, seed=2)
    deliver(store, second, tmp_path / "out")
    assert (tmp_path / "out" / "a.json").stat().st_mtime_ns == before.st_mtime_ns
    assert (tmp_path / "out" / "manifest.json").read_bytes() == second.manifest.to_bytes()


def test_r34_other_content_is_refused_without_force(store, commit, tmp_path):
    deliver(store, commit(store, {"a": b"1"}, seed=1), tmp_path / "out")
    second = commit(store, {"b": b"2"}, seed=2)
    with pytest.raises(UsageError, match="another result"):
        deliver(store, second, tmp_path / "out")
    assert content(tmp_path / "out") == {"a": b"1"}
    deliver(store, second, tmp_path / "out", force=True)
    assert content(tmp_path / "out") == {"b": b"2"}
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_c39_replacing_without_exchange(store, commit, tmp_path, monkeypatch):
    """Where the system has no exchange of two folders, two renames do."""
    monkeypatch.setattr(delivery.ctypes, "CDLL", lambda _: object())
    deliver(store, commit(store, {"a": b"1"}, seed=1), tmp_path / "out")
    second = commit(store, {"b": b"2"}, seed=2)
    rename = Path.rename

    def broken(self, target):
        if self.name == "copy":
            raise OSError(5, "Input/output error")
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", broken)
        with pytest.raises(OSError, match="Input/output"):
            deliver(store, second, tmp_path / "out", force=True)
    assert content(tmp_path / "out") == {"a": b"1"}  # the old result is back in its place
    deliver(store, second, tmp_path / "out", force=True)
    assert content(tmp_path / "out") == {"b": b"2"}


@pytest.mark.parametrize("force", [True, False])
def test_r18_another_run_may_be_faster(store, commit, tmp_path, monkeypatch, force):
    """Its folder appears after this one looked: the same bytes are fine, others are refused."""
    entry, other, out = commit(store), commit(store, {"b": b"2"}, seed=2), tmp_path / "out"
    put = delivery._put

    def late(copy, target, faster):
        monkeypatch.setattr(delivery, "_put", put)
        deliver(store, faster, target)
        put_without_looking = copy.rename
        put_without_looking(target)

    monkeypatch.setattr(delivery, "_put", lambda copy, target: late(copy, target, entry))
    deliver(store, entry, out, force=force)
    assert content(out) == content(entry.path)
    monkeypatch.setattr(delivery, "_put", lambda copy, target: late(copy, target, other))
    if force:
        deliver(store, entry, tmp_path / "second", force=True)
        assert content(tmp_path / "second") == content(entry.path)
    else:
        with pytest.raises(UsageError, match="another result"):
            deliver(store, entry, tmp_path / "second")
        assert content(tmp_path / "second") == {"b": b"2"}


def test_an_output_that_always_changes_is_busy(store, commit, tmp_path, monkeypatch):
    def never(copy, target):
        raise OSError(errno.ENOTEMPTY, "Directory not empty")

    monkeypatch.setattr(delivery, "_put", never)
    with pytest.raises(TemporaryError, match="another run"):
        deliver(store, commit(store), tmp_path / "out")


def test_edited_output_is_not_taken_for_the_same(store, commit, tmp_path):
    entry = commit(store)
    deliver(store, entry, tmp_path / "out")
    (tmp_path / "out" / "a.json").write_bytes(b'{"x": 2}')
    with pytest.raises(UsageError, match="another result"):
        deliver(store, entry, tmp_path / "out")


@pytest.mark.parametrize("force", [False, True])
def test_foreign_folder_is_never_touched(store, commit, tmp_path, force):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match=r"did not write: thesis\.tex"):
        check_target(tmp_path / "out")
    with pytest.raises(UsageError, match=r"did not write: thesis\.tex"):
        deliver(store, commit(store), tmp_path / "out", force=force)


def test_foreign_file_in_an_output_is_never_removed(store, commit, tmp_path):
    deliver(store, commit(store, seed=1), tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"did not write: notes\.txt"):
        deliver(store, commit(store, {"b": b"2"}, seed=2), tmp_path / "out", force=True)
    assert (tmp_path / "out" / "notes.txt").exists()


@pytest.mark.parametrize("force", [False, True])
def test_a_result_in_another_is_refused(store, commit, tmp_path, force):
    """As where a sweep is delivered over what the pipeline gave without it, or the other way."""
    entry, other = commit(store, seed=1), commit(store, {"b": b"2"}, seed=2)
    deliver(store, entry, tmp_path / "fit")
    with pytest.raises(UsageError, match="in the folder of another result"):
        deliver(store, other, tmp_path / "fit" / "seed=0" / "model=sdp", force=force)
    assert not (tmp_path / "fit" / "seed=0").exists()
    deliver(store, other, tmp_path / "filter" / "cutoff=5.0")
    with pytest.raises(UsageError, match=r"holds other results: cutoff=5\.0"):
        deliver(store, entry, tmp_path / "filter", force=force)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "manifest.json").write_text("{}")  # somebody else's
    deliver(store, entry, tmp_path / "mine" / "fit")


def test_s13_link_at_the_output_is_refused(store, commit, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    with pytest.raises(UnsafePathError, match="symbolic link"):
        deliver(store, commit(store), tmp_path / "out")
    assert list((tmp_path / "real").iterdir()) == []


def test_file_at_the_output_is_refused(tmp_path):
    (tmp_path / "out").write_text("x")
    with pytest.raises(UsageError, match="not a folder"):
        check_target(tmp_path / "out")
    with pytest.raises(UnsafePathError, match="cannot write"):
        check_target(tmp_path / "out" / "below")


def test_unwritable_place_is_told_before_any_work():
    with pytest.raises(UnsafePathError, match="cannot write"):
        check_target(Path("/proc/robotid/out"))


def test_c20_full_disk_at_the_output_is_no_matter_of_permission(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(StorageError, match="No space left") as caught:
        check_target(tmp_path / "out")
    assert caught.value.notice.code == "disk-full"


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
@pytest.mark.parametrize("reader", ["read_manifest", "list_files", "hash_file"])
def test_c20_what_cannot_be_read_now_is_not_told_as_a_strangers(
    store, commit, tmp_path, monkeypatch, reader, number
):
    """Out of files, or a disk that stumbles, while the output is looked at."""
    deliver(store, commit(store), tmp_path / "out")

    def fails(*_, **__):
        raise OSError(number, "no")

    monkeypatch.setattr(delivery, reader, fails)
    with pytest.raises(RobotidError) as told:
        deliver(store, commit(store), tmp_path / "out")
    assert told.value.exit_code in (ExitCode.IO, ExitCode.TEMPORARY)


def test_c20_running_out_of_files_does_not_cost_an_entry(store, commit, tmp_path, monkeypatch):
    entry = commit(store)

    def fails(*_, **__):
        raise OSError(errno.EMFILE, "no")

    with monkeypatch.context() as patch:
        patch.setattr(files, "_open_regular", fails)
        with pytest.raises(OSError, match="no"):
            deliver(store, entry, tmp_path / "out")
    assert entry.path.exists()


@pytest.mark.parametrize("damage", [lambda data: b"damaged", lambda data: data[:-1] + b"!"])
def test_damaged_entry_is_never_delivered(store, commit, tmp_path, damage):
    entry = commit(store)
    data = (entry.path / "data.bin").read_bytes()
    (entry.path / "data.bin").unlink()
    (entry.path / "data.bin").write_bytes(damage(data))
    with pytest.raises(EntryDamagedError):
        deliver(store, entry, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert store.notices[0].code == "cache-damaged"
    assert [p for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_r33_old_output_is_kept_when_writing_fails(store, commit, tmp_path, monkeypatch):
    deliver(store, commit(store, {"a": b"1"}, seed=1), tmp_path / "out")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(delivery, "write_synced", full)
    with pytest.raises(OSError, match="No space"):
        deliver(store, commit(store, {"b": b"2"}, seed=2), tmp_path / "out", force=True)
    assert content(tmp_path / "out") == {"a": b"1"}
    assert [p for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_r23_modes_of_the_copy_follow_the_umask(store, commit, tmp_path):
    old = os.umask(0o027)
    try:
        deliver(store, commit(store), tmp_path / "out")
    finally:
        os.umask(old)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "out" / "a.json").stat().st_mode & 0o777 == 0o640
