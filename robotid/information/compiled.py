"""Machine code that is kept between processes, and trusted only when it is what was written.

numba can keep compiled functions in files, but it loads whatever lies there: what another user put
there, a file with a flipped bit, code of an older source. So every version of a source has a folder
of its own, named after all the code depends on. It is filled under a temporary name, sealed with
the digests of its files and then renamed; a folder that does not match its seal is not used. No
place to write, a full disk or a damaged folder cost the time to compile, nothing else.
"""

import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding as llvm
import numba

_SEAL = "seal.json"
# Settings of numba that change the code it makes.
_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT", "NUMBA_BOUNDSCHECK")
Function = TypeVar("Function", bound=Callable[..., Any])


class CompiledSource:
    """The compiled functions of one source file."""

    def __init__(self, source: Path) -> None:
        self._filling: Path | None = None
        self._folder: Path | None = None
        name = _name_of(source)
        for parent in _candidates(source):
            if _holds(parent / name):
                self._folder = parent / name
                return
        for parent in _candidates(source):
            with suppress(OSError):
                parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if _only_ours(parent):
                    self._filling = Path(tempfile.mkdtemp(prefix=".new-", dir=parent))
                    self._target = parent / name
                    return

    def compiled(self, signature: str, **options: Any) -> Callable[[Function], Function]:
        """Decorator: compile for one signature, from or into the kept files where possible."""

        def compile_now(function: Function) -> Function:
            folder = self._folder or self._filling
            if folder is not None:
                before = numba.config.CACHE_DIR
                numba.config.CACHE_DIR = str(folder)
                try:
                    return _typed(numba.njit(signature, cache=True, **options)(function))
                except Exception:  # noqa: BLE001 - whatever is wrong with files, compiling works
                    self.discard()
                finally:
                    numba.config.CACHE_DIR = before
            return _typed(numba.njit(signature, **options)(function))

        return compile_now

    def keep(self) -> None:
        """Seal what was compiled and put it in place; to be called behind the last function."""
        if self._filling is None:
            return
        try:
            seal = json.dumps(_digests(self._filling), sort_keys=True)
            (self._filling / _SEAL).write_text(seal, encoding="utf-8")
            if self._target.exists() and not _holds(self._target):
                shutil.rmtree(self._target)
            self._filling.rename(self._target)  # fails when another process was as fast
        except OSError:
            self.discard()

    def discard(self) -> None:
        """Forget the files; what follows is compiled in memory."""
        if self._filling is not None:
            shutil.rmtree(self._filling, ignore_errors=True)
        self._folder = self._filling = None


def _typed(function: Any) -> Any:
    return function


def _name_of(source: Path) -> str:
    """A name that changes with everything the machine code depends on."""
    facts = source.stat()
    parts = [
        str(source.resolve()),
        str((facts.st_mtime_ns, facts.st_size)),
        hashlib.sha256(source.read_bytes()).hexdigest(),
        numba.__version__,
        ".".join(map(str, llvm.llvm_version_info)),
        sys.version,
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        str([os.environ.get(name) for name in _SETTINGS]),
    ]
    return f"{source.stem}-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"


def _candidates(source: Path) -> list[Path]:
    """Where to keep compiled code: beside Python's own, or among the user's caches."""
    places = [source.parent / "__pycache__"]
    base = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # there is no home
        places.append((Path(base) if base else Path.home() / ".cache") / "robotid-compiled")
    return places


def _only_ours(folder: Path) -> bool:
    """Whether nobody else can have written into a folder."""
    facts = folder.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    ours = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid()
    return ours and not facts.st_mode & others


def _digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != _SEAL
    }


def _holds(folder: Path) -> bool:
    """Whether a folder is there, is ours, and holds what its seal says."""
    try:
        if not (_only_ours(folder.parent) and _only_ours(folder)):
            return False
        seal = json.loads((folder / _SEAL).read_text(encoding="utf-8"))
        return bool(seal) and seal == _digests(folder)
    except (OSError, ValueError):
        return False
