"""How fast are logs read, with every check on, against the plain way with the same libraries?

python benchmarks/reading.py [--megabytes 400] [--messages 60000]
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from robotid.ingestion.options import IngestOptions
from robotid.ingestion.recording import ingest_recording
from robotid.logs.formats import open_log

LEAST_CSV = 0.4  # of polars.scan_csv().sink_parquet()
LEAST_BAG = 2.0  # times the loop over rosbags' messages
JOINTS = 7
TYPE = "sensor_msgs/msg/JointState"


def fastest(*runs, repeat: int = 4) -> list[float]:
    """The least time of each [s]; they take turns, so that other work on the machine hits both."""
    times = [[] for _ in runs]
    for _ in range(repeat):
        for run, taken in zip(runs, times, strict=True):
            began = time.perf_counter()
            run()
            taken.append(time.perf_counter() - began)
    return [min(taken) for taken in times]


def write_csv(path: Path, megabytes: int) -> None:
    """A log of seven joints with full digits."""
    rows = megabytes * 1_000_000 // 420
    rng, t = np.random.default_rng(0), np.arange(megabytes * 1_000_000 // 420) / 1000
    columns = {"t": t}
    for i in range(JOINTS):
        w = 1.0 + 0.3 * i
        columns[f"q.j{i}"] = np.sin(w * t) + 1e-5 * rng.normal(size=rows)
        columns[f"qd.j{i}"] = w * np.cos(w * t) + 1e-3 * rng.normal(size=rows)
        columns[f"tau.j{i}"] = 5 * np.sin(w * t) + 0.1 * rng.normal(size=rows)
    pl.DataFrame(columns).write_csv(path)


def checked(source: Path, target: Path) -> None:
    """CSV to Parquet as `ingest` does it: times, conversion, plausibility, page checksums."""
    target.mkdir(exist_ok=True)
    ingest_recording(source, "0" * 64, None, None, IngestOptions(), target)


def csv_speed(folder: Path, megabytes: int) -> bool:
    source = folder / "log.csv"
    write_csv(source, megabytes)
    size = source.stat().st_size / 1e6
    plain, ours = fastest(
        lambda: pl.scan_csv(source).sink_parquet(folder / "plain.parquet", compression="lz4"),
        lambda: checked(source, folder / "ours"),
    )
    theirs = pl.read_parquet(folder / "plain.parquet").drop("t")
    same = theirs.equals(pl.read_parquet(folder / "ours" / "recording.parquet")[theirs.columns])
    ratio = plain / ours
    print(f"CSV to Parquet, {size:.0f} MB, {3 * JOINTS + 1} columns")
    print(f"  polars.scan_csv().sink_parquet()   {size / plain:6.0f} MB/s")
    print(f"  robotid ingest, all checks         {size / ours:6.0f} MB/s   {ratio:.2f} of it")
    print(f"  same numbers: {same}")
    return same and ratio >= LEAST_CSV


def joint_states(count: int) -> list[tuple[int, bytes]]:
    """Encoded messages of seven joints, and their times."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    kinds, rng = store.types, np.random.default_rng(0)
    names = [f"joint{i}" for i in range(JOINTS)]
    found = []
    for i in range(count):
        time_ = kinds["builtin_interfaces/msg/Time"](sec=i // 1000, nanosec=i % 1000 * 1_000_000)
        header = kinds["std_msgs/msg/Header"](stamp=time_, frame_id="")
        message = kinds[TYPE](header, names, *rng.normal(size=(3, JOINTS)))
        found.append((i * 1_000_000, bytes(store.serialize_cdr(message, TYPE))))
    return found


def loop(folder: Path) -> dict[str, np.ndarray]:
    """Every number of a bag by the plain loop over messages."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    rows: dict[str, list] = {"t": [], "position": [], "velocity": [], "effort": []}
    with Reader(folder) as reader:
        for connection, time_, data in reader.messages():
            message = store.deserialize_cdr(data, connection.msgtype)
            rows["t"].append(time_)
            for signal in ("position", "velocity", "effort"):
                rows[signal].append(getattr(message, signal))
    return {name: np.array(values) for name, values in rows.items()}


def ours(folder: Path) -> dict[str, np.ndarray]:
    """The same through the reader of robotid."""
    with open_log(folder) as log:
        (stream,) = log.streams
        names = [column.name for column in stream.columns]
        batches = list(log.batches(stream.name, names))
    return {name: np.concatenate([batch.columns[name] for batch in batches]) for name in names}


def bag_speed(folder: Path, count: int) -> bool:
    messages, good = joint_states(count), True
    print(f"ROS 2 bag, {count} JointState messages of {JOINTS} joints")
    for storage in (StoragePlugin.SQLITE3, StoragePlugin.MCAP):
        bag = folder / storage.name
        with Writer(bag, version=9, storage_plugin=storage) as writer:
            store = get_typestore(Stores.ROS2_HUMBLE)
            connection = writer.add_connection("/joint_states", TYPE, typestore=store)
            for time_, data in messages:
                writer.write(connection, time_, data)
        theirs, mine = loop(bag), ours(bag)
        same = all(
            np.array_equal(theirs[signal][:, i], mine[f"{signal}.joint{i}"])
            for signal in ("position", "velocity", "effort")
            for i in range(JOINTS)
        )
        plain, fast = fastest(partial(loop, bag), partial(ours, bag))
        ratio = plain / fast
        print(
            f"  {storage.name.lower():8} rosbags loop {count / plain / 1e3:5.0f} k/s, robotid "
            f"{count / fast / 1e3:5.0f} k/s: {ratio:.1f} times; same numbers: {same}"
        )
        good &= same and ratio >= LEAST_BAG
    return good


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--messages", type=int, default=60_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        good = csv_speed(Path(folder), given.megabytes)
        good &= bag_speed(Path(folder), given.messages)
    return int(not good)


if __name__ == "__main__":
    raise SystemExit(main())
