"""Versions of the interpreter and of libraries, as results state them and keys contain them."""

import sys
from collections.abc import Iterable
from functools import cache
from importlib import metadata


def library_versions(
    libraries: Iterable[str], extras: Iterable[str] = (), *, fresh: bool = False
) -> dict[str, str]:
    """Versions by package, and that of the interpreter.

    Args:
        libraries: names of modules.
        extras: the same of packages that need not be there.
        fresh: look now; otherwise what this process found first counts.
    """
    python = ".".join(str(number) for number in sys.version_info[:2])
    look = metadata.version if fresh else _first_version
    versions = {name: look(name) for name in _packages(libraries)}
    return {
        "python": python,
        **versions,
        **{name: _version_if_there(name, fresh=fresh) for name in _packages(extras)},
    }


def _packages(modules: Iterable[str]) -> list[str]:
    return sorted({module.partition(".")[0] for module in modules})


def _version_if_there(package: str, *, fresh: bool) -> str:
    try:
        return metadata.version(package) if fresh else _first_version(package)
    except metadata.PackageNotFoundError:
        return "absent"


_first_version = cache(metadata.version)
