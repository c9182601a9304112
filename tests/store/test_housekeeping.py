"""Keeping a cache small and sound."""

import errno
import json
import os
import time

import pytest

from robotid.store import housekeeping, workspaces
from robotid.store.canonical import digest
from robotid.store.housekeeping import collect, status, stored, verify
from robotid.store.store import Store
from robotid.store.workspaces import _HOST as HOST
from robotid.store.workspaces import HIDDEN, remove_workspaces, sweep, workspace_name

from .conftest import record

DAY = 86_400


def aged(entry, seconds):
    stamp = time.time() - seconds
    os.utime(entry.path, (stamp, stamp))
    return entry


def fill(store, commit, count=5, size=1000):
    """Entries used 1, 2, 3 … days ago."""
    return [aged(commit(store, {"f": bytes(size)}, seed=n), (n + 1) * DAY) for n in range(count)]


def test_status_counts(store, commit):
    fill(store, commit, 3)
    found = status(store)
    assert found.entries_of == {"made": 3}
    assert 3000 < found.bytes_of["made"] == found.total_bytes < 6000
    assert (found.quarantined, found.quarantined_bytes, found.orphans) == (0, 0, 0)


def test_status_of_an_empty_cache(store):
    assert status(store).entries_of == {}


def adopting(store, part, seed):
    """An entry that shares the file of another one."""
    with store.workspace() as space:
        (space / "r").mkdir()
        fact = store.adopt(part, "part", space / "r" / "x", verify=False)
        sealed = store.seal(record(seed=seed), space / "r", adopted={"x": fact})
        return store.commit(sealed, space / "r")


def test_shared_bytes_count_once(store, commit):
    part = commit(store, {"part": bytes(100_000)}, seed=1)
    adopting(store, part, 2)
    assert 100_000 < status(store).total_bytes < 110_000


def test_gc_frees_shared_bytes_with_their_last_name_only(store, commit):
    part = aged(commit(store, {"part": bytes(100_000)}, seed=1), 3 * DAY)
    whole = aged(adopting(store, part, 2), 2 * DAY)
    aged(commit(store, {"f": bytes(1000)}, seed=3), DAY)
    done = collect(store, max_size=50_000, min_age_s=0)
    assert (done.removed, part.path.exists(), whole.path.exists()) == (2, False, False)
    assert done.size == status(store).total_bytes < 10_000


def test_gc_removes_what_was_not_used_for_longest(store, commit):
    entries = fill(store, commit)
    each = sum(next(iter(stored(store))).files.values())
    done = collect(store, max_size=3 * each, min_age_s=0)
    assert (done.removed, done.kept) == (2, 3)
    assert [entry.path.exists() for entry in entries] == [True, True, True, False, False]
    assert list((store.root / "trash").iterdir()) == []


def test_gc_keeps_what_is_young(store, commit):
    entries = fill(store, commit)
    done = collect(store, max_size=0, min_age_s=2.5 * DAY)
    assert [entry.path.exists() for entry in entries] == [True, True, False, False, False]
    assert done.removed == 3


def test_a_hit_counts_as_use(store, commit):
    entries = fill(store, commit)
    store.find("made", entries[4].key)
    collect(store, max_size=0, min_age_s=DAY / 2)
    assert [entry.path.exists() for entry in entries] == [False, False, False, False, True]


def test_gc_dry_run_removes_nothing(store, commit):
    fill(store, commit)
    done = collect(store, max_size=0, min_age_s=0, dry_run=True)
    assert done.removed == 5
    assert status(store).entries_of == {"made": 5}


def test_gc_keeps_what_a_named_run_used(store, commit):
    entries = fill(store, commit)
    (store.root / "runs").mkdir()
    stages = [{"name": "x", "stage": "made", "keys": [entries[4].key]}]
    note = {"format": 1, "pinned": True, "stages": stages}
    (store.root / "runs" / "nightly.json").write_text(json.dumps(note))
    (store.root / "runs" / "broken.json").write_text("{")
    collect(store, max_size=0, min_age_s=0)
    assert [entry.path.exists() for entry in entries] == [False] * 4 + [True]


def test_c26_stamps_from_the_future_count_as_now(store, commit):
    entry = aged(commit(store), -10 * 365 * DAY)
    assert collect(store, max_size=0, min_age_s=3600).removed == 0
    assert collect(store, max_size=0, min_age_s=0).removed == 1
    assert not entry.path.exists()


