"""A CSV log to Parquet: `ingest` with its checks, against pandas and polars, which make none."""

from pathlib import Path

import pandas as pd
import polars as pl
from reading import checked, write_csv

from peers.comparison import Right, Task, Way

EVERY = 97  # lines: this one and every further one are compared
ABOUT = """All write LZ4. robotid makes the checks that need no robot file (times, gaps, dead and
saturated channels, velocities against positions) and writes checksums; the others write what they
read. Files have 16 digits; every {0}th line is compared with what Python makes of it."""


def tasks(folder: Path, *, quick: bool) -> list[Task]:
    """The task for a short log and a long one, in a folder for their files."""
    sizes = {"short": 2, "long": 2 if quick else 200}
    return [_task(folder, name, size) for name, size in sizes.items()]


def _task(folder: Path, name: str, megabytes: int) -> Task:
    source = folder / f"{name}.csv"
    write_csv(source, megabytes)
    lines = source.read_text().splitlines()
    columns, rows = lines[0].split(","), lines[1::EVERY]
    cells = zip(*(row.split(",") for row in rows), strict=True)
    truth = {name: list(map(float, own)) for name, own in zip(columns, cells, strict=True)}
    truth["t"] = [round(1e9 * t) for t in truth["t"]]
    del lines

    def ours() -> Path:
        checked(source, folder / name)
        return folder / name / "recording.parquet"

    def pandas() -> Path:
        path = folder / f"{name}-pandas.parquet"
        pd.read_csv(source).to_parquet(path, compression="lz4")
        return path

    def polars() -> Path:
        path = folder / f"{name}-polars.parquet"
        pl.scan_csv(source).sink_parquet(path, compression="lz4")
        return path

    def right(path: Path) -> Right:
        found = pl.read_parquet(path)
        t = found["t"] if found["t"].dtype == pl.Int64 else (1e9 * found["t"]).round()  # ours: ns
        got = found.with_columns(t=t)[::EVERY]
        worst = max((got[column] - pl.Series(truth[column])).abs().max() for column in columns)
        wrong = f"numbers differ by up to {worst:.0e}"
        return Right(wrong if worst else "every number as in the file", worst)

    ways = {
        "robotid ingest": Way(ours, right, ("robotid",)),
        "pandas.read_csv, to_parquet": Way(pandas, right, ("pandas",)),
        "polars.scan_csv, sink_parquet": Way(polars, right, ("polars",)),
    }
    size = f"{source.stat().st_size / 1e6:.0f} MB, {len(columns)} columns"
    return Task(f"A {name} CSV log to Parquet", size, ways, 0.0, ABOUT.format(EVERY))
