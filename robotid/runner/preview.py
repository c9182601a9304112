"""What a run would do: which results are there, which are not, and why not."""

from dataclasses import dataclass, replace
from typing import Literal

from robotid.runner.graph import Graph, Node
from robotid.runner.plan import InputResolver, Plan
from robotid.runner.task import Task
from robotid.store.digests import Digests
from robotid.store.explain import Explainer
from robotid.store.store import Entry, Store

_NAMED = 3  # of many stages that one waits for


@dataclass(frozen=True, slots=True)
class Preview:
    """One task: `hit`, `miss` or `unknown` (its inputs do not exist yet), and why."""

    stage: str
    task: str
    state: Literal["hit", "miss", "unknown"]
    why: str
    key: str | None


def preview(graph: Graph, store: Store, *, recompute: bool = False) -> list[Preview]:
    """Look at every stage of a graph without running anything, nor counting as a use."""
    resolver, results, lines = (
        InputResolver(graph, Digests(store)),
        dict[str, Entry](),
        list[Preview](),
    )
    explainer = Explainer(store)
    for node in graph.nodes:
        waiting = [name for name in node.needs() if name not in results]
        if waiting:
            more = f" and {len(waiting) - _NAMED} more" if len(waiting) > _NAMED else ""
            why = f"waits for {', '.join(waiting[:_NAMED])}{more}"
            lines.append(Preview(node.name, node.name, "unknown", why, None))
            continue
        plan = Plan(node, resolver.given(node, results))
        looked, entry = _look(node, plan, store, explainer)
        if recompute:
            looked = [replace(line, state="miss", why="--recompute") for line in looked]
        lines += looked
        if entry is not None:
            results[node.name] = entry
    return lines


def _look(
    node: Node, plan: Plan, store: Store, explainer: Explainer
) -> tuple[list[Preview], Entry | None]:
    found: dict[str, Entry] = {}
    lines = []

    def look_up(name: str, task: Task) -> None:
        entry = store.find(task.stage, task.key, touch=False)
        if entry is not None:
            found[name] = entry
            lines.append(Preview(node.name, task.label, "hit", "", task.key))
        else:
            why = explainer.why_missing(task.record)
            lines.append(Preview(node.name, task.label, "miss", why, task.key))

    for name, task in plan.tasks.items():
        look_up(name, task)
    if plan.mapped is None:
        return lines, found.get("")
    if len(found) < len(plan.tasks):
        lines.append(Preview(node.name, node.name, "unknown", "waits for its parts", None))
        return lines, None
    look_up("/gather", plan.gather(found))
    return lines, found.get("/gather")