def test_c42_trash_of_a_killed_gc_is_removed_and_never_served(store, commit):
    entry = commit(store)
    (store.root / "trash").mkdir()
    entry.path.rename(store.root / "trash" / "x")
    assert store.find("made", entry.key) is None
    collect(store, max_size=10**9, min_age_s=0)
    assert list((store.root / "trash").iterdir()) == []


def test_gc_empties_old_quarantine(store, commit):
    for seed, age in ((1, 3 * DAY), (2, 0)):
        entry = commit(store, seed=seed)
        (entry.path / "manifest.json").unlink()
        assert store.find("made", entry.key) is None
        newest = max((store.root / "quarantine").iterdir(), key=lambda p: p.stat().st_ctime_ns)
        stamp = time.time() - age
        os.utime(newest, (stamp, stamp))
    assert status(store).quarantined == 2
    collect(store, max_size=10**9, min_age_s=DAY)
    assert status(store).quarantined == 1


def test_pins_that_cannot_be_read_stop_a_gc(store, commit):
    commit(store)
    (store.root / "runs" / "folder.json").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        collect(store, max_size=0, min_age_s=0)
    assert status(store).entries_of == {"made": 1}


def test_c43_verify_goes_on_past_damage(store, commit):
    entries = fill(store, commit)
    for entry in entries[1:4]:
        (entry.path / "f").unlink()
    (entries[1].path / "f").write_bytes(b"other")
    (entries[2].path / "f").mkdir()
    sound, damaged = verify(store)
    assert (sound, len(damaged)) == (2, 3)
    assert all(entry.path.exists() for entry in entries)
    sound, damaged = verify(store, repair=True)
    assert (sound, len(damaged)) == (2, 3)
    assert verify(store) == (2, [])
    assert status(store).quarantined == 3


def test_verify_does_not_count_as_use(store, commit):
    entry = fill(store, commit, 1)[0]
    before = entry.path.stat().st_mtime
    verify(store)
    verify(store, repair=True)
    assert entry.path.stat().st_mtime == before


ID = "0" * 32
DEAD = 2**22 - 3


def _workspace(store, name, age):
    path = store.root / "tmp" / name
    path.mkdir(parents=True)
    (path / "half").write_text("half")
    stamp = time.time() - age
    os.utime(path, (stamp, stamp))
    return path


def test_c15_sweep_takes_old_workspaces_of_the_dead_only(store):
    kept = [
        _workspace(store, f"{HOST}-{os.getpid()}-{ID}", 2 * DAY),  # alive
        _workspace(store, f"{HOST}-{DEAD}-{'1' * 32}", 3600),  # young
        _workspace(store, f"elsewhere-{DEAD}-{ID}", 3600),  # young, other host
        _workspace(store, "somebody-else", 2 * DAY),  # not ours
    ]
    gone = [
        _workspace(store, f"{HOST}-{DEAD}-{ID}", 2 * DAY),
        _workspace(store, f"elsewhere-{os.getpid()}-{ID}", 2 * DAY),
    ]
    assert sweep(store.root / "tmp") == 2
    assert [p.exists() for p in kept] == [True] * 4
    assert [p.exists() for p in gone] == [False] * 2


def test_long_work_gives_signs_of_life(store, monkeypatch):
    """Other hosts see by the time stamp that a workspace is in use."""
    monkeypatch.setattr(workspaces, "_SIGN_OF_LIFE_S", 0.05)
    with store.workspace() as space:
        os.utime(space, (0, 0))
        deadline = time.monotonic() + 5
        while space.stat().st_mtime < 1 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert time.time() - space.stat().st_mtime < 60


class _Signal(BaseException):
    """As the command line raises it, wherever the program happens to be."""


def test_a_signal_while_a_workspace_is_made_leaves_nothing(tmp_path, monkeypatch):
    def struck(thread):
        raise _Signal

    monkeypatch.setattr(workspaces.threading.Thread, "start", struck)
    with pytest.raises(_Signal), workspaces.workspace(tmp_path, HIDDEN):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_signal_while_a_workspace_is_removed_leaves_nothing(tmp_path, monkeypatch):
    remove, struck = workspaces.remove_tree, []

    def once(path):
        if not struck:
            struck.append(path)
            raise _Signal
        remove(path)

    monkeypatch.setattr(workspaces, "remove_tree", once)
    with pytest.raises(_Signal), workspaces.workspace(tmp_path, HIDDEN) as space:
        (space / "file").write_text("x")
    assert list(tmp_path.iterdir()) == []


