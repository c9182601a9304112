"""The store: what is committed is served, and nothing else ever is."""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_store
import pytest

from robotid.errors import Effect, Notice, StorageError, UnsafePathError
from robotid.store.canonical import canonical, digest
from robotid.store.store import EntryDamagedError, Store

from .conftest import FILES, record

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_committed_files_are_served(store, commit, read):
    entry = commit(store)
    found = store.find("made", digest(record()))
    assert found == entry
    assert read(store, found) == FILES
    assert check_store.check(store.root) == (1, [])


def test_other_record_other_entry(store, commit):
    commit(store, seed=1)
    assert store.find("made", digest(record(seed=2))) is None


def test_notices_come_back(store, commit):
    lost = Notice(code="lost", message="gone", line=3, time=1.5, effect=Effect.DATA_LOST)
    commit(store, notices=[lost])
    assert store.find("made", digest(record())).manifest.notices == (lost,)


def test_content_digest_does_not_depend_on_the_key(store, commit):
    assert commit(store, seed=1).manifest.content == commit(store, seed=2).manifest.content


def test_empty_result_and_odd_names(store, commit, read):
    odd = {"with space": b"1", "new\nline": b"2", "ünï": b"3", os.fsdecode(b"\xff"): b"4"}
    assert read(store, commit(store, {}, seed=0)) == {}
    assert read(store, commit(store, odd, seed=1)) == odd
    assert check_store.check(store.root)[1] == []


def test_stage_may_not_write_a_manifest(store, commit):
    with pytest.raises(ValueError, match=r"manifest\.json"):
        commit(store, {"manifest.json": b""})


def test_result_with_symlink_is_refused(store):
    with store.workspace() as space:
        (space / "result").mkdir()
        (space / "result" / "link").symlink_to("/etc/passwd")
        with pytest.raises(OSError, match="neither a regular file"):
            store.seal(record(), space / "result")


def test_workspace_is_removed_also_after_an_error(store):
    def broken():
        with store.workspace() as space:
            (space / "x").write_text("x")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        broken()
    assert list((store.root / "tmp").iterdir()) == []


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
def test_c05_c06_every_flipped_byte_is_noticed(store, commit, read, name):
    """Small files at every byte, the manifest at every third, the larger one at every hundredth."""
    said = (Notice(code="x", message="what was found"),)
    size = len((commit(store, notices=said).path / name).read_bytes())
    for position in range(0, size, 1 if size < 500 else 3 if size < 2000 else 97):
        entry = commit(store, notices=said)
        path = entry.path / name
        data = bytearray(path.read_bytes())
        data[position] ^= 1 << (position % 8)
        path.unlink()
        path.write_bytes(data)
        served = store.find("made", entry.key)
        if served is not None:
            with pytest.raises(EntryDamagedError):
                read(store, served)
        assert store.find("made", entry.key) is None, position
        assert not entry.path.exists()
        assert store.notices[-1].code == "cache-damaged"
        shutil.rmtree(store.root / "quarantine")
        store.notices.clear()


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
def test_c04_every_truncation_is_noticed(store, commit, read, name):
    size = len((commit(store).path / name).read_bytes())
    for percent in range(100):
        entry = commit(store)
        path = entry.path / name
        path.chmod(0o644)
        os.truncate(path, size * percent // 100)
        served = store.find("made", entry.key)
        if served is not None:
            with pytest.raises(EntryDamagedError):
                read(store, served)
        assert store.find("made", entry.key) is None


def test_damaged_bytes_are_kept_as_evidence(store, commit, read):
    entry = commit(store)
    (entry.path / "a.json").unlink()
    (entry.path / "a.json").write_bytes(b"damaged!")
    with pytest.raises(EntryDamagedError):
        read(store, entry)
    (kept,) = (store.root / "quarantine").iterdir()
    assert (kept / "a.json").read_bytes() == b"damaged!"
    assert str(kept) in store.notices[0].hint
    assert commit(store).path == entry.path  # and the place is free again


def _rewrite(entry, change):
    """Give an entry a manifest that is valid in itself but changed."""
    path = entry.path / "manifest.json"
    body = json.loads(path.read_bytes())
    del body["check"]
    change(body)
    path.unlink()
    path.write_bytes(canonical({**body, "check": digest(body)}))


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.update(format=2),
        lambda body: body.update(format="1"),
        lambda body: body.update(key="0" * 64),
        lambda body: body["record"].update(seed=9),
        lambda body: body.pop("files"),
        lambda body: body.update(files=[]),
        lambda body: body["files"].update({"../../x": {"size": 1, "sha256": "0"}}),
        lambda body: body["files"].update({"/etc/passwd": {"size": 1, "sha256": "0"}}),
        lambda body: body.update(notices=[{"code": 1}]),
    ],
    ids=["newer", "text", "key", "record", "nofiles", "list", "above", "absolute", "notices"],
)
def test_c07_strange_manifest_is_a_miss(store, commit, change):
    entry = commit(store)
    _rewrite(entry, change)
    assert store.find("made", entry.key) is None


