"""What an entry holds, written last, with the digests to check it and itself."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from robotid.errors import Notice
from robotid.store.canonical import canonical, digest
from robotid.store.files import DamagedError, FileFact

FORMAT = 1
MANIFEST = "manifest.json"
_MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """`manifest.json` as written; `check` is the digest of all the rest."""

    format: Literal[1]
    key: str
    record: dict[str, Any]
    files: dict[str, dict[Literal["size", "sha256"], int | str]]
    notices: list[Notice]
    check: str


@dataclass(frozen=True)
class Manifest:
    """The facts of one committed result.

    `record` is the document whose SHA-256 is `key`; `files` maps a relative name to size and
    SHA-256; `notices` are the findings a cache hit repeats.
    """

    record: dict[str, Any]
    files: dict[str, FileFact]
    notices: tuple[Notice, ...]

    @property
    def stage(self) -> str:
        """Name of the stage that made the result."""
        return str(self.record["stage"])

    @cached_property
    def key(self) -> str:
        """SHA-256 of the record: the name of the entry."""
        return hashlib.sha256(self._record).hexdigest()

    @property
    def content(self) -> str:
        """Digest of names and bytes, whatever the key: what a later stage depends on."""
        return content_digest(self.files)

    def to_bytes(self) -> bytes:
        """Canonical JSON, with a digest of itself."""
        rest = {
            "format": FORMAT,
            "key": self.key,
            "files": {name: fact._asdict() for name, fact in self.files.items()},
            "notices": [notice.to_json() for notice in self.notices],
        }
        # Put together from its parts, as manifests of whole fleets are read: what the canonical
        # form of all of it is, since "check" comes first of its keys and "record" last.
        body = canonical(rest)[:-1] + b',"record":' + self._record + b"}"
        check = hashlib.sha256(body).hexdigest()
        return b'{"check":"' + check.encode("ascii") + b'",' + body[1:]

    @cached_property
    def _record(self) -> bytes:
        return canonical(self.record)

    @classmethod
    def from_bytes(cls, raw: bytes) -> "Manifest":
        """Read a manifest back; any difference to what was written raises `DamagedError`."""
        try:
            body = json.loads(raw)
            if body["format"] != FORMAT:
                raise DamagedError(f"manifest format {body['format']!r}, expected {FORMAT}")
            manifest = cls(
                record=body["record"],
                files={_safe(name): FileFact(**fact) for name, fact in body["files"].items()},
                notices=tuple(Notice.from_json(fields) for fields in body["notices"]),
            )
            if raw != manifest.to_bytes():
                raise DamagedError("manifest does not match its own digest")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DamagedError(f"manifest cannot be read ({type(error).__name__})") from error
        return manifest


def content_digest(files: Mapping[str, FileFact]) -> str:
    """Digest of a set of files: their names and their bytes."""
    return digest({name: fact.sha256 for name, fact in files.items()})


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; `FileNotFoundError` when there is none."""
    fd = os.open(folder / MANIFEST, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as source:
        raw = source.read(_MAX_BYTES + 1)
    if len(raw) > _MAX_BYTES:
        raise DamagedError(f"manifest is larger than {_MAX_BYTES} bytes")
    return Manifest.from_bytes(raw)


def _safe(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or str(path) != name or name == MANIFEST:
        raise DamagedError(f"manifest names a file outside its folder: {name!r}")
    return name
