"""An independent checker of a cache folder: own code from the documented format, no robotid.

    python benchmarks/check_store.py CACHE

Every visible entry must be whole: the manifest is the canonical JSON of itself, its digest and key
are right, and every file has the size and SHA-256 it names. Prints what is wrong; exit code 1 then.
"""

import hashlib
import json
import sys
from pathlib import Path


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def faults_of_entry(folder: Path) -> list[str]:
    """What is wrong with one entry."""
    try:
        raw = (folder / "manifest.json").read_bytes()
        manifest = json.loads(raw)
    except (OSError, ValueError) as error:
        return [f"{folder}: manifest {error}"]
    faults = []
    if raw != canonical(manifest):
        faults.append(f"{folder}: manifest is not canonical")
    body = {key: value for key, value in manifest.items() if key != "check"}
    if manifest.get("check") != sha(canonical(body)):
        faults.append(f"{folder}: manifest digest")
    if not manifest["key"] == folder.name == sha(canonical(manifest["record"])):
        faults.append(f"{folder}: key")
    for name, fact in manifest["files"].items():
        try:
            data = (folder / name).read_bytes()
        except OSError as error:
            faults.append(f"{folder}: {error}")
            continue
        if len(data) != fact["size"] or sha(data) != fact["sha256"]:
            faults.append(f"{folder}: {name} has other bytes")
    return faults


def check(root: Path) -> tuple[int, list[str]]:
    """Number of entries and all faults of a cache."""
    entries = sorted(root.glob("entries/*/??/*"))
    return len(entries), [fault for entry in entries for fault in faults_of_entry(entry)]


if __name__ == "__main__":
    count, faults = check(Path(sys.argv[1]))
    print(f"{count} entries, {len(faults)} faults")
    for fault in faults:
        print(fault)
    sys.exit(bool(faults))
