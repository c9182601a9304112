"""What every command understands, wherever it stands on the command line."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The global options."""

    json: bool = False
    cache_dir: Path | None = None
    shared_cache: bool = False
    no_cache: bool = False
    recompute: bool = False
    jobs: int | None = None
    timeout: float | None = None
    quiet: bool = False
    verbose: bool = False
    debug: bool = False
