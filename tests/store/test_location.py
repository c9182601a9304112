"""Which folder the cache is, and what happens when it cannot be used."""

import os
import stat
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from robotid.errors import UnsafePathError
from robotid.store.location import default_root, opened_store

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def test_default_places(monkeypatch):
    monkeypatch.setenv("ROBOTID_CACHE_DIR", "/a/b")
    assert default_root() == Path("/a/b")
    monkeypatch.delenv("ROBOTID_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_root() == Path("/x/robotid")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert default_root() == Path("/home/me/.cache/robotid")


def test_c24_missing_folder_is_made_private(tmp_path):
    with opened_store(tmp_path / "a" / "b") as store:
        assert store.lasting
        assert store.notices == []
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    assert (tmp_path / "a" / "b" / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28")


def test_two_first_starts_at_once(tmp_path):
    for number in range(20):
        barrier = threading.Barrier(4)

        def start(root=tmp_path / str(number), barrier=barrier):
            barrier.wait()
            with opened_store(root) as store:
                return store.lasting

        with ThreadPoolExecutor(4) as pool:
            assert all(future.result() for future in [pool.submit(start) for _ in range(4)])


def test_no_cache_uses_a_temporary_store_beside_the_output(tmp_path):
    with opened_store(tmp_path / "never", no_cache=True, beside=tmp_path / "out" / "x") as store:
        assert store.root.parent == tmp_path
        assert not store.lasting
        folder = store.root
    assert not folder.exists()
    assert not (tmp_path / "never").exists()


def test_c25_cache_path_is_a_file(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UnsafePathError, match="not a folder"), opened_store(tmp_path / "file"):
        pass


@pytest.mark.parametrize("name", ["with space", "ünï\n\x1b[31m", "x" * 255, os.fsdecode(b"\xff")])
def test_c25_odd_paths_work(tmp_path, name):
    with opened_store(tmp_path / name) as store:
        assert store.lasting


def test_c25_impossible_path_is_not_used(tmp_path):
    with opened_store(tmp_path / ("x" * 4000)) as store:
        assert not store.lasting
        assert store.notices[0].code == "cache-not-used"


def test_c09_cache_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(UnsafePathError, match="symbolic link"), opened_store(tmp_path / "link"):
        pass


@pytest.mark.parametrize("part", ["entries", "tmp", "quarantine", "trash", "runs"])
def test_c09_part_of_the_cache_that_is_a_link_is_refused(tmp_path, part):
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "cache" / part).symlink_to(tmp_path)
    with pytest.raises(UnsafePathError, match="symbolic link"), opened_store(tmp_path / "cache"):
        pass


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_c10_s15_cache_others_can_write_to_is_not_used(tmp_path, mode):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(mode)
    with opened_store(cache) as store:
        assert store.root != cache
        assert "others can write" in store.notices[0].message
    with opened_store(cache, shared=True) as store:
        assert store.root == cache
        assert store.notices == []


@root_only
def test_c10_s31_cache_of_another_user_is_not_used(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    os.chown(cache, 12345, 12345)
    with opened_store(cache) as store:
        assert store.root != cache
        assert "belongs to user 12345" in store.notices[0].message


def test_c38_new_shared_cache_is_for_the_group(tmp_path):
    with opened_store(tmp_path / "cache", shared=True):
        assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o2775


@pytest.fixture
def read_only_mount(tmp_path):
    """A file system that is mounted read-only, with a cache on it."""
    place = tmp_path / "mount"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a file system here")
    yield place, lambda: subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_c23_read_only_cache_serves_hits_and_keeps_nothing(read_only_mount, commit, read, tmp_path):
    place, make_read_only = read_only_mount
    with opened_store(place / "cache") as store:
        entry = commit(store)
    make_read_only()
    with opened_store(place / "cache", beside=tmp_path / "out") as store:
        assert "read-only" in store.notices[0].message
        found = store.find("made", entry.key)
        assert read(store, found)
        assert store.keeps(found)
        other = commit(store, seed=2)
        assert not store.keeps(other)
        assert len(store.notices) == 1


def test_r14_no_home(monkeypatch):
    for name in ("ROBOTID_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/proc/nonexistent")
    with opened_store(None) as store:
        assert not store.lasting
        assert store.notices[0].code == "cache-not-used"
