"""A CSV log to Parquet: `ingest` with every check, against pandas and polars, which make none."""

from pathlib import Path

import pandas as pd
import polars as pl
from reading import checked, write_csv

from peers.comparison import Task, Way


def tasks(folder: Path, *, quick: bool) -> list[Task]:
    """The task, in a folder for its files."""
    source = folder / "log.csv"
    write_csv(source, 2 if quick else 200)
    truth = pl.read_csv(source).drop("t")

    def ours() -> Path:
        checked(source, folder / "ours")
        return folder / "ours" / "recording.parquet"

    def pandas() -> Path:
        pd.read_csv(source).to_parquet(folder / "pandas.parquet")
        return folder / "pandas.parquet"

    def polars() -> Path:
        pl.scan_csv(source).sink_parquet(folder / "polars.parquet")
        return folder / "polars.parquet"

    def right(path: Path) -> str:
        found = pl.read_parquet(path)[truth.columns]
        if found.equals(truth):
            return "every number as in the file"
        worst = max(float((found[name] - truth[name]).abs().max()) for name in truth.columns)
        return f"numbers differ by up to {worst:.0e}"

    size = f"{source.stat().st_size / 1e6:.0f} MB, {len(truth.columns) + 1} columns"
    ways = {
        "robotid ingest, all checks": Way(ours, right, ("robotid",)),
        "pandas.read_csv, to_parquet": Way(pandas, right, ("pandas",)),
        "polars.scan_csv, sink_parquet": Way(polars, right, ("polars",)),
    }
    return [Task("A CSV log to Parquet", size, ways)]
