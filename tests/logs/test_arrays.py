"""Files of arrays and records: NPY, NPZ, MAT, HDF5, Parquet, JSON."""

import io
import json
import re
import struct
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io

from robotid.errors import BadDataError
from robotid.logs import arrays
from robotid.logs.findings import Findings
from robotid.logs.formats import FORMATS, detect
from robotid.logs.log import Kind
from tests.logs.opening import read_all, refused

N = 500
RNG = np.random.default_rng(1)
T, Q, TAU = np.arange(N) / 100, RNG.normal(size=(N, 3)), RNG.normal(size=(3, N))


def assert_signals(read, prefix=""):
    np.testing.assert_array_equal(read.columns[f"{prefix}t"], T)
    for joint in range(3):
        np.testing.assert_array_equal(read.columns[f"{prefix}q[{joint}]"], Q[:, joint])
        np.testing.assert_array_equal(read.columns[f"{prefix}tau[{joint}]"], TAU[joint])


@pytest.fixture(params=[1 << 20, 100], ids=["at once", "in batches"])
def batches(request, monkeypatch):
    monkeypatch.setattr(arrays, "_CELLS", request.param)
    return request.param


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["plain", "compressed"])
def test_npz(tmp_path, batches, save):
    path = tmp_path / "log.npz"
    save(path, t=T, q=np.asfortranarray(Q), tau=TAU, gains=np.ones(3), mass=2.5, robot="arm")
    read = read_all(path)
    assert_signals(read)
    assert read.log.constants == {"mass": 2.5, "robot": "arm"}
    assert [(s.name, s.rows) for s in read.log.streams] == [("data", N), ("data 2", 3)]
    assert read.positions == list(range(1, N + 1))


def test_npy(tmp_path, batches):
    path = tmp_path / "q.npy"
    np.save(path, Q.astype(np.float32))
    read = read_all(path)
    np.testing.assert_array_equal(read.columns["q[2]"], Q[:, 2].astype(np.float32))
    assert read.columns["q[0]"].dtype == np.float64


def test_s03_npz_holds_no_objects(tmp_path):
    path = tmp_path / "log.npz"
    np.savez(path, t=T, q=np.array([{}, []], dtype=object))
    notice = refused(path)
    assert notice.code == "damaged-array"
    assert "Python objects" in notice.message


def test_npz_cut_and_lying_headers(tmp_path):
    path = tmp_path / "log.npy"
    np.save(path, Q)
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    assert refused(path).code == "cut-array"
    path.write_bytes(whole.replace(b"(500, 3)", b"(5000000000, 3)"[:15]).replace(b"  \n", b"\n", 1))
    assert refused(path).code in ("cut-array", "damaged-array")


def test_s11_npz_bomb(tmp_path):
    path = tmp_path / "log.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (8 << 20,)}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.npy", header.getvalue() + bytes(64 << 20))
    assert refused(path).code == "decompression-bomb"


def test_large_arrays_that_cannot_be_streamed_are_refused_beforehand(tmp_path, monkeypatch):
    monkeypatch.setattr("robotid.logs.npz.LARGEST_ARRAY", 1000)
    path = tmp_path / "q.npy"
    np.save(path, TAU)
    assert refused(path).code == "too-large"


def test_unsigned_numbers_beyond_int64(tmp_path):
    path = tmp_path / "ns.npy"
    np.save(path, np.array([1, 2, (1 << 63) + 5], np.uint64))
    notice = refused(path)
    assert notice.code == "integer-too-large"
    assert "row 3" in notice.message


@pytest.mark.parametrize("compress", [True, False], ids=["packed", "plain"])
def test_mat5_nested_structures(tmp_path, batches, compress):
    path = tmp_path / "log.mat"
    arm = {"t": T[:, None], "q": Q, "tau": TAU, "name": "arm", "gear": 100.0}
    scipy.io.savemat(path, {"rec": {"arm": arm}, "gains": np.ones(3)}, do_compression=compress)
    read = read_all(path)
    assert_signals(read, "rec.arm.")
    assert read.log.streams[0].name == "rec.arm"
    assert read.log.constants == {"rec.arm.name": "arm", "rec.arm.gear": 100.0}


def test_s11_mat5_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr("robotid.logs.mat5.LARGEST_ARRAY", 1 << 20)
    path = tmp_path / "log.mat"
    scipy.io.savemat(path, {"q": np.zeros(1 << 20)}, do_compression=True)
    assert path.stat().st_size < 20_000
    assert refused(path).code == "too-large"


def test_mat5_cut(tmp_path):
    path = tmp_path / "log.mat"
    scipy.io.savemat(path, {"q": Q})
    path.write_bytes(path.read_bytes()[:-50])
    assert refused(path).code == "cut-file"


