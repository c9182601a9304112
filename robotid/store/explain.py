"""Why a result was computed again: which field of its key differs from the nearest cached one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from robotid.errors import InputMissingError, UsageError
from robotid.store.files import DamagedError
from robotid.store.housekeeping import stored
from robotid.store.manifest import MANIFEST, Manifest, read_manifest
from robotid.store.store import Store

_LOOK_AT = 200


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


def explain(store: Store, name: str) -> list[Explanation]:
    """Explain a run, an output folder or a key (or its first characters).

    Every result of it is compared with the most similar other entry of its stage.
    """
    return [_explained(store, manifest) for manifest in _named(store, name)]


def why_missing(store: Store, record: dict[str, Any]) -> str:
    """One line on why there is no entry for this record."""
    found = _nearest(store, record)
    if found is None:
        return f"no earlier result of {record['stage']}"
    first, *others = differences(found.record, record)
    more = f" and {len(others)} more" if others else ""
    return f"{first.field} {first.before} -> {first.now}{more}"


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[Difference]:
    """Fields in which two key documents differ; configuration first, then inputs, then code."""
    old, new = dict(_flat(before)), dict(_flat(now))
    order = ("config", "inputs", "parts", "code", "numerics")
    fields = sorted(
        (field for field in old.keys() | new.keys() if old.get(field) != new.get(field)),
        key=lambda field: (
            order.index(head) if (head := field.split(".")[0]) in order else -1,
            field,
        ),
    )
    return [Difference(field, old.get(field, "-"), new.get(field, "-")) for field in fields]


def _explained(store: Store, manifest: Manifest) -> Explanation:
    found = _nearest(store, manifest.record)
    if found is None:
        return Explanation(manifest, None, [])
    return Explanation(manifest, found.key, differences(found.record, manifest.record))


def _nearest(store: Store, record: dict[str, Any]) -> Manifest | None:
    """The entry of the same stage and step with the fewest differing fields, newest first."""
    items = sorted(stored(store, record["stage"]), key=lambda item: (item.age_s, item.path.name))
    best: tuple[int, Manifest] | None = None
    for item in items[:_LOOK_AT]:
        try:
            other = read_manifest(item.path)
        except (OSError, DamagedError):
            continue
        count = len(differences(other.record, record))
        if (
            count
            and other.record.get("step") == record.get("step")
            and (best is None or count < best[0])
        ):
            best = count, other
    return best[1] if best else None


def _named(store: Store, name: str) -> Iterator[Manifest]:
    run = store.root / "runs" / f"{name}.json"
    if Path(name).name == name and run.is_file():
        for stage in json.loads(run.read_bytes())["stages"]:
            for key in stage["keys"]:
                entry = store.find(stage["stage"], key)
                if entry is not None:
                    yield entry.manifest
        return
    if (Path(name) / MANIFEST).is_file():
        yield read_manifest(Path(name))
        return
    paths = [item.path for item in stored(store) if item.path.name.startswith(name.lower())]
    if not paths or len(name) < 4:
        known = sorted(path.stem for path in (store.root / "runs").glob("*.json"))
        raise InputMissingError(
            "unknown-run",
            f"{name!r} is no run, output folder or key of at least 4 characters",
            hint=f"runs: {', '.join(known[-5:])}" if known else None,
        )
    if len(paths) > 1:
        raise UsageError(
            "ambiguous-key",
            f"{name!r} stands for {len(paths)} entries",
            hint="; ".join(path.name for path in paths[:5]),
        )
    yield read_manifest(paths[0])


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
        return value[:12] if len(value) == 64 else value
    return json.dumps(value)
