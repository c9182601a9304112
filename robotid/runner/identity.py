"""Which code and which libraries a result depends on."""

import hashlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import robotid
from robotid import versions
from robotid.stages.contract import Stage
from robotid.store.canonical import digest

# What every stage stands on, besides its own module.
_ALWAYS = (
    "robotid.errors",
    "robotid.on_demand",
    "robotid.progress",
    "robotid.stages.contract",
    "robotid.types",
)


def modules_of(stage: Stage) -> tuple[str, ...]:
    """The modules and packages whose sources belong to a stage."""
    return tuple(sorted({*_ALWAYS, stage.origin.partition(":")[0], *stage.uses}))


def code_identity(stage: Stage, *, fresh: bool = False) -> dict[str, str]:
    """Digest of the sources and data files of each module a stage declares.

    With `fresh` they are read now; otherwise what this process read first counts.
    """
    look = _source_digest if fresh else _first_source_digest
    return {name: look(name) for name in modules_of(stage)}


def library_versions(stage: Stage, *, fresh: bool = False) -> dict[str, str]:
    """Versions of the interpreter and of the libraries a stage declares; `fresh` as above."""
    return versions.library_versions(stage.libraries, stage.extras, fresh=fresh)


def other_versions(record: dict[str, Any], stage: Stage) -> list[str]:
    """What a record asks for and this interpreter does not have, in words; `there` is this one."""
    found = library_versions(stage)
    wanted: dict[str, str] = record["numerics"]
    libraries = [
        f"{name} {found.get(name, 'absent')} there, {wanted.get(name, 'absent')} here"
        for name in sorted({*found, *wanted})
        if found.get(name) != wanted.get(name)
    ]
    code = code_identity(stage)
    sources = [name for name, digest in record["code"].items() if code.get(name) != digest]
    return libraries + ([f"other sources of {', '.join(sources)}"] if sources else [])


def _source_digest(module: str) -> str:
    """Digest over all files of a package, or over the one file of a module."""
    base = _location(module)
    return digest(
        {
            path.relative_to(base.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in ([base] if base.is_file() else sorted(_sources(base)))
        }
    )


_first_source_digest = cache(_source_digest)


def _sources(package: Path) -> Iterator[Path]:
    """Files of a package, without compiled ones and what an editor leaves while a file is open.

    Folders of compiled files are not looked into: another process may be filling them.
    """
    for folder, inside, names in os.walk(package, onerror=_raised):
        inside[:] = [name for name in inside if _is_source(name)]
        yield from (Path(folder, name) for name in names if _is_source(name))


def _raised(error: OSError) -> None:
    """A folder that cannot be read is no folder without files: the key would be another."""
    raise error


def _is_source(name: str) -> bool:
    return name != "__pycache__" and not name.startswith(".")


def _location(module: str) -> Path:
    if module.split(".")[0] != "robotid":  # a stage defined outside the package
        return Path(str(sys.modules[module].__file__))
    path = Path(robotid.__file__).parent.joinpath(*module.split(".")[1:])
    return path if path.is_dir() else path.with_suffix(".py")