def write_hdf5(path, userblock=0):
    with h5py.File(path, "w", userblock_size=userblock) as file:
        group = file.create_group("rec/arm")
        group["t"] = T
        group.create_dataset("q", data=Q, chunks=(50, 3), compression="gzip").attrs["unit"] = "rad"
        group["tau"] = TAU  # as MATLAB writes them
        group["name"] = "arm"
        group["gear"] = 100.0
    if userblock:  # the mark of MATLAB v7.3
        with path.open("r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")


@pytest.mark.parametrize("userblock", [0, 512], ids=["hdf5", "mat73"])
def test_hdf5(tmp_path, batches, userblock):
    path = tmp_path / ("log.mat" if userblock else "log.h5")
    write_hdf5(path, userblock)
    read = read_all(path)
    assert_signals(read, "rec.arm.")
    assert read.log.constants == {"rec.arm.name": "arm", "rec.arm.gear": 100.0}
    assert read.log.streams[0].column("rec.arm.q[1]").unit == "rad"
    assert read.codes == {}


def test_hdf5_follows_nothing_out_of_the_file(tmp_path):
    write_hdf5(tmp_path / "other.h5")
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        file["t"] = T
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/rec/arm/q")
        file["soft"] = h5py.SoftLink("/t")
    read = read_all(path)
    assert list(read.columns) == ["t"]
    assert read.count("link-not-followed") == 2
    with h5py.File(path, "w") as file:
        file.create_dataset("q", (100,), "f8", external=[(str(tmp_path / "other.h5"), 0, 800)])
    assert refused(path).code == "outside-file"
    layout = h5py.VirtualLayout((N,), "f8")
    layout[:] = h5py.VirtualSource(tmp_path / "other.h5", "rec/arm/t", (N,))
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("t", layout)
    assert refused(path).code == "outside-file"


@pytest.mark.parametrize("userblock", [0, 512])
@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("others", [0, 6], ids=["one attribute", "more blocks"])
def test_hdf5_text_lengths_are_checked_before_they_are_allocated(
    tmp_path, userblock, libver, others
):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w", userblock_size=userblock, libver=libver) as file:
        file["q"] = T
        for number in range(others):
            file["q"].attrs[f"note{number}"] = "text " * 50
        file["q"].attrs["unit"] = "rad of the joint"
        file["name"] = ["an arm of long name"]
    read = read_all(path)
    assert read.log.streams[0].column("q").unit == "rad of the joint"
    assert read.log.constants == {"name": "an arm of long name"}
    for length in (16, 19):  # of the unit, of the name
        data = path.read_bytes()
        at = _descriptor(data, length)
        damaged = tmp_path / f"damaged{length}.h5"
        damaged.write_bytes(data[:at] + struct.pack("<I", 3_000_000_000) + data[at + 4 :])
        if libver == "latest" and length == 16:  # there the library checks its own sums
            assert refused(damaged).code == "damaged-file"
        else:
            assert "a text of 3000000000 bytes" in refused(damaged).message


def _descriptor(data, length):
    """Where the length, heap address and index of a text stand: the address is that of a heap."""
    heaps = {at.start() - data.index(b"\x89HDF") for at in re.finditer(b"GCOL", data)}
    places = [at.start() for at in re.finditer(re.escape(struct.pack("<I", length)), data)]
    (found,) = [at for at in places if int.from_bytes(data[at + 4 : at + 12], "little") in heaps]
    return found


def test_hdf5_units_in_a_heap_of_their_own_are_said(tmp_path):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file["q"] = T
        for number in range(30):
            file["q"].attrs[f"note{number}"] = "x"
        file["q"].attrs["unit"] = "rad"
    read = read_all(path)
    assert read.log.streams[0].column("q").unit is None
    assert read.notice("unit-not-read").message.endswith("first at q")


def test_s11_hdf5_rows_that_were_never_written_are_bounded(tmp_path):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("q", (1 << 40,), "f8", chunks=(1000,))
    assert refused(path).code == "decompression-bomb"


def test_parquet_names_that_are_no_text(tmp_path):
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"position": T}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"position", b"positio\xff"))
    assert refused(path).code == "damaged-file"


def test_parquet(tmp_path):
    path = tmp_path / "log.parquet"
    stamps = pa.array(np.arange(N) * 10_000_000, pa.timestamp("ns"))
    field = pa.field("t", pa.float64(), metadata={"unit": "s"})
    lists = pa.array(Q.tolist(), pa.list_(pa.float64()))
    tip = pa.array([{"x": float(i), "on": True} for i in range(N)])
    schema = pa.schema(
        [field, ("stamp", stamps.type), ("q", lists.type), ("tip", tip.type), ("s", pa.string())]
    )
    columns = [pa.array(T), stamps, lists, tip, pa.array(["x"] * N)]
    pq.write_table(pa.table(columns, schema=schema), path, row_group_size=100)
    read = read_all(path)
    np.testing.assert_array_equal(read.columns["t"], T)
    np.testing.assert_array_equal(read.columns["q[1]"], Q[:, 1])
    np.testing.assert_array_equal(read.columns["tip.x"], np.arange(N))
    assert np.diff(read.columns["stamp"]).tolist() == [10_000_000] * (N - 1)
    assert read.log.streams[0].column("t").unit == "s"
    assert read.log.streams[0].column("s").kind is Kind.TEXT
    assert read.log.streams[0].rows == N


