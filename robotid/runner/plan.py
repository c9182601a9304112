"""The tasks of a stage: one, or one per part and one that gathers."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from robotid.errors import BadDataError, UsageError
from robotid.runner.graph import Graph, Node, is_reference
from robotid.runner.inputs import Located, expand, locate, part_digest, size_of, stored
from robotid.runner.task import Piece, Step, Task, make_task
from robotid.stages.contract import Input, StageConfig
from robotid.store.digests import Digests
from robotid.store.manifest import content_digest
from robotid.store.store import Entry

_LONGEST_NAME = 200  # leaves room for suffixes below the 255 bytes of most file systems


class InputResolver:
    """Finds the inputs of nodes; the files of each node are read and hashed once."""

    def __init__(self, graph: Graph, digests: Digests) -> None:
        """Check that all paths of a graph exist: before hours of work, not after.

        `digests` knows what files hold that nobody has touched since they were read.
        """
        self._digests = digests
        self._paths = {
            (node.name, role): expand(
                [s for s in sources if not is_reference(s)],
                graph.base,
                node.stage.inputs[role].kind,
            )
            for node in graph.nodes
            for role, sources in node.inputs.items()
        }
        self._kinds = {node.name: node.stage.output for node in graph.nodes}
        self._located: dict[tuple[str, str], list[Located]] = {}

    def refuse_as_outputs(self, targets: Iterable[Path]) -> None:
        """Fail if an output would replace an input, or a folder that an input lies in."""
        inputs = {os.path.realpath(path): path for paths in self._paths.values() for path in paths}
        for target in targets:
            folder = os.path.realpath(target)
            for real, path in inputs.items():
                if real == folder or real.startswith(folder.rstrip(os.sep) + os.sep):
                    raise UsageError(
                        "output-is-input",
                        f"the result would replace an input of it, {path}",
                        file=str(target),
                        hint="choose another --out",
                    )

    def bytes_to_hash(self, node: Node) -> int:
        """How much of the user's files has to be read before the inputs of a node are known."""
        unread = [
            self._paths[node.name, r] for r in node.inputs if (node.name, r) not in self._located
        ]
        return sum(size_of(path) for paths in unread for path in paths)

    def given(self, node: Node, results: Mapping[str, Entry]) -> dict[str, list[Located]]:
        """All inputs of a node with known bytes; `results` are those of the nodes it needs."""
        given: dict[str, list[Located]] = {}
        for role, sources in node.inputs.items():
            place = node.name, role
            if place not in self._located:
                self._located[place] = locate(
                    self._paths[place], node.stage.inputs[role], self._digests.fact
                )
            references = [source[1:] for source in sources if is_reference(source)]
            given[role] = self._located[place] + [
                located
                for name in references
                for located in stored(
                    name, results[name], self._kinds[name], node.stage.inputs[role]
                )
            ]
        return given


class Plan:
    """What a node has to do, once all its inputs are known.

    `flags` are those of its tasks. `tasks` holds the tasks by part name; a stage that is not
    mapped has one, under the empty name. `gather` gives the last task of a mapped stage from the
    results of the others.
    """

    def __init__(self, node: Node, given: Mapping[str, Sequence[Located]], **flags: bool) -> None:
        self._node, self._flags = node, flags
        self._parts: list[Piece] = []
        self._rest: dict[str, list[Piece]] = {}
        for role, sources in given.items():
            cuts = [_cut(source, node.stage.inputs[role]) for source in sources]
            self._parts += [part for parts, _ in cuts for part in parts]
            self._rest[role] = [rest for _, rest in cuts if rest is not None]
            if node.stage.inputs[role].named:
                _must_differ(node.name, [piece.name for piece in self._rest[role]])
                if not node.stage.inputs[role].ordered:
                    self._rest[role].sort(key=lambda piece: piece.name)
        self._parts.sort(key=lambda part: part.name)
        self.mapped = node.stage.mapped_role
        if self.mapped is None:
            self.tasks = {"": self._task("run", node.name, node.config, self._rest)}
        else:
            self.tasks = self._part_tasks(self.mapped)

    def gather(self, results: Mapping[str, Entry]) -> Task:
        """The task that puts the results of the parts together."""
        parts = [
            _whole(Located(name, entry.manifest.files, entry=entry), name)
            for name, entry in sorted(results.items())
        ]
        return self._task("gather", self._node.name, self._node.config, self._rest, parts)

    def _part_tasks(self, role: str) -> dict[str, Task]:
        if not self._parts:
            raise BadDataError("no-parts", f"{self._node.name}: the input holds nothing to work on")
        _must_differ(self._node.name, [part.name for part in self._parts])
        for part in self._parts:
            if len(os.fsencode(part.name)) > _LONGEST_NAME:
                said = f"a name of more than {_LONGEST_NAME} bytes: {part.name[:40]}…"
                raise UsageError("name-too-long", said, hint="rename the file")
        # What only `gather` reads must not run the parts again.
        defaults = {
            key: self._node.stage.config.model_fields[key].get_default(call_default_factory=True)
            for key in self._node.stage.gather_keys
        }
        config = self._node.config.model_copy(update=defaults)
        return {
            part.name: self._task(
                "run",
                f"{self._node.name}[{part.name}]",
                config,
                {**self._rest, role: [replace(part, name="")]},
            )
            for part in self._parts
        }

    def _task(
        self,
        step: Step,
        label: str,
        config: StageConfig,
        inputs: Mapping[str, Sequence[Piece]],
        parts: Sequence[Piece] = (),
    ) -> Task:
        return make_task(label, self._node.stage, step, config, inputs, parts, **self._flags)


def _must_differ(node: str, names: Sequence[str]) -> None:
    """Two inputs of one name would hide each other."""
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(
                "same-name",
                f"{node}: {count} inputs are called {name!r}",
                hint="rename a file, a folder or a stage",
            )


def _cut(source: Located, given: Input) -> tuple[list[Piece], Piece | None]:
    """Cut an input into the parts a stage is mapped over, and the rest.

    Where the stage is not mapped over it there are no parts, and the rest is the whole.
    """
    if given.each is None:
        return [], _whole(source, source.name if given.named else "")
    if given.each == "":
        return [_whole(source, source.name)], None
    chosen = sorted(name for name in source.files if fnmatch(name, given.each))
    others = {name: fact for name, fact in source.files.items() if name not in set(chosen)}
    whole = _whole(source, "")
    rest = replace(whole, digest=content_digest(others), files=tuple(others))
    return [_part(source, whole, name, given.beside) for name in chosen], rest


def _part(source: Located, whole: Piece, name: str, beside: str) -> Piece:
    part = replace(whole, name=Path(name).stem, digest=source.files[name].sha256)
    belonging = part.name + beside
    if beside and belonging in source.files:
        files = {name: source.files[name], belonging: source.files[belonging]}
        return replace(part, digest=part_digest(files), files=tuple(files), single=True)
    if source.path is not None:
        return replace(part, path=str(source.path / name))
    return replace(part, files=(name,), single=True)


def _whole(source: Located, name: str) -> Piece:
    if source.entry is None:
        return Piece(name=name, digest=source.digest, path=str(source.path))
    stage, key = source.entry.manifest.stage, source.entry.key
    whole = Piece(name=name, digest=source.digest, stage=stage, key=key)
    return replace(whole, files=(source.file,), single=True) if source.file else whole
