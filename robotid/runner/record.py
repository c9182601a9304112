"""A note of every run in the cache: which results it used, for `cache explain` and for pins."""

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from robotid.runner.result import RunResult
from robotid.store.files import replace_file
from robotid.store.store import Store

_KEPT = 200


def record_run(store: Store, result: RunResult, name: str | None = None) -> str | None:
    """Write the note and return the run's name; a name of the user's pins what the run used.

    Nothing is written for a store that does not last, and a failed run does not take the place of
    an earlier one of its name. A note that cannot be written is no reason
    to fail a run that has succeeded: the store gets a warning instead.
    """
    if not store.lasting or (name is not None and result.error is not None):
        return None
    run = name or f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid4().hex[:4]}"
    stages = [
        {"name": stage.node.name, "stage": stage.node.stage.name, "keys": stage.keys}
        for stage in result.stages
    ]
    try:
        folder = store.folder("runs")
        note = {"format": 1, "pinned": name is not None, "stages": stages}
        replace_file(folder / f"{run}.json", json.dumps(note, indent=1).encode(), mode=0o444)
        _drop_old(folder)
    except OSError as error:
        said = f"the run was not noted: {error.strerror}"
        store.warn("run-not-noted", said, store.root / "runs")
    return run


def _drop_old(folder: Path) -> None:
    """Keep the newest notes of runs without a name of their own."""
    unnamed = sorted(folder.glob("[0-9]*-[0-9]*-*.json"))
    for path in unnamed[:-_KEPT]:
        path.unlink(missing_ok=True)
