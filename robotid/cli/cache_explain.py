"""`robotid cache explain`: which field of a key differed."""

from typing import Annotated

import typer

from robotid.cli import options
from robotid.cli.settings import Settings


def explain(
    settings: Settings,
    run: Annotated[
        str, typer.Argument(help="A run, an output folder, or the first characters of a key.")
    ],
) -> int:
    """Say which field of its key sets a result apart from the nearest other one."""
    from robotid.cli.answer import ExplainAnswer, explained
    from robotid.cli.cache import cache_of
    from robotid.cli.session import console_for
    from robotid.store.explain import Explainer

    console = console_for(settings)
    with cache_of(settings) as store:
        found = Explainer(store).explain(run)
    if settings.json:
        console.emit_json(ExplainAnswer(results=[explained(item) for item in found]))
        return 0
    for item in found:
        console.emit_text(f"{item.manifest.stage} {item.manifest.key[:12]}")
        if item.nearest is None:
            console.emit_text("  the only result of this stage")
        else:
            console.emit_text(f"  differs from {item.nearest[:12]}:")
        for difference in item.differences:
            console.emit_text(f"    {difference.field}: {difference.before} -> {difference.now}")
    return 0


command = options.command(explain)
