"""One piece of work for one process, and its cache key."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from robotid.runner.identity import code_identity, library_versions
from robotid.stages.contract import Stage, StageConfig
from robotid.store.canonical import digest, tagged
from robotid.store.files import FileFact
from robotid.store.manifest import FORMAT

Step = Literal["run", "gather"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One input of a task: a user's path, or files of a stored result.

    Args:
        name: its name, where the stage may see it; it then is part of the key.
        digest: what its bytes are known by.
        path: the user's file or folder.
        stage, key: the stored result.
        files: which of its files; None means all.
        single: the task gets the path of the first of these files, not of the folder around it;
            others lie beside it.
        given: its files by name, where they have come to the store one by one because neither the
            path nor the stored result can be seen from there.
    """

    digest: str
    name: str = ""
    path: str | None = None
    stage: str = ""
    key: str = ""
    files: tuple[str, ...] | None = None
    single: bool = False
    given: Mapping[str, FileFact] | None = None

    @property
    def place(self) -> str:
        """Where it is, as a user may know it: a path, or the stage that wrote it and the file."""
        one = self.files[:1] if self.single and self.files is not None else ()
        return "/".join([self.path or self.stage, *one])

    def identity(self) -> Any:
        """What of it is part of the cache key."""
        return [self.name, self.digest] if self.name else self.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Run a stage, or gather the results of its parts.

    `replace` puts the result in the place of one with other bytes; `thorough` verifies also what
    is only passed on, after damage has been met.
    """

    label: str
    origin: str
    step: Step
    config: dict[str, Any]
    inputs: dict[str, tuple[Piece, ...]]
    parts: tuple[Piece, ...]
    record: dict[str, Any]
    key: str
    replace: bool = False
    thorough: bool = False

    @property
    def stage(self) -> str:
        """Name of the stage."""
        return str(self.record["stage"])

    def to_json(self) -> dict[str, Any]:
        """For the way to another process."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Task":
        """The task another process sent."""
        inputs = {
            role: tuple(_piece(piece) for piece in pieces)
            for role, pieces in fields["inputs"].items()
        }
        parts = tuple(_piece(piece) for piece in fields["parts"])
        return cls(**{**fields, "inputs": inputs, "parts": parts})


def make_task(
    label: str,
    stage: Stage,
    step: Step,
    config: StageConfig,
    inputs: Mapping[str, Sequence[Piece]],
    parts: Sequence[Piece] = (),
    **flags: bool,
) -> Task:
    """A task with the record that its key is the digest of.

    `flags` are `replace` and `thorough` of the task. Paths, times, host, number of processes and
    locale are not in the record.
    """
    record = {
        "format": FORMAT,
        "stage": stage.name,
        "step": step,
        "code": code_identity(stage),
        "numerics": library_versions(stage),
        "config": tagged(config.model_dump()),
        "inputs": {role: [piece.identity() for piece in inputs[role]] for role in inputs},
        "parts": [piece.identity() for piece in parts],
    }
    return Task(
        label=label,
        origin=stage.origin,
        step=step,
        config=config.model_dump(mode="json"),
        inputs={role: tuple(pieces) for role, pieces in inputs.items()},
        parts=tuple(parts),
        record=record,
        key=digest(record),
        **flags,
    )


def _piece(fields: dict[str, Any]) -> Piece:
    files, given = fields["files"], fields["given"]
    if given is not None:
        given = {name: FileFact(*fact) for name, fact in given.items()}
    return Piece(**{**fields, "files": None if files is None else tuple(files), "given": given})
