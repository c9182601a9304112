"""Why a result was computed again: which field of its key differs from the nearest cached one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from robotid.errors import BadDataError, InputMissingError, UsageError
from robotid.store.files import DamagedError
from robotid.store.housekeeping import stored
from robotid.store.manifest import MANIFEST, Manifest, read_manifest
from robotid.store.store import Store

_LOOK_AT = 200
_SHORTEST_PREFIX = 4
_SHA256_LENGTH = 64
_ORDER = ("config", "inputs", "parts", "code", "numerics")


class Difference(NamedTuple):
    """A field of the key document and its two values as text; `-` where one has no such field."""

    field: str
    before: str
    now: str


class Explanation(NamedTuple):
    """A result and how its key differs from the nearest other one of the same stage."""

    manifest: Manifest
    nearest: str | None
    differences: list[Difference]


class Explainer:
    """Compares results with what is in a store; the entries of a stage are read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._manifests: dict[str, list[Manifest]] = {}

    def explain(self, name: str) -> list[Explanation]:
        """Explain a run, an output folder or a key (or its first characters).

        Every result of it is compared with the most similar other entry of its stage.
        """
        return [self._explained(manifest) for manifest in self._named(name)]

    def why_missing(self, record: dict[str, Any]) -> str:
        """One line on why there is no entry for this record."""
        found = self._nearest(record)
        if found is None:
            return f"no earlier result of {record['stage']}"
        first, *others = differences(found.record, record)
        more = f" and {len(others)} more" if others else ""
        return f"{first.field} {first.before} -> {first.now}{more}"

    def _explained(self, manifest: Manifest) -> Explanation:
        found = self._nearest(manifest.record)
        if found is None:
            return Explanation(manifest, None, [])
        return Explanation(manifest, found.key, differences(found.record, manifest.record))

    def _nearest(self, record: dict[str, Any]) -> Manifest | None:
        """The entry of the same stage and step with the fewest differing fields, newest first."""
        stage = str(record["stage"])
        if stage not in self._manifests:
            self._manifests[stage] = list(self._newest(stage))
        best: tuple[int, Manifest] | None = None
        for other in self._manifests[stage]:
            count = len(differences(other.record, record))
            same_step = other.record.get("step") == record.get("step")
            if same_step and count and (best is None or count < best[0]):
                best = count, other
        return best[1] if best else None

    def _newest(self, stage: str) -> Iterator[Manifest]:
        items = sorted(stored(self._store, stage), key=lambda item: (item.age_s, item.path.name))
        for item in items[:_LOOK_AT]:
            try:
                yield read_manifest(item.path)
            except (OSError, DamagedError):
                continue

    def _named(self, name: str) -> Iterator[Manifest]:
        if (self._store.root / "runs" / f"{name}.json").is_file() and Path(name).name == name:
            yield from self._of_run(self._store.root / "runs" / f"{name}.json")
        elif (Path(name) / MANIFEST).is_file():
            yield _readable(Path(name))
        else:
            yield _readable(self._by_prefix(name))

    def _of_run(self, note: Path) -> Iterator[Manifest]:
        try:
            stages = json.loads(note.read_bytes())["stages"]
            wanted = [(stage["stage"], key) for stage in stages for key in stage["keys"]]
        except (ValueError, KeyError, TypeError) as error:
            raise BadDataError(
                "bad-run", "the note of this run is damaged", file=str(note)
            ) from error
        for stage, key in wanted:
            entry = self._store.find(stage, key, touch=False)
            if entry is not None:
                yield entry.manifest

    def _by_prefix(self, name: str) -> Path:
        prefix = name.lower()
        paths = [item.path for item in stored(self._store) if item.path.name.startswith(prefix)]
        if not paths or len(name) < _SHORTEST_PREFIX:
            known = sorted(path.stem for path in (self._store.root / "runs").glob("*.json"))
            raise InputMissingError(
                "unknown-run",
                f"{name!r} is no run, output folder or key ({_SHORTEST_PREFIX} characters or more)",
                hint=f"runs: {', '.join(known[-5:])}" if known else None,
            )
        if len(paths) > 1:
            raise UsageError(
                "ambiguous-key",
                f"{name!r} stands for {len(paths)} entries",
                hint="; ".join(path.name for path in paths[:5]),
            )
        return paths[0]


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[Difference]:
    """Fields in which two key documents differ; configuration first, then inputs, then code."""
    old, new = dict(_flat(before)), dict(_flat(now))

    def rank(field: str) -> tuple[int, str]:
        head = field.split(".")[0].split("[")[0]
        return (_ORDER.index(head) if head in _ORDER else -1, field)

    changed = [field for field in old.keys() | new.keys() if old.get(field) != new.get(field)]
    return [
        Difference(field, old.get(field, "-"), new.get(field, "-"))
        for field in sorted(changed, key=rank)
    ]


def _readable(folder: Path) -> Manifest:
    try:
        return read_manifest(folder)
    except DamagedError as error:
        raise BadDataError("input-damaged", str(error), file=str(folder / MANIFEST)) from error


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(item, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _flat(item, f"{prefix}[{position}]")
    else:
        yield prefix, _shown(value)


def _shown(value: Any) -> str:
    """A tagged value as a person writes it; digests are cut to twelve characters."""
    if isinstance(value, str):
        if value.startswith("f:"):
            return repr(float.fromhex(value[2:]))
        if value.startswith("s:"):
            return repr(value[2:])
        return value[:12] if len(value) == _SHA256_LENGTH else value
    return json.dumps(value)