@pytest.mark.parametrize(
    "raw", [b"", b"null", b"[]", b"{", b"\xff\xfe", b"[" * 5000, b'{"check": 1}', b"0" * 10_000]
)
def test_c07_garbage_manifest_is_a_miss(store, commit, raw):
    entry = commit(store)
    (entry.path / "manifest.json").unlink()
    (entry.path / "manifest.json").write_bytes(raw)
    assert store.find("made", entry.key) is None


def test_c08_missing_file_is_noticed_and_extra_file_ignored(store, commit, read):
    entry = commit(store)
    (entry.path / "extra").write_text("not ours")
    assert read(store, entry) == FILES
    (entry.path / "data.bin").unlink()
    with pytest.raises(EntryDamagedError):
        read(store, entry)


def test_missing_manifest_is_noticed(store, commit):
    entry = commit(store)
    (entry.path / "manifest.json").unlink()
    assert store.find("made", entry.key) is None
    assert not entry.path.exists()


def test_c09_entry_that_is_a_link_is_not_followed(store, commit, tmp_path):
    entry = commit(store)
    outside = tmp_path / "outside"
    shutil.move(entry.path, outside)
    entry.path.symlink_to(outside)
    assert store.find("made", entry.key) is None
    assert (outside / "manifest.json").exists()
    assert commit(store).path == entry.path


def test_c09_file_of_an_entry_that_is_a_link_is_not_followed(store, commit, read, tmp_path):
    entry = commit(store)
    shutil.move(entry.path / "a.json", tmp_path / "a.json")
    (entry.path / "a.json").symlink_to(tmp_path / "a.json")
    with pytest.raises(EntryDamagedError):
        read(store, entry)


def test_c09_folder_of_the_cache_that_is_a_link_is_refused(store, commit, tmp_path):
    entry = commit(store)
    shutil.move(entry.path.parent, tmp_path / "shard")
    entry.path.parent.symlink_to(tmp_path / "shard")
    with pytest.raises(UnsafePathError, match="link"):
        store.find("made", entry.key)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give files away")
def test_c10_entry_of_another_user_is_not_read(store, commit):
    entry = commit(store)
    os.chown(entry.path, 12345, 12345)
    assert store.find("made", entry.key) is None
    entry = commit(store)
    os.chown(entry.path, 12345, 12345)
    assert Store(store.root, shared=True).find("made", entry.key) is not None


def test_c11_second_writer_uses_the_first_ones_bytes(store, commit):
    first, second = commit(store), commit(store)
    assert first == second
    assert store.notices == []


def test_c12_other_bytes_for_the_same_key_are_reported(store, commit, read):
    first = commit(store, {"a": b"first"})
    second = commit(store, {"a": b"second"})
    assert read(store, second) == {"a": b"first"} == read(store, first)
    assert [notice.code for notice in store.notices] == ["not-reproducible"]


def test_recompute_replaces_other_bytes(store, commit, read):
    commit(store, {"a": b"first"})
    second = commit(store, {"a": b"second"}, replace=True)
    assert read(store, second) == {"a": b"second"}
    assert len(list((store.root / "quarantine").iterdir())) == 1