def test_workspaces_of_a_killed_worker_go_at_once(store):
    mine = _workspace(store, f"{HOST}-77-{ID}", 0)
    other = _workspace(store, f"{HOST}-78-{ID}", 0)
    remove_workspaces(store.root / "tmp", 77)
    assert (mine.exists(), other.exists()) == (False, True)


def test_hidden_workspaces_in_a_users_folder_are_told_from_his_files(tmp_path):
    old = time.time() - 2 * DAY
    theirs = (
        ".robotid",
        ".robotid-backup",
        ".robotid-my-2-backup",
        f"{HOST}-{DEAD}-{ID}",
        "thesis",
    )
    for name in (f"{HIDDEN}{HOST}-{DEAD}-{ID}", workspace_name(HIDDEN), *theirs):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (old, old))
    assert sweep(tmp_path, HIDDEN) == 1
    assert {p.name for p in tmp_path.iterdir()} > set(theirs)


@pytest.mark.alone
def test_c40_many_entries_are_listed_fast(store):
    """20,000 entries in 1.5 s: a fifth of the two seconds for 100,000, with room for slow disks."""
    for number in range(20_000):
        key = digest(number)
        path = store.root / "entries" / "made" / key[:2] / key
        path.mkdir(parents=True)
        (path / "manifest.json").write_bytes(b"{}")
    began = time.perf_counter()
    assert status(Store(store.root)).entries_of == {"made": 20_000}
    assert time.perf_counter() - began < 1.5


def test_gc_takes_nothing_from_under_a_run(store, commit):
    """What it used since it began stays, also what it made; what nobody used for longer goes."""
    old, found = (aged(commit(store, seed=seed), 50) for seed in (1, 2))
    with store.at_work():
        store.find("made", found.key)
        made = commit(store, seed=3)
        collect(store, max_size=0, min_age_s=0)
        assert [e.path.exists() for e in (old, found, made)] == [False, True, True]
    assert list((store.root / "tmp").iterdir()) == []
    collect(store, max_size=0, min_age_s=0)
    assert [e.path.exists() for e in (found, made)] == [False, False]


@pytest.mark.parametrize(
    ("name", "age", "protects"),
    [
        (f"{HOST}-{DEAD}-{ID}", 0, False),
        (f"elsewhere-{DEAD}-{ID}", 0, True),
        (f"elsewhere-{DEAD}-{ID}", 2 * DAY, False),
    ],
    ids=["killed", "of another host", "of another host, long silent"],
)
def test_runs_that_do_not_go_on_protect_nothing(store, commit, name, age, protects):
    space = store.folder("tmp") / name
    space.mkdir()
    (space / "began").touch()
    moment = time.time() - age
    os.utime(space / "began", (time.time() - 10,) * 2)
    os.utime(space, (moment, moment))
    made = commit(store)
    collect(store, max_size=0, min_age_s=0)
    assert made.path.exists() == protects


def test_a_run_on_a_cache_that_cannot_be_written_goes_on(store, monkeypatch):
    def full(path, mode):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(workspaces.Path, "mkdir", full)
    with workspaces.at_work(store.root):
        pass


@pytest.mark.parametrize("call", ["open", "close", "rmdir", "unlink", "scandir"])
def test_c19_a_disk_that_stumbles_leaves_no_workspace_behind(tmp_path, monkeypatch, call):
    real, failed = getattr(os, call), []

    def stumbles(*args, **options):
        if not failed:
            failed.append(call)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*args, **options)

    with workspaces.workspace(tmp_path) as space:
        (space / "a").mkdir()
        (space / "a" / "b.txt").write_text("b")
        monkeypatch.setattr(os, call, stumbles)
    monkeypatch.undo()
    assert failed
    assert list(tmp_path.iterdir()) == []


def test_gc_takes_nothing_from_under_a_run_however_long_it_looks(store, commit, monkeypatch):
    """Ages are taken while entries are listed, which takes seconds in a large cache."""
    found = aged(commit(store), 50)
    real = housekeeping.stored

    def slowly(store):
        time.sleep(0.05)
        return real(store)

    monkeypatch.setattr(housekeeping, "stored", slowly)
    with store.at_work():
        store.find("made", found.key)
        collect(store, max_size=0, min_age_s=0)
        assert found.path.exists()
