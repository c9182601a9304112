"""`robotid run --dry-run`: what would be computed, and why it is not in the cache."""

from robotid.cli.answer import PreviewAnswer
from robotid.cli.session import console_for
from robotid.cli.settings import Settings
from robotid.errors import ExitCode
from robotid.runner.graph import Graph
from robotid.runner.preview import preview
from robotid.store.location import opened_store


def show_preview(graph: Graph, settings: Settings) -> int:
    """Print a line, or one JSON object, with the state of every task."""
    console = console_for(settings)
    with opened_store(
        settings.cache_dir, no_cache=settings.no_cache, shared=settings.shared_cache
    ) as store:
        lines = preview(graph, store, recompute=settings.recompute)
    for notice in store.notices:
        console.warn(notice)
    if settings.json:
        console.emit_json(PreviewAnswer(tasks=lines, warnings=store.notices))
    else:
        for line in lines:
            console.emit_text(f"{line.state:8}{line.task}{f': {line.why}' if line.why else ''}")
    return ExitCode.OK
