"""The user's files: found, told apart by content, and noticed when they change."""

import errno
import glob
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from robotid.errors import (
    BadDataError,
    InputMissingError,
    RobotidError,
    TemporaryError,
    UnsafePathError,
    UsageError,
    from_os_error,
    nearest,
    raise_trouble,
)
from robotid.robot.catalog import is_name, shipped_path
from robotid.runner.task import Piece
from robotid.stages.contract import FILES_IN, INDEX_FILES, Input
from robotid.store.files import DamagedError, FileFact, hash_file, list_files
from robotid.store.manifest import MANIFEST, content_digest, read_manifest
from robotid.store.store import Entry

_MAX_FILES = 10_000

FactOf = Callable[[Path], FileFact]


class Located(NamedTuple):
    """An input with known bytes: a user's file or folder, or a stored result.

    A single file stands in `files` under the empty name; if it is one of several of a stored
    result, `file` says which.
    """

    name: str
    files: dict[str, FileFact]
    path: Path | None = None
    entry: Entry | None = None
    file: str = ""

    @property
    def digest(self) -> str:
        """What its bytes are known by: the same for a file or folder anywhere."""
        return self.files[""].sha256 if "" in self.files else content_digest(self.files)


def expand(patterns: Iterable[str], base: Path, kind: str = "file") -> list[Path]:
    """Paths of an input in a pipeline file: relative to it, with `*`, `?`, `[…]` and `**`.

    A bare word given for a robot is the name of one that comes with the package.
    """
    paths: list[Path] = []
    for pattern in patterns:
        if kind == "robot" and is_name(pattern):
            paths.append(shipped_path(pattern))
            continue
        path = base / pattern
        if os.path.lexists(path):
            paths.append(path)
            continue
        if not glob.has_magic(pattern):
            raise _missing(path)
        found = sorted(glob.glob(pattern, root_dir=base, recursive=True))
        if not found:
            raise InputMissingError("not-found", "nothing matches", file=str(path))
        if len(found) > _MAX_FILES:
            raise InputMissingError(
                "too-many-files", f"{pattern!r} matches {len(found)} files, more than {_MAX_FILES}"
            )
        paths.extend(base / name for name in found)
    return paths


def _read(path: Path) -> FileFact:
    return hash_file(path, follow=True)


def locate(paths: Iterable[Path], given: Input, fact: FactOf = _read) -> list[Located]:
    """Read and identify the inputs of one role; each file is hashed once.

    Args:
        paths: the user's files and folders.
        given: the role.
        fact: size and digest of a file; one that is known need not be read.
    """
    unique = list(paths)
    names = names_of(unique)
    return [
        Located(name, _facts(path, given, fact), path=path)
        for name, path in zip(names, unique, strict=True)
    ]


def stored(name: str, entry: Entry, kind: str, given: Input) -> list[Located]:
    """The result of a node as an input: the whole of it, or the files in it where those are wanted.

    Args:
        name: of the node.
        entry: its result.
        kind: of that.
        given: the role it is given for.
    """
    files = entry.manifest.files
    if given.kind not in ("file", "log"):
        return [Located(name, files, entry=entry)]
    chosen = sorted(f for f in files if "/" not in f and fnmatch(f, FILES_IN[kind]))
    return [Located(Path(f).stem, {"": files[f]}, entry=entry, file=f) for f in chosen]


def size_of(path: Path) -> int:
    """Bytes of a file, or of the files right inside a folder; 0 for what cannot be read."""
    try:
        files = list(path.iterdir()) if path.is_dir() else [path]
        return sum(file.stat().st_size for file in files)
    except OSError:
        return 0


def part_digest(files: Mapping[str, FileFact]) -> str:
    """Digest of a part and what lies beside it; the name they have in common is not in it."""
    stem = Path(next(iter(files))).stem
    return content_digest({name.removeprefix(stem): fact for name, fact in files.items()})


def check_unchanged(piece: Piece) -> None:
    """Prove that a user's input still is what it was when the key was made."""
    if piece.path is not None and piece.given is None:  # what was sent here has been proven
        facts_now(piece)


def facts_now(piece: Piece) -> dict[str, FileFact]:
    """The files of a user's input by name, read now; they must be those the key was made from."""
    path, facts, now = Path(piece.path or ""), dict[str, FileFact](), "changed"
    try:
        if not path.is_dir():
            facts = {path.name: _read(path)}
            now = facts[path.name].sha256
        elif piece.files is None:
            facts = _facts_of_folder(path, _read)
            now = content_digest(facts)
        else:
            facts = {n: _read(path / n) for n in piece.files}
            now = part_digest(facts) if piece.single else content_digest(facts)
    except (OSError, BadDataError) as error:
        raise_trouble(error, "reading an input again", path)
    if now != piece.digest:
        raise TemporaryError(
            "input-changed",
            "the file changed while it was read; nothing was kept",
            file=piece.place,
            hint="run again when the recording has finished",
        )
    return facts


def stamps(piece: Piece) -> list[tuple[str, int, int]]:
    """Names, sizes and times of change [ns] of a user's files.

    Whoever finds the same under the same path on another machine looks at the same files. Raises
    `OSError` where they cannot be seen.
    """
    path = Path(piece.path or "")
    folder = path.is_dir()
    names = (piece.files or list_files(path)) if folder else ("",)
    facts = [(name, (path / name if folder else path).stat()) for name in names]
    return [(name, fact.st_size, fact.st_mtime_ns) for name, fact in facts]


