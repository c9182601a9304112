"""Any byte of any format may be wrong: only errors of robotid escape, and memory stays bounded.

`ROBOTID_MUTATIONS` sets how many damaged files of each format are tried: with 1500 it is 31,500 files
and takes some minutes.
"""

import gzip
import json
import resource
from functools import cache
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from rosbags.rosbag1 import Writer as Writer1

from robotid.errors import RobotidError
from robotid.logs.formats import open_log
from robotid.logs.log import Kind
from tests.logs import bags
from tests.logs.test_arrays import write_hdf5
from tests.many import many

MOST_MEMORY = 200  # MB more than before, whatever a damaged file claims
CSV = "t,q,tau\n" + "".join(f"{i / 100},{np.sin(i):.6f},{np.cos(i):.3e}\n" for i in range(40))


def _npz(path, save=np.savez):
    save(path, t=np.arange(50.0), q=np.ones((50, 2)))


def _latest_hdf5(path):
    with h5py.File(path, "w", libver="latest") as file:
        q = file.create_dataset(
            "arm/q", data=np.ones((50, 3)), chunks=(20, 3), maxshape=(None, 3), compression="gzip"
        )
        q.attrs["unit"] = "rad"
        file["arm"].attrs["robot"] = "arm"
        file["arm/name"] = "arm"


def _mat(path, *, pack=False):
    cells = np.empty(2, object)
    cells[:] = [np.arange(3.0), "x"]
    inner = {"t": np.arange(50.0), "q": np.ones((50, 2)), "s": "text", "c": cells}
    scipy.io.savemat(path, {"a": inner, "z": np.arange(3) * 1j}, do_compression=pack)


def _parquet(path, compression="snappy", *, checksum=True):
    table = pa.table({"t": np.arange(50.0), "n": np.arange(50), "q": [[1.0, 2.0]] * 50})
    pq.write_table(table, path, compression=compression, write_page_checksum=checksum)


def _db3(path):
    folder = path.parent / "bag"
    bags.write_rosbag2(folder, {"/j": (bags.TYPE, bags.states(bags.ROS2, 10))})
    next(folder.glob("*.db3")).rename(path)


WRITERS = {
    "csv": lambda path: path.write_text(CSV),
    "csv.gz": lambda path: path.write_bytes(gzip.compress(CSV.encode())),
    "csv.zst": lambda path: path.write_bytes(zstandard.compress(CSV.encode())),
    "tsv": lambda path: path.write_text(CSV.replace(",", "\t").replace(".", ",")),
    "json": lambda path: path.write_text(json.dumps([{"t": i, "q": [1.5, i]} for i in range(20)])),
    "jsonl": lambda path: path.write_text('{"t": 1, "q": [2.5]}\n' * 20),
    "npy": lambda path: np.save(path, np.ones((50, 2))),
    "npz": _npz,
    "packed.npz": lambda path: _npz(path, np.savez_compressed),
    "mat": _mat,
    "packed.mat": lambda path: _mat(path, pack=True),
    "h5": write_hdf5,
    "latest.h5": _latest_hdf5,
    "parquet": _parquet,
    "zstd.parquet": lambda path: _parquet(path, "zstd", checksum=False),
    "db3": _db3,
    "bag": lambda path: bags.write_rosbag1(path, {"/j": (bags.TYPE, bags.states(bags.ROS1, 10))}),
    "lz4.bag": lambda path: bags.write_rosbag1(
        path,
        {"/j": (bags.TYPE, bags.states(bags.ROS1, 10))},
        Writer1.CompressionFormat.LZ4,
    ),
    "mcap": lambda path: path.write_bytes(bags.mcap_bytes(bags.states(bags.ROS2, 10), 4, "zstd")),
    "lz4.mcap": lambda path: path.write_bytes(
        bags.mcap_bytes(bags.states(bags.ROS2, 10), 4, "lz4")
    ),
    "plain.mcap": lambda path: path.write_bytes(bags.mcap_bytes(bags.states(bags.ROS2, 10))),
}


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    @cache
    def go(kind):
        path = tmp_path_factory.mktemp("original") / f"log.{kind}"
        WRITERS[kind](path)
        return path.read_bytes()

    return go


def read_everything(path: Path) -> int:
    """Read all streams; the number of rows."""
    rows = 0
    with open_log(path) as log:
        for stream in log.streams:
            numeric = [column.name for column in stream.columns if column.kind is not Kind.TEXT]
            if numeric:
                rows += sum(batch.rows for batch in log.batches(stream.name, numeric))
        for notice in log.findings.notices():
            assert notice.text()
    return rows


def outcome(path: Path) -> int:
    """The exit code reading ends in."""
    try:
        read_everything(path)
    except RobotidError as error:
        return int(error.exit_code)
    return 0


def peak_memory() -> float:
    """The most memory this process ever took [MB]; Linux counts in kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("kind", WRITERS)
def test_the_undamaged_file_is_read(originals, tmp_path, kind):
    path = tmp_path / f"log.{kind}"
    path.write_bytes(originals(kind))
    assert read_everything(path) >= 10


@pytest.mark.parametrize("kind", WRITERS)
def test_only_errors_of_robotid_escape(originals, tmp_path_factory, kind):
    whole = originals(kind)
    path = tmp_path_factory.mktemp("damaged") / f"log.{kind}"

    @many()
    @given(
        changes=st.lists(
            st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), min_size=0, max_size=6
        ),
        cut=st.one_of(st.none(), st.integers(0, len(whole))),
        inserted=st.tuples(st.integers(0, len(whole)), st.binary(max_size=9)),
    )
    def damage(changes, cut, inserted):
        data = bytearray(whole)
        for at, value in changes:
            data[at] = value
        at, extra = inserted
        data[at:at] = extra
        path.write_bytes(data[:cut])
        assert outcome(path) in (0, 65, 66, 74)

    before = peak_memory()
    damage()
    assert peak_memory() - before < MOST_MEMORY
