"""A task on its way to a worker: with the versions it wants and what is known of its inputs."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from robotid.errors import Notice
from robotid.release import __version__
from robotid.runner.identity import other_versions
from robotid.runner.task import Piece, Task
from robotid.stages.catalog import stage_in
from robotid.store.files import FileFact

Stamps = list[tuple[str, int, int]]  # see `runner/inputs.stamps`


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an input where the run is.

    Args:
        stamps: of a user's files: a worker that finds them under the same path takes them.
        files: to be sent to a worker that sees neither path nor stored result; None if that has
            not been necessary yet.
        single: the input is the first of these files.
    """

    stamps: Stamps | None = None
    files: Mapping[str, FileFact] | None = None
    single: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A task, the store it is for, and how to tell whether a worker sees the same store.

    `probe` is a file in the store and what it holds; `known` goes with the inputs of the task;
    `holders` are the workers that a file can be had from, by digest.
    """

    session: str
    task: Task
    store: dict[str, Any]
    probe: tuple[str, str]
    known: Mapping[str, tuple[Known, ...]]
    holders: Mapping[str, tuple[str, ...]]

    def to_text(self) -> str:
        """For the way to a worker."""
        return json.dumps({"robotid": __version__, **asdict(self)})

    @classmethod
    def from_text(cls, text: str) -> "Job":
        """The job that was sent; `OtherVersionError` where this robotid cannot do it."""
        fields = json.loads(text)
        wanted = fields.pop("robotid")
        if wanted != __version__:
            raise OtherVersionError([f"robotid {__version__} there, {wanted} here"])
        fields["task"] = Task.from_json(fields["task"])
        fields["known"] = {
            role: tuple(_known(one) for one in of_role) for role, of_role in fields["known"].items()
        }
        fields["probe"] = tuple(fields["probe"])
        job = cls(**fields)
        other = other_versions(job.task.record, stage_in(job.task.origin))
        if other:
            raise OtherVersionError(other)
        return job

    def pieces(self) -> Iterable[tuple[str, Piece, Known]]:
        """The inputs of the task by role, each with what is known of it."""
        for role, pieces in self.task.inputs.items():
            for piece, known in zip(pieces, self.known[role], strict=True):
                yield role, piece, known


class OtherVersionError(Exception):
    """Code or libraries are not those that the key of a task was made from."""

    def __init__(self, differences: list[str]) -> None:
        super().__init__(", ".join(differences))
        self.differences = differences


@dataclass(frozen=True, slots=True)
class Lacking:
    """What a worker has to be sent before it can do a task.

    Args:
        files: digests.
        unseen: digests of inputs whose files it cannot see and has not been told of.
        lost: workers that had a file and did not give it.
    """

    files: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    def to_answer(self) -> dict[str, Any]:
        """As a worker's answer."""
        event: Literal["lacking"] = "lacking"
        return {"event": event, **asdict(self)}

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> "Lacking":
        """What `to_answer` said."""
        return cls(tuple(answer["files"]), tuple(answer["unseen"]), tuple(answer["lost"]))


def anywhere(task: Task) -> Task:
    """The task with the whole paths of a user's files: workers are in other folders."""
    inputs = {
        role: tuple(
            piece if piece.path is None else replace(piece, path=str(Path(piece.path).absolute()))
            for piece in pieces
        )
        for role, pieces in task.inputs.items()
    }
    return replace(task, inputs=inputs)


def as_given(notice: Notice, task: Task) -> Notice:
    """A finding of a worker, with paths as the user gave them."""
    for piece in (piece for pieces in task.inputs.values() for piece in pieces):
        if piece.path is not None and notice.file is not None:
            whole = str(Path(piece.path).absolute())
            if notice.file == whole or notice.file.startswith(whole + os.sep):
                return replace(notice, file=piece.path + notice.file.removeprefix(whole))
    return notice


def given(piece: Piece, known: Known) -> Piece:
    """An input whose files come to the worker's store one by one."""
    return replace(piece, given=known.files, single=known.single)


def _known(fields: Mapping[str, Any]) -> Known:
    stamps, files = fields["stamps"], fields["files"]
    return Known(
        stamps=None if stamps is None else [(name, size, time) for name, size, time in stamps],
        files=None if files is None else {n: FileFact(*fact) for n, fact in files.items()},
        single=fields["single"],
    )
