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
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_args, get_type_hints

import numba
import numpy as np
from numba.core.registry import cpu_target
from numpy.typing import NDArray

_SEAL = "seal.json"
_NEW = ".new-"
_ABANDONED_S = 86400.0
# Settings of numba that change the code it makes.
_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT", "NUMBA_BOUNDSCHECK")
Function = TypeVar("Function", bound=Callable[..., Any])

# Types of arguments, with the name numba has for them.
Run = Annotated[NDArray[np.float64], "float64[::1]"]
Table = Annotated[NDArray[np.float64], "float64[:, ::1]"]
View = Annotated[NDArray[np.float64], "float64[:, :]"]
Indices = Annotated[NDArray[np.int64], "int64[::1]"]
Cube = Annotated[NDArray[np.float64], "float64[:, :, ::1]"]
IndexTable = Annotated[NDArray[np.int64], "int64[:, ::1]"]


class CompiledSource:
    """The compiled functions of one source file, which may call those of others."""

    def __init__(self, source: Path, *others: Path) -> None:
        self._folder: Path | None = None
        self._filling: Path | None = None
        name = _name_of(source, *others)
        for parent in _candidates(source):
            if _holds(parent / name):
                self._folder = parent / name
                return
        for parent in _candidates(source):
            with suppress(OSError):
                parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if _only_ours(parent):
                    _sweep(parent)
                    self._filling = Path(tempfile.mkdtemp(prefix=_NEW, dir=parent))
                    self._target = parent / name
                    return

    def compiled(self, **options: Any) -> Callable[[Function], Function]:
        """Decorator: compile for the annotated types, from or into kept files where possible."""

        def compile_now(function: Function) -> Function:
            signature, folder = _signature(function), self._folder or self._filling
            config: Any = numba.config
            if folder is not None:
                before = config.CACHE_DIR
                config.CACHE_DIR = str(folder)
                try:
                    return cast("Function", numba.njit(signature, cache=True, **options)(function))
                except Exception:  # whatever is wrong with the files, compiling works
                    self.discard()
                finally:
                    config.CACHE_DIR = before
            return cast("Function", numba.njit(signature, **options)(function))

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


def _signature(function: Callable[..., Any]) -> str:
    """The types of a function's arguments as numba writes them; functions return nothing."""
    hints = get_type_hints(function, include_extras=True)
    types = [get_args(hint)[1] if get_args(hint) else "int64" for hint in list(hints.values())[:-1]]
    return f"void({', '.join(types)})"


def _name_of(source: Path, *others: Path) -> str:
    """A name that changes with everything the machine code depends on."""
    facts = source.stat()
    parts = [
        str(source.resolve()),
        str((facts.st_mtime_ns, facts.st_size)),
        *(hashlib.sha256(path.read_bytes()).hexdigest() for path in (source, *others)),
        numba.__version__,
        sys.version,
        str(cpu_target.target_context.codegen().magic_tuple()),  # processor and its features
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


def _sweep(parent: Path) -> None:
    """Remove what processes left that were killed while they compiled."""
    for folder in parent.glob(f"{_NEW}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(folder)


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
