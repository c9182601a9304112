"""`robotid cache verify`: check every byte."""

from typing import Annotated

import typer

from robotid.cli import options
from robotid.cli.settings import Settings


def verify(
    settings: Settings,
    repair: Annotated[
        bool, typer.Option("--repair", help="Move damaged entries to quarantine.")
    ] = False,
) -> int:
    """Check every byte of the cache; exit code 3 when something is damaged."""
    from robotid.cli.answer import VerifyAnswer
    from robotid.cli.cache import cache_of
    from robotid.cli.session import console_for
    from robotid.errors import ExitCode
    from robotid.store.housekeeping import verify as verified

    console = console_for(settings)
    with cache_of(settings, writing=repair) as store:
        sound, damaged = verified(store, repair=repair)
    code = ExitCode.DATA_LOST if damaged else ExitCode.OK
    if settings.json:
        console.emit_json(
            VerifyAnswer(sound=sound, damaged=damaged, repaired=repair, exit_code=code)
        )
        return code
    for line in damaged:
        console.emit_text(f"damaged: {line}")
    console.emit_text(f"{sound} sound, {len(damaged)} damaged")
    return code


command = options.command(verify)
