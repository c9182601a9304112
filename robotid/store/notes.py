"""Notes: facts that save time and may be lost at any moment, one small JSON file for each group.

Two processes may write the same file; one of them wins, and what the other knew is found out again.
A file that is torn or damaged counts as empty.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from robotid.store.canonical import canonical, digest
from robotid.store.files import replace_file

_FORMAT = 1
_MOST_BYTES = 64 << 20


class Notes:
    """Values by key; read when they are first asked for."""

    def __init__(self, path: Path) -> None:
        self._path, self._new = path, False
        self._values: dict[str, Any] | None = None

    def get(self, key: str) -> Any:
        """What is noted, or None."""
        return self._read().get(key)

    def put(self, key: str, value: Any) -> None:
        """Note something; `save` writes it."""
        self._read()[key] = value
        self._new = True

    def keep(self, worth: Callable[[Any], bool]) -> None:
        """Forget what is not worth keeping."""
        values = self._read()
        kept = {key: value for key, value in values.items() if worth(value)}
        self._new = self._new or len(kept) < len(values)
        self._values = kept

    def save(self) -> None:
        """Write what is new; where that is not possible, it is forgotten."""
        if not self._new:
            return
        body = {"format": _FORMAT, "values": self._read()}
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            replace_file(self._path, canonical({**body, "check": digest(body)}), mode=0o600)
            self._new = False

    def _read(self) -> dict[str, Any]:
        if self._values is None:
            self._values = _readable(self._path)
        return self._values


def _readable(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        body = json.loads(path.read_bytes())
        check = body.pop("check")
        values: dict[str, Any] = body["values"]
        return values if body["format"] == _FORMAT and check == digest(body) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
