"""Files and results between stores: whole or not at all, and never what they should not be."""

import hashlib

import pytest

from robotid.store import transport
from robotid.store.files import DamagedError, FileFact
from robotid.store.housekeeping import collect, verify
from robotid.store.store import EntryDamagedError, Store
from robotid.store.transport import (
    find_file,
    keep_draft,
    keep_file,
    keep_files_of,
    pieces_of,
    read_piece,
    receive,
    take_file,
    write_piece,
)


def fact_of(content: bytes) -> FileFact:
    return FileFact(len(content), hashlib.sha256(content).hexdigest())


@pytest.fixture
def store(cache):
    return Store(cache)


@pytest.fixture
def entry(tmp_path):
    """A result in another store."""
    other = Store(tmp_path / "other")
    with other.workspace() as space:
        (space / "r" / "sub").mkdir(parents=True)
        (space / "r" / "a.txt").write_text("alpha")
        (space / "r" / "sub" / "b.txt").write_text("beta")
        (space / "r" / "empty").touch()
        sealed = other.seal({"format": 1, "stage": "emit", "n": 1}, space / "r")
        return other, other.commit(sealed, space / "r")


def test_a_file_is_kept_once_and_taken_verified(store, tmp_path):
    fact = fact_of(b"content")
    keep_file(store, fact, [b"con", b"tent"])
    keep_file(store, fact, [b"never read"])
    take_file(store, fact, tmp_path / "here" / "x.csv")
    assert (tmp_path / "here" / "x.csv").read_bytes() == b"content"
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["x.csv"]
    assert verify(store) == (1, [])


@pytest.mark.parametrize("content", [b"conten", b"contentt", b"Content", b""])
def test_a_file_that_is_not_what_it_is_said_to_be_is_not_kept(store, content):
    fact = fact_of(b"content")
    with pytest.raises(DamagedError):
        keep_file(store, fact, [content])
    draft = write_piece(store, "", content)
    with pytest.raises(DamagedError):
        keep_draft(store, draft, fact)
    assert find_file(store, fact) is None
    assert list((store.root / "tmp").iterdir()) == []


def test_a_file_that_is_damaged_later_is_not_taken(store, tmp_path):
    fact = fact_of(b"content")
    keep_file(store, fact, [b"content"])
    path = find_file(store, fact).path / "content"
    path.chmod(0o644)
    path.write_bytes(b"Content")
    with pytest.raises(EntryDamagedError):
        take_file(store, fact, tmp_path / "x")
    with pytest.raises(EntryDamagedError):
        take_file(store, fact, tmp_path / "y")
    keep_file(store, fact, [b"content"])
    take_file(store, fact, tmp_path / "z")


@pytest.mark.parametrize("size", [0, 1, 100, 101, 1000])
def test_pieces_make_the_file(store, tmp_path, monkeypatch, size):
    monkeypatch.setattr(transport, "PIECE", 100)
    content = bytes(i % 251 for i in range(size))
    (tmp_path / "given").write_bytes(content)
    fact = fact_of(content)
    pieces = list(pieces_of(tmp_path / "given"))
    assert max(map(len, pieces), default=0) <= 100
    draft = ""
    for piece in pieces or [b""]:
        draft = write_piece(store, draft, piece)
    keep_draft(store, draft, fact)
    back = b""
    while len(back) < size:
        piece = read_piece(store, fact, len(back))
        assert 0 < len(piece) <= 100
        back += piece
    assert back == content
    assert read_piece(store, fact_of(b"other"), 0) is None


@pytest.mark.parametrize("name", ["../../escape", "a", "/etc", "host-1-" + "g" * 32, ""])
def test_s12_a_draft_is_nowhere_else(store, name):
    """Names of drafts come from another machine."""
    if name:
        with pytest.raises(ValueError, match="not the name of a draft"):
            write_piece(store, name, b"x")
    with pytest.raises(ValueError, match="not the name of a draft"):
        keep_draft(store, name, fact_of(b"x"))


def test_a_result_becomes_the_entry_it_would_have_been(store, entry):
    other, made = entry
    keep_files_of(other, made)

    def content(fact):
        yield read_piece(other, fact, 0)

    got = receive(store, made.manifest, content)
    assert got.key == made.key
    for name in (*made.manifest.files, "manifest.json"):
        assert (got.path / name).read_bytes() == (made.path / name).read_bytes()
        assert (got.path / name).stat().st_mode & 0o777 == 0o444
    assert verify(store)[1] == []


def test_a_result_that_comes_damaged_does_not_appear(store, entry):
    _, made = entry
    with pytest.raises(DamagedError):
        receive(store, made.manifest, lambda _: [b"alpha"])
    assert store.find("emit", made.key) is None
    assert list((store.root / "tmp").iterdir()) == []


def test_files_of_a_result_are_links_and_are_collected(entry):
    other, made = entry
    keep_files_of(other, made)
    inode = (made.path / "a.txt").stat().st_ino
    assert find_file(other, fact_of(b"alpha")).path.joinpath("content").stat().st_ino == inode
    assert collect(other, max_size=0, min_age_s=0).kept == 0
