"""How fast are logs read, with every check on, against the plain way with the same libraries?

python benchmarks/reading.py [--megabytes 400] [--messages 60000]
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from robotid.logs.formats import open_log

LEAST_CSV = 0.4  # of polars.scan_csv().sink_parquet()
JOINTS = 7


def fastest(run, repeat: int = 3) -> float:
    """The least of some times [s]."""
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


def write_csv(path: Path, megabytes: int) -> None:
    """A log of seven joints with full digits."""
    rows = megabytes * 1_000_000 // 420
    rng = np.random.default_rng(0)
    columns = {"t": np.arange(rows) / 1000}
    for signal in ("q", "qd", "tau"):
        columns |= {f"{signal}.j{i}": rng.normal(size=rows) for i in range(JOINTS)}
    pl.DataFrame(columns).write_csv(path)


def checked(source: Path, target: Path) -> None:
    """CSV to Parquet through the reader of robotid."""
    with open_log(source) as log:
        (stream,) = log.streams
        names = [column.name for column in stream.columns]
        schema = pa.schema([(name, pa.float64()) for name in names])
        with pq.ParquetWriter(
            target, schema, compression="lz4", write_page_checksum=True, use_dictionary=False
        ) as file:
            for batch in log.batches(stream.name, names):
                file.write_batch(pa.record_batch(list(batch.columns.values()), schema=schema))


def csv_speed(folder: Path, megabytes: int) -> bool:
    source = folder / "log.csv"
    write_csv(source, megabytes)
    size = source.stat().st_size / 1e6
    plain = fastest(
        lambda: pl.scan_csv(source).sink_parquet(folder / "plain.parquet", compression="lz4")
    )
    ours = fastest(lambda: checked(source, folder / "ours.parquet"))
    same = pl.read_parquet(folder / "plain.parquet").equals(
        pl.read_parquet(folder / "ours.parquet")
    )
    ratio = plain / ours
    print(f"CSV to Parquet, {size:.0f} MB, {3 * JOINTS + 1} columns")
    print(f"  polars.scan_csv().sink_parquet()   {size / plain:6.0f} MB/s")
    print(f"  robotid, all checks, page checksums{size / ours:6.0f} MB/s   {ratio:.2f} of it")
    print(f"  same numbers: {same}")
    return same and ratio >= LEAST_CSV


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--messages", type=int, default=60_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        good = csv_speed(Path(folder), given.megabytes)
    return int(not good)


if __name__ == "__main__":
    raise SystemExit(main())
