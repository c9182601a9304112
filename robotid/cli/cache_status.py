"""`robotid cache status`: what the cache holds."""

from robotid.cli import options
from robotid.cli.settings import Settings


def status(settings: Settings) -> int:
    """Show what the cache holds."""
    from robotid.cli.alignment import aligned
    from robotid.cli.answer import StatusAnswer
    from robotid.cli.cache import cache_of
    from robotid.cli.session import console_for
    from robotid.store.housekeeping import status as status_of

    console = console_for(settings)
    with cache_of(settings) as store:
        found = status_of(store)
    if settings.json:
        console.emit_json(StatusAnswer(root=str(store.root), holds=found))
        return 0
    rows = [[stage, str(n), size(found.bytes_of[stage])] for stage, n in found.entries_of.items()]
    total = ["total", str(sum(found.entries_of.values())), size(found.total_bytes)]
    console.emit_text(f"cache {store.root}")
    for line in aligned(["stage", "entries", "size"], [*rows, total]):
        console.emit_text(line)
    console.emit_text(f"quarantined: {found.quarantined}, {size(found.quarantined_bytes)}")
    console.emit_text(f"workspaces of dead processes: {found.orphans}")
    return 0


def size(count: float) -> str:
    """A number of bytes as people read it."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


command = options.command(status)
