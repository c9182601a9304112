"""Doing a task: verify its inputs, run the stage, commit the result."""

from collections.abc import Iterator
from pathlib import Path

from robotid.errors import TemporaryError
from robotid.runner.identity import code_identity, library_versions
from robotid.runner.inputs import check_unchanged
from robotid.runner.task import Piece, Task
from robotid.stages.catalog import stage_in
from robotid.stages.contract import Source
from robotid.store.store import EntryDamagedError, Store


def execute(task: Task, store: Store) -> None:
    """Run a task and commit its result to the store.

    Raises `EntryDamagedError` when a stored input is gone or damaged, and `RobotidError` for all
    that is the user's to know.
    """
    stage = stage_in(task.origin)
    if (code_identity(stage), library_versions(stage)) != (
        task.record["code"],
        task.record["numerics"],
    ):
        raise TemporaryError(
            "code-changed",
            "robotid or a library it uses was replaced while it was running",
            hint="run again",
        )
    config = stage.config.model_validate(task.config)
    with store.workspace() as space:
        inputs = {
            role: [
                _placed(piece, space / "inputs" / role / str(position), store)
                for position, piece in enumerate(pieces)
            ]
            for role, pieces in task.inputs.items()
        }
        result = space / "result"
        result.mkdir()
        if task.step == "run":
            notices = stage.run(config, inputs, result)
        else:
            assert stage.gather is not None
            parts = [
                _placed(piece, space / "parts" / str(position), store)
                for position, piece in enumerate(task.parts)
            ]
            notices = stage.gather(config, inputs, parts, result)
        for piece in _all_pieces(task):
            check_unchanged(piece)
        store.commit(task.record, result, notices, replace=task.replace)


def _placed(piece: Piece, folder: Path, store: Store) -> Source:
    """An input where the stage can read it: the user's own path, or verified links."""
    if piece.path is not None:
        return Source(piece.name, Path(piece.path))
    entry = store.find(piece.stage, piece.key)
    if entry is None:
        raise EntryDamagedError(piece.stage, piece.key)
    folder.mkdir(parents=True)
    store.check_out(entry, folder, piece.files)
    if piece.single and piece.files is not None:
        return Source(piece.name, folder / piece.files[0])
    return Source(piece.name, folder)


def _all_pieces(task: Task) -> Iterator[Piece]:
    for pieces in task.inputs.values():
        yield from pieces
