"""Inputs in place: verified links to what the store holds, and the user's own paths."""

import pytest

from robotid.runner.shelf import Shelf
from robotid.runner.task import Piece
from robotid.store.store import EntryDamagedError, Store
from robotid.store.transport import keep_file
from tests.store.conftest import FILES, record


@pytest.fixture
def entry(store):
    with store.workspace() as space:
        result = space / "result"
        (result / "deep").mkdir(parents=True)
        for name, data in FILES.items():
            (result / name).write_bytes(data)
        return store.commit(store.seal(record(), result), result)


def piece(entry, **fields):
    return Piece(digest="d", stage=entry.manifest.stage, key=entry.key, **fields)


def test_what_a_stage_wrote_is_proven(store, entry, tmp_path):
    found = Shelf(store).place(piece(entry), tmp_path / "in")
    assert found.proven
    assert {name: (found.path / name).read_bytes() for name in FILES} == FILES


def test_what_a_user_gives_is_not(store, tmp_path):
    (tmp_path / "log.csv").write_text("t\n")
    own = Piece(digest="d", path=str(tmp_path / "log.csv"))
    assert not Shelf(store).place(own, tmp_path / "in").proven


def test_what_a_user_gives_is_not_proven_elsewhere_either(store, entry, tmp_path):
    """Sent to another machine it lies in a store, too, and its digest is that of the user's."""
    far = Store(tmp_path / "far")
    for name, fact in entry.manifest.files.items():
        keep_file(far, fact, [FILES[name]])
    sent = Piece(digest="d", path="/elsewhere/data", given=entry.manifest.files)
    found = Shelf(far).place(sent, tmp_path / "in")
    assert (found.path / "a.json").read_bytes() == FILES["a.json"]
    assert not found.proven


@pytest.mark.parametrize("name", FILES)
def test_damage_of_any_file_is_met(store, entry, tmp_path, name):
    """Files are verified side by side."""
    path = entry.path / name
    path.chmod(0o600)
    path.write_bytes(FILES[name][:-1] + b"x")
    with pytest.raises(EntryDamagedError):
        Shelf(store).place(piece(entry), tmp_path / "in")
    assert not entry.path.exists()


def test_some_wait_until_they_are_read(store, entry, tmp_path):
    shelf = Shelf(store)
    found = shelf.place(piece(entry), tmp_path / "in", on_demand="*.bin")
    assert not (found.path / "data.bin").exists()
    shelf.provide(found.path / "data.bin")
    assert (found.path / "data.bin").read_bytes() == FILES["data.bin"]