@pytest.mark.parametrize("replace", [False, True])
def test_damaged_winner_is_not_used(store, commit, read, replace):
    """Its manifest is sound, its bytes are not."""
    entry = commit(store)
    (entry.path / "data.bin").unlink()
    (entry.path / "data.bin").write_bytes(b"damaged")
    assert read(store, commit(store, replace=replace)) == FILES
    assert [notice.code for notice in store.notices] == ["cache-damaged"]


def test_damaged_entry_that_cannot_be_moved_is_an_error(store, commit, monkeypatch):
    entry = commit(store)
    (entry.path / "data.bin").unlink()
    (entry.path / "data.bin").write_bytes(b"damaged")
    rename = Path.rename

    def immovable(self, target):
        if self == entry.path:
            raise OSError(1, "Operation not permitted")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", immovable)
    with pytest.raises(StorageError, match="neither be used nor moved"):
        commit(store)


def test_unreadable_entry_of_another_user_is_left_alone(store, commit, monkeypatch):
    """No permission is not damage: the entry may serve its owner well."""
    entry = commit(store)
    from robotid.store import store as module

    def forbidden(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(module, "read_manifest", forbidden)
    assert store.find("made", entry.key) is None
    assert entry.path.exists()
    assert [notice.code for notice in store.notices] == ["cache-unreadable"]


def test_commit_in_the_place_of_a_damaged_entry(store, commit, read):
    entry = commit(store)
    (entry.path / "manifest.json").unlink()
    (entry.path / "manifest.json").write_bytes(b"{}")
    assert read(store, commit(store)) == FILES


def test_c24_cache_deleted_under_way(store, commit, read):
    entry = commit(store)
    shutil.rmtree(store.root)
    assert store.find("made", entry.key) is None
    assert store.notices == []
    assert read(store, commit(store)) == FILES


def test_c13_reader_survives_removal(store, commit, tmp_path):
    """What was checked out stays readable when the entry goes."""
    entry = commit(store)
    into = tmp_path / "mine"
    into.mkdir()
    store.check_out(entry, into)
    shutil.rmtree(store.root / "entries")
    assert (into / "data.bin").read_bytes() == FILES["data.bin"]


def test_c19_read_error_is_a_miss(store, commit, read, monkeypatch):
    entry = commit(store)
    from robotid.store import store as module

    def broken(path, **_):
        raise OSError(5, "Input/output error", str(path))

    monkeypatch.setattr(module, "hash_file", broken)
    with pytest.raises(EntryDamagedError):
        read(store, entry)
    assert store.notices[0].code == "cache-damaged"


def test_c22_lack_of_file_handles_does_not_blame_the_entry(store, commit, read, monkeypatch):
    entry = commit(store)
    from robotid.store import store as module

    def broken(path, **_):
        raise OSError(24, "Too many open files", str(path))

    monkeypatch.setattr(module, "hash_file", broken)
    with pytest.raises(OSError, match="Too many"):
        read(store, entry)
    assert entry.path.exists()


def test_adopted_file_keeps_its_digest_and_damage_is_found_on_reading(store, commit, read):
    part = commit(store, {"part.txt": b"large"}, seed=1)

    def gather(verify):
        with store.workspace() as space:
            result = space / "result"
            result.mkdir()
            fact = store.adopt(part, "part.txt", result / "one.txt", verify=verify)
            sealed = store.seal(record(seed=2), result, adopted={"one.txt": fact})
            return store.commit(sealed, result)

    whole = gather(verify=False)
    assert read(store, whole) == {"one.txt": b"large"}
    (part.path / "part.txt").chmod(0o644)
    (part.path / "part.txt").write_bytes(b"LARGE")  # in place: both names see it
    with pytest.raises(EntryDamagedError):
        read(store, whole)
    with pytest.raises(EntryDamagedError):
        gather(verify=True)


def test_c39_copy_where_links_are_impossible_is_verified(store, commit, read, monkeypatch):
    from robotid.store import files

    def no_links(*_, **__):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(files.os, "link", no_links)
    part = commit(store, {"part.txt": b"large"}, seed=1)
    assert read(store, part) == {"part.txt": b"large"}
    with store.workspace() as space:
        assert store.adopt(part, "part.txt", space / "x", verify=False) is None  # seal it anew
    (part.path / "part.txt").unlink()
    (part.path / "part.txt").write_bytes(b"LARGE")
    with store.workspace() as space, pytest.raises(EntryDamagedError):
        store.adopt(part, "part.txt", space / "x", verify=False)


def test_s17_behind_is_read_and_never_written(store, commit, read, tmp_path):
    entry = commit(store, seed=1)
    listing = sorted(store.root.rglob("*"))
    front = Store(tmp_path / "front", behind=Store(store.root, readonly=True))
    assert read(front, front.find("made", entry.key)) == FILES
    commit(front, seed=2)
    assert sorted(store.root.rglob("*")) == listing


@pytest.mark.parametrize("name", ["a.json", "manifest.json"])
def test_damaged_entry_behind_is_left_in_place_and_not_used_again(
    store, commit, read, tmp_path, name
):
    entry = commit(store)
    (entry.path / name).unlink()
    (entry.path / name).write_bytes(b"damaged!")
    front = Store(tmp_path / "front", behind=Store(store.root, readonly=True))
    found = front.find("made", entry.key)
    assert (found is None) == (name == "manifest.json")
    if found is not None:
        with pytest.raises(EntryDamagedError):
            read(front, found)
    assert front.find("made", entry.key) is None
    assert (entry.path / name).read_bytes() == b"damaged!"


def test_c38_shared_store_is_group_writable(tmp_path, commit):
    old = os.umask(0o077)
    try:
        entry = commit(Store(tmp_path / "shared", shared=True))
    finally:
        os.umask(old)
    assert entry.path.stat().st_mode & 0o7777 == 0o2775
    assert (entry.path / "deep").stat().st_mode & 0o7777 == 0o2775
    for name in ("a.json", "manifest.json"):
        assert (entry.path / name).stat().st_mode & 0o777 == 0o444


def test_c44_threads_do_not_clash(store, commit):
    with ThreadPoolExecutor(8) as pool:
        entries = list(pool.map(lambda n: commit(store, seed=n % 5), range(40)))
    assert len({entry.key for entry in entries}) == 5
    assert check_store.check(store.root) == (5, [])
    assert list((store.root / "tmp").iterdir()) == []


def _bench(name, *arguments):
    done = subprocess.run(
        [sys.executable, BENCHMARKS / name, *arguments], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_c01_c15_kill_at_random_moments():
    assert " 0 corrupt entries, 0 wrong" in _bench("store_kills.py", "--count", "25")


def test_c02_c03_c20_c21_fault_at_every_call_of_a_commit():
    out = _bench("store_faults.py", "--faults", "SIGKILL", "ENOSPC")
    assert out.endswith(", 0 wrong\n")
    killed, failed, beyond = map(int, re.findall(r"(\d+) [A-Z]+", out))
    assert min(killed, failed) > 30
    assert beyond == 4


def test_c16_c17_c18_there_are_no_locks(store, commit, read):
    """What another program leaves as a lock is ignored; sources call nothing that locks."""
    for name in ("lock", ".lock", "rwlock.lock"):
        for folder in (store.folder("tmp"), store.folder("entries/made"), store.root):
            (folder / name).write_bytes(b"\0garbage 99999")
    entry = commit(store)
    assert read(store, store.find("made", entry.key)) == FILES
    for path in (BENCHMARKS.parent / "robotid").rglob("*.py"):
        assert not re.search(
            r"flock|lockf|F_SETLK|F_OFD|filelock|sqlite3\.connect\(.*cache", path.read_text()
        )


def test_c39_names_differ_in_more_than_case(store, commit):
    """On a file system that does not tell upper from lower case no two entries are one."""
    for seed in range(20):
        commit(store, seed=seed)
    names = [path.relative_to(store.root / "entries") for path in store.root.glob("entries/*/*/*")]
    assert len({str(name).lower() for name in names}) == 20
    assert all(str(name) == str(name).lower() for name in names)


def test_c11_c13_c14_many_processes_and_gc():
    out = _bench("contention.py", "--processes", "4", "--keys", "40")
    assert "0 wrong results, 0 failed processes" in out


def test_the_checker_itself_notices_damage(store, commit):
    entry = commit(store)
    (entry.path / "data.bin").chmod(0o644)
    (entry.path / "data.bin").write_bytes(b"")
    assert len(check_store.check(store.root)[1]) == 1
