"""Doing a task: verify its inputs, run the stage, commit the result."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from robotid import checkpoints, on_demand
from robotid.errors import RobotidError, TemporaryError
from robotid.runner.identity import code_identity, library_versions
from robotid.runner.inputs import check_unchanged
from robotid.runner.places import localised, portable
from robotid.runner.shelf import Shelf, stored_entry
from robotid.runner.task import Task
from robotid.stages.catalog import stage_in
from robotid.stages.contract import Inputs, Source, Stage
from robotid.store.files import FileFact, remove_tree
from robotid.store.store import Entry, Store


def execute(task: Task, store: Store) -> None:
    """Run a task and commit its result to the store.

    Raises `EntryDamagedError` when a stored input is gone or damaged, and `RobotidError` for all
    that is the user's to know.
    """
    stage = stage_in(task.origin)
    config = stage.config.model_validate(task.config)
    with store.workspace() as space, _kept(space, store) as made, ThreadPoolExecutor(1) as side:
        # Hashing leaves the interpreter free, so the libraries are loaded meanwhile.
        shelf = Shelf(store)
        placed = side.submit(_placed_inputs, task, stage, space, shelf)
        for module in stage.libraries:
            import_module(module)
        inputs = placed.result()
        result = space / "result"
        result.mkdir()
        made += [space / "inputs", result]
        adopted: dict[str, FileFact] = {}
        with _portable_errors(inputs, task), on_demand.provided_by(shelf.provide):
            if task.step == "run":
                with checkpoints.kept_in(store.checkpoint(stage.name, task.key)):
                    notices = stage.run(config, inputs, result)
            else:
                assert stage.gather is not None
                entries = [stored_entry(piece, store) for piece in task.parts]
                parts = _parts(task, stage, entries, space, store)
                notices = stage.gather(config, inputs, parts, result)
                adopted = _adopted(task, stage, entries, result, store)
        # The user's files are read a second time while the result is hashed and written back.
        unchanged = side.submit(_check_all_unchanged, task, stage)
        sealed = store.seal(task.record, result, portable(notices, inputs), adopted)
        unchanged.result()
        store.commit(sealed, result, replace=task.replace)
        remove_tree(store.checkpoint(stage.name, task.key))


@contextmanager
def _kept(space: Path, store: Store) -> Iterator[list[Path]]:
    """Whatever goes wrong once somebody has removed the workspace, that is why.

    It gives a list for folders that are there from then on.
    """
    made: list[Path] = []
    try:
        yield made
    except Exception as error:
        if not _removed(space, made, store, error):
            raise
        raise TemporaryError(
            "cache-removed",
            "the cache was removed while a run worked in it",
            file=str(store.root),
            hint="run again",
        ) from error


def _removed(space: Path, made: list[Path], store: Store, error: BaseException) -> bool:
    """Whether a cache is gone, or going: what is in it is removed one by one.

    Nothing outside the workspace that the store holds can be missing in any other way, and within
    it only what a stage itself left out.
    """
    if not space.exists():
        return True
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, FileNotFoundError) and link.filename is not None:
            place = Path(os.fsdecode(link.filename))
            if any(place.is_relative_to(folder) and not folder.exists() for folder in made):
                return True
            if place.is_relative_to(store.root) and not place.is_relative_to(space):
                return True
        link = link.__cause__ or link.__context__
    return False


def _placed_inputs(task: Task, stage: Stage, space: Path, shelf: Shelf) -> dict[str, list[Source]]:
    return {
        role: [
            shelf.place(
                piece, space / "inputs" / role / str(position), stage.inputs[role].on_demand
            )
            for position, piece in enumerate(pieces)
        ]
        for role, pieces in task.inputs.items()
    }


def _parts(
    task: Task, stage: Stage, entries: Sequence[Entry], space: Path, store: Store
) -> Iterator[Source]:
    """What `gather` may read of the parts, one after the other: all but what is passed on.

    They take turns in one folder. To remove one takes a millisecond, and there may be thousands.
    """
    folder = space / "part"
    for piece, entry in zip(task.parts, entries, strict=True):
        names = [name for name in entry.manifest.files if name != stage.part_file]
        folder.mkdir(exist_ok=True)
        store.check_out(entry, folder, names)
        yield Source(piece.name, folder, piece.digest, proven=True)
        for name in names:
            (folder / name).unlink()


@contextmanager
def _portable_errors(inputs: Inputs, task: Task) -> Iterator[None]:
    """Let errors name inputs as the user knows them, not as the stage saw them."""
    try:
        yield
    except RobotidError as error:
        (notice,) = localised(portable([error.notice], inputs), task)
        raise RobotidError.from_notice(notice, error.exit_code) from error


def _adopted(
    task: Task, stage: Stage, entries: Sequence[Entry], result: Path, store: Store
) -> dict[str, FileFact]:
    """Pass the large file of each part on, under the part's name."""
    facts = {}
    for piece, entry in zip(task.parts, entries, strict=True):
        name = piece.name + Path(stage.part_file).suffix
        fact = store.adopt(entry, stage.part_file, result / name, verify=task.thorough)
        if fact is not None:
            facts[name] = fact
    return facts


def _check_all_unchanged(task: Task, stage: Stage) -> None:
    """Prove that inputs and code still are what the key was made from."""
    for pieces in task.inputs.values():
        for piece in pieces:
            check_unchanged(piece)
    now = code_identity(stage, fresh=True), library_versions(stage, fresh=True)
    if now != (task.record["code"], task.record["numerics"]):
        raise TemporaryError(
            "code-changed",
            "robotid or a library it uses was replaced while it was running; nothing was kept",
            hint="run again",
        )