def test_parquet_missing_values_are_counted(tmp_path):
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"q": [1.0, None, 3.0], "n": [1, 2, None]}), path)
    read = read_all(path)
    assert np.isnan(read.columns["q"]).tolist() == [False, True, False]
    assert np.isnan(read.columns["n"]).tolist() == [False, False, True]
    assert read.count("missing-value") == 2
    assert "row 2 of q" in read.notice("missing-value").message
    pq.write_table(pa.table({"q": [[1.0, 2.0], [1.0]]}), path)
    assert refused(path).code == "unequal-lengths"


RECORDS = [{"t": i / 10, "q": [i, 2.5], "arm": {"tau": -i}, "on": i > 2} for i in range(20)]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (json.dumps(RECORDS), "log.json"),
        (json.dumps({"mass": 0.5, "entries": RECORDS}), "log.json"),
        (json.dumps({"mass": 0.5, "entries": RECORDS}, indent=1), "log.json"),
        ("\n".join(map(json.dumps, RECORDS)) + "\n", "log.jsonl"),
    ],
    ids=["records", "records inside", "indented", "lines"],
)
def test_json_records(tmp_path, content, name):
    path = tmp_path / name
    path.write_text(content)
    read = read_all(path)
    assert read.columns["t"].tolist() == [i / 10 for i in range(20)]
    assert read.columns["q[0]"].tolist() == list(range(20))
    assert read.columns["arm.tau"].tolist() == [-i for i in range(20)]
    assert read.columns["on"].sum() == 17
    assert read.log.constants == ({"mass": 0.5} if "mass" in content else {})
    assert read.codes == {}


def test_json_arrays(tmp_path):
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"rec": {"t": T.tolist(), "q": Q.tolist(), "mass": 2}}))
    read = read_all(path)
    np.testing.assert_array_equal(read.columns["q[2]"], Q[:, 2])
    assert read.log.streams[0].name == "rec"
    assert read.log.constants == {"rec.mass": 2}


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ('[{"a": 1}, {"a": 2}', "not-json", 1),
        ('[{"a": 1},\n{"a": x}]', "not-json", 2),
        ('{"a": 1}\n{"a": }\n{"a": 3}\n', "not-json", 2),
        ('[{"a": 1}, {"b": 2}]', "not-a-number", None),
        ('[{"a": 1}, {"a": 1' + "0" * 30 + "}]", "integer-too-large", None),
        ('[{"a": 1' + "0" * 5000 + "}]", "not-json", None),
        ('[{"a": 1, "a": 2}]', "not-json", None),
        ('{"a": 1}', "no-samples", None),
        ("[" * 5000, "not-json", None),
        ('{"a": ' * 5000, "not-json", None),
    ],
)
def test_s05_s28_json_is_refused_with_its_place(tmp_path, content, code, line):
    path = tmp_path / "log.json"
    path.write_text(content)
    notice = refused(path)
    assert notice.code == code
    assert notice.line == line or line is None


def test_json_null_is_missing(tmp_path):
    path = tmp_path / "log.json"
    path.write_text('[{"a": 1.5}, {"a": null}, {"a": NaN}]')
    read = read_all(path)
    assert np.isnan(read.columns["a"]).tolist() == [False, True, True]
    assert read.count("missing-value") == 1


def test_json_size_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("robotid.logs.json_records.LARGEST_DOCUMENT", 100)
    path = tmp_path / "log.json"
    path.write_text(json.dumps(RECORDS))
    assert refused(path).code == "too-large"


def test_b08_content_counts_not_the_name(tmp_path):
    path = tmp_path / "log.csv"
    pq.write_table(pa.table({"q": [1.0, 2.0]}), path)
    read = read_all(path)
    assert read.log.format == "parquet"
    assert "it is parquet" in read.notice("other-extension").message


def test_every_format_has_an_opener():
    from importlib import import_module

    for name, known in FORMATS.items():
        module, _, function = known.opener.partition(":")
        assert callable(getattr(import_module(module), function)), name


def test_what_is_no_log(tmp_path):
    assert refused(tmp_path).code == "not-a-log"
    assert refused(tmp_path / "nothing.csv").code == "not-found"
    with pytest.raises(BadDataError, match="not a regular file"):
        detect(Path("/dev/zero"), Findings("x"))
