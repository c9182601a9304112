"""Stages and their references: who needs whom, and in which order."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from robotid.errors import ConfigError, UsageError, nearest
from robotid.stages.catalog import stage_named
from robotid.stages.contract import FILES_IN, Stage, StageConfig

LineOf = Callable[[tuple[str, ...]], int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A stage with its configuration and inputs: paths, or `@name` for another node's result.

    `made_for` names the table that it makes an input of which nobody asked for by name. `origin` is
    the table of a pipeline file that it comes from, where that is not its name.
    """

    name: str
    stage: Stage
    config: StageConfig
    inputs: Mapping[str, tuple[str, ...]]
    deliver: bool = True
    made_for: str = ""
    origin: str = ""

    @property
    def table(self) -> str:
        """The table of the pipeline file that it comes from; its variations have it in common."""
        return self.origin or self.name

    @property
    def is_varied(self) -> bool:
        """Whether it is one of the variations of a sweep."""
        return self.table != self.name

    def is_of(self, name: str) -> bool:
        """Whether it is what a user means by a name: itself, or all of a table."""
        return name in (self.name, self.table, self.made_for)

    def needs(self) -> list[str]:
        """Names of the nodes whose results it takes."""
        return [
            given[1:] for paths in self.inputs.values() for given in paths if is_reference(given)
        ]


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in an order in which each comes after all it needs; `base` is where paths start."""

    nodes: tuple[Node, ...]
    base: Path

    @classmethod
    def of(
        cls,
        nodes: Iterable[Node],
        base: Path,
        file: str | None = None,
        line_of: LineOf | None = None,
    ) -> "Graph":
        """Check all references and bring the nodes into order."""
        given_nodes = list(nodes)
        for node in given_nodes:
            _check_keys(node, file, line_of)
        by_name = {node.name: node for node in with_made_inputs(given_nodes)}

        def fail(code: str, node: str, message: str, hint: str | None = None) -> ConfigError:
            line = line_of(("stages", by_name[node].table, "inputs")) if line_of else None
            return ConfigError(code, message, file=file, line=line, hint=hint)

        for node in by_name.values():
            for role, paths in node.inputs.items():
                for given in filter(is_reference, paths):
                    where = f"stages.{node.name}.inputs.{role}: {given!r}"
                    other = by_name.get(given[1:])
                    if other is None:
                        hint = nearest(given[1:], by_name)
                        raise fail("dangling-reference", node.name, f"{where}: no such stage", hint)
                    wanted = node.stage.inputs[role].kind
                    if other.stage.output != wanted and not stands_for_files(other, wanted):
                        said = f"{where} is a {other.stage.output}, a {wanted} is needed"
                        raise fail("wrong-kind", node.name, said)
        ordered: dict[str, Node] = {}
        remaining = dict(by_name)
        while remaining:
            ready = [n for n in remaining.values() if all(name in ordered for name in n.needs())]
            if not ready:
                cycle = _cycle(remaining)
                raise fail("cycle", cycle[0], f"stages need each other: {' -> '.join(cycle)}")
            for node in ready:
                ordered[node.name] = remaining.pop(node.name)
        return cls(tuple(ordered.values()), base)

    def until(self, name: str) -> "Graph":
        """The part of the graph that ends in one node, or in all variations of one."""
        nodes = {node.name: node for node in self.nodes}
        wanted: set[str] = set()
        pending = [node.name for node in self.nodes if name in (node.name, node.table)]
        if not pending:
            tables = dict.fromkeys(node.table for node in self.nodes)
            hint = nearest(name, tables)
            raise UsageError("unknown-stage", f"no stage {name!r} in this pipeline", hint=hint)
        while pending:
            current = pending.pop()
            if current not in wanted:
                wanted.add(current)
                pending.extend(nodes[current].needs())
        return Graph(tuple(node for node in self.nodes if node.name in wanted), self.base)


def _check_keys(node: Node, file: str | None, line_of: LineOf | None) -> None:
    """Refuse keys that do nothing with these inputs, where the file has them."""
    if node.stage.check is None:
        return
    try:
        node.stage.check(node.config, node.inputs)
    except ConfigError as error:
        key, _, said = error.notice.message.partition(": ")
        where = ("stages", node.table, key)
        if file is None:
            raise
        raise ConfigError(
            error.notice.code,
            f"{'.'.join(where)}: {said}",
            file=file,
            line=line_of(where) if line_of else None,
            hint=error.notice.hint,
        ) from error


def with_made_inputs(nodes: Iterable[Node]) -> list[Node]:
    """The nodes, and those that make inputs which are not given (see `Input.made_by`).

    Two nodes that need the same input share what makes it.
    """
    result: list[Node] = []
    for node in nodes:
        inputs = dict(node.inputs)
        for role, given in node.stage.inputs.items():
            if given.made_by and role not in inputs:
                maker = _maker(node, role, given.made_by)
                same = next((other for other in result if _same_work(other, maker)), None)
                if same is None:
                    result.append(maker)
                inputs[role] = (f"@{(same or maker).name}",)
        result.append(replace(node, inputs=inputs))
    return result


def _maker(node: Node, role: str, made_by: str) -> Node:
    stage = stage_named(made_by)
    config = stage.config(**{key: getattr(node.config, key) for key in stage.config.model_fields})
    inputs = {name: node.inputs[name] for name in stage.inputs if name in node.inputs}
    name = f"{node.name}.{role}"
    return Node(
        name=name,
        stage=stage,
        config=config,
        inputs=inputs,
        deliver=False,
        made_for=node.table,
        origin=f"{node.table}.{role}",
    )


def _same_work(one: Node, other: Node) -> bool:
    return one.stage is other.stage and one.config == other.config and one.inputs == other.inputs


def is_reference(given: str) -> bool:
    """Whether an input names another node's result."""
    return given.startswith("@")


def stands_for_files(node: Node, wanted: str) -> bool:
    """Whether a node's result is given where files are wanted, and holds some."""
    return wanted in ("file", "log") and node.stage.output in FILES_IN


def _cycle(nodes: Mapping[str, Node]) -> list[str]:
    """Names along one cycle, the first repeated at the end."""
    path = [next(iter(nodes))]
    while path.count(path[-1]) == 1:
        path.append(next(name for name in nodes[path[-1]].needs() if name in nodes))
    return path[path.index(path[-1]) :]
