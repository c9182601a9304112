"""`robotid cache status`: what the cache holds."""

from robotid.cli import options
from robotid.cli.settings import Settings


def status(settings: Settings) -> int:
    """Show what the cache holds."""
    from robotid.cli.cache import answer, cache_of
    from robotid.cli.session import console_for
    from robotid.cli.table import table
    from robotid.store.housekeeping import status as status_of

    console = console_for(settings)
    with cache_of(settings) as store:
        found = status_of(store)
    if settings.json:
        return answer(console, "cache status", root=str(store.root), **found.to_json())
    rows = [[stage, str(n), size(found.bytes[stage])] for stage, n in found.entries.items()]
    total = ["total", str(sum(found.entries.values())), size(sum(found.bytes.values()))]
    console.emit_text(f"cache {store.root}")
    for line in table(["stage", "entries", "size"], [*rows, total]):
        console.emit_text(line)
    console.emit_text(f"quarantined: {found.quarantined}, orphaned workspaces: {found.orphans}")
    return 0


def size(count: float) -> str:
    """A number of bytes as people read it."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


command = options.command(status)
