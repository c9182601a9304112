"""`robotid cache gc`: remove what was not used for longest."""

import re
from typing import Annotated

import typer

from robotid.cli import options
from robotid.cli.settings import Settings

_UNITS: dict[str, dict[str, float]] = {
    "size": {
        "": 1,
        "B": 1,
        "k": 1e3,
        "kB": 1e3,
        "M": 1e6,
        "MB": 1e6,
        "G": 1e9,
        "GB": 1e9,
        "T": 1e12,
    },
    "age": {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400},
}


def gc(
    settings: Settings,
    max_size: Annotated[str, typer.Option(help="How much may stay: 500M, 20G.")],
    min_age: Annotated[
        str, typer.Option(help="What was used within this time stays: 30m, 24h, 7d.")
    ] = "24h",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> int:
    """Remove what was not used for longest, until the cache is small enough."""
    from robotid.cli.answer import CollectAnswer
    from robotid.cli.cache import cache_of
    from robotid.cli.cache_status import size
    from robotid.cli.session import console_for
    from robotid.store.housekeeping import collect

    console = console_for(settings)
    limit, age = _amount("size", max_size), _amount("age", min_age)
    with cache_of(settings, writing=not dry_run) as store:
        done = collect(store, max_size=int(limit), min_age_s=age, dry_run=dry_run)
    for notice in store.notices:
        console.warn(notice)
    if settings.json:
        answer = CollectAnswer(dry_run=dry_run, collected=done, warnings=store.notices)
        console.emit_json(answer)
        return 0
    verb = "would remove" if dry_run else "removed"
    console.emit_text(
        f"{verb} {done.removed} entries, {size(done.freed)}; "
        f"{done.kept} entries, {size(done.size)} stay"
    )
    return 0


def _amount(what: str, text: str) -> float:
    """`20G` or `24h` as a number of bytes or seconds."""
    from robotid.errors import UsageError

    units = _UNITS[what]
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)([A-Za-z]*)", text.strip())
    if match is None or match[2] not in units:
        allowed = ", ".join(unit for unit in units if unit)
        raise UsageError("bad-amount", f"{text!r} is not a number with one of the units {allowed}")
    return float(match[1]) * units[match[2]]


command = options.command(gc)