def _facts(path: Path, given: Input, fact: FactOf) -> dict[str, FileFact]:
    try:
        mode = path.stat().st_mode
        if given.kind == "log" and stat.S_ISDIR(mode):
            return {name: fact(path / name) for name in list_files(path)}
        alone = given.kind == "report" and not stat.S_ISDIR(mode)  # report.json without its folder
        if given.kind in ("file", "log", "robot") or alone:
            _must_be_file(path, mode)
            return {"": _fact_of_file(path, fact(path))}
        _must_be_folder(path, mode, given.kind)
        return _facts_of_folder(path, fact)
    except OSError as error:
        raise _unreadable(path, error) from error


def _fact_of_file(path: Path, fact: FileFact) -> FileFact:
    """The bytes of a file; one that robotid delivered must still be what it wrote."""
    try:
        known = read_manifest(path.parent).files.get(path.name, fact)
    except (DamagedError, OSError) as error:  # none, or somebody else's: the name is a common one
        raise_trouble(error, "reading an input", path)
        known = fact
    if fact != known:
        raise _damaged(path, "the file is not what robotid wrote")
    return fact


def _facts_of_folder(folder: Path, fact: FactOf) -> dict[str, FileFact]:
    """The files that count: those robotid wrote, as it wrote them, or all of one made by hand."""
    known = _manifest_files(folder)
    names = list_files(folder) if known is None else list(known)
    found = {}
    for name in names:
        try:
            found[name] = fact(folder / name)
        except FileNotFoundError as error:
            raise _damaged(folder / name, "a file that robotid wrote is gone") from error
        if known is not None and found[name] != known[name]:
            raise _damaged(folder / name, "the file is not what robotid wrote")
    return found


def _manifest_files(folder: Path) -> dict[str, FileFact] | None:
    """What robotid wrote into a folder, if it did."""
    try:
        return read_manifest(folder).files
    except FileNotFoundError:
        return None
    except DamagedError as error:
        raise _damaged(folder / MANIFEST, str(error)) from error


def _damaged(path: Path, why: str) -> RobotidError:
    return BadDataError(
        "input-damaged",
        why,
        file=str(path),
        hint=f"make it again; or, if it was edited on purpose, delete {MANIFEST} beside it",
    )


def _must_be_file(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise InputMissingError("is-a-folder", "a file is needed, this is a folder", file=str(path))
    if not stat.S_ISREG(mode):
        raise BadDataError("not-a-file", "only regular files can be read", file=str(path))


def _must_be_folder(path: Path, mode: int, kind: str) -> None:
    index = INDEX_FILES[kind]
    if not stat.S_ISDIR(mode) or not (path / index).is_file():
        hint = (
            f"give the folder {path.parent}" if path.name == index else _one_level_down(path, index)
        )
        article = "an" if kind[0] in "aeiou" else "a"
        raise InputMissingError(
            "wrong-kind",
            f"this is not {article} {kind} (a folder with {index})",
            file=str(path),
            hint=hint,
        )


def _one_level_down(path: Path, index: str) -> str | None:
    """A hint that names the folders inside which would do: `results/fit` instead of `results`."""
    try:
        found = sorted(str(file.parent) for file in path.glob(f"*/{index}"))
    except OSError:
        return None
    return f"did you mean {' or '.join(found[:5])}?" if found else None


def _missing(path: Path) -> RobotidError:
    hint = None
    try:
        said = nearest(path.name, os.listdir(path.absolute().parent))
        hint = said if said.startswith("did you") else None
    except OSError:
        hint = f"there is no folder {path.parent}"
    return InputMissingError("not-found", "no such file or folder", file=str(path), hint=hint)


def _unreadable(path: Path, error: OSError) -> RobotidError:
    if isinstance(error, FileNotFoundError):
        return _missing(path)
    if error.errno == errno.EINVAL:
        said = "only regular files can be read"
        return BadDataError("not-a-file", said, file=str(error.filename or path))
    if isinstance(error, PermissionError):
        try:
            facts = path.stat()
            hint = f"owner {facts.st_uid}, mode {stat.S_IMODE(facts.st_mode):04o}"
        except OSError:
            hint = None
        return UnsafePathError("not-allowed", "no permission to read", file=str(path), hint=hint)
    error.filename = error.filename or str(path)
    return from_os_error(error, "reading an input")


def names_of(paths: list[Path]) -> list[str]:
    """A name for each path: its stem, with the folders in front that tell them apart.

    Files that differ in nothing but their suffix keep it.
    """
    places = Counter(map(_place, paths))
    candidates = [_candidates(path) for path in paths]
    names: dict[int, str] = {}
    for length in range(max(map(len, candidates), default=0)):
        at_length = [choices[min(length, len(choices) - 1)] for choices in candidates]
        counts = Counter(at_length)
        for position, name in enumerate(at_length):
            if position not in names and counts[name] == 1:
                names[position] = name
    for position, path in enumerate(paths):
        if position not in names or places[_place(path)] > 1:
            raise UsageError("given-twice", "the same input is given twice", file=str(path))
    return [names[position] for position in range(len(paths))]


def _place(path: Path) -> str:
    """Where a path leads, however it is spelled; the name of a link stays."""
    absolute = path.absolute()
    if absolute.name == "..":
        return os.path.realpath(absolute)
    return str(Path(os.path.realpath(absolute.parent), absolute.name))


def _candidates(path: Path) -> list[str]:
    """Names for a path, from short to unmistakable; a folder's name has no suffix to leave out."""
    *folders, name = path.absolute().parts[1:]
    lasts = [name] if path.is_dir() else [path.stem, name]
    return [
        "-".join([*folders[len(folders) - count :], last])
        for last in lasts
        for count in range(len(folders) + 1)
    ]
