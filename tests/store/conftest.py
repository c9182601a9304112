"""Results to put into stores."""

import random

import pytest

from robotid.store.store import Store

FILES = {"a.json": b'{"x": 1}', "data.bin": random.Random(1).randbytes(5000), "deep/c.txt": b"deep"}


def record(**fields):
    return {"format": 1, "stage": "made", "step": "run", **fields}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def commit():
    def make(store, files=FILES, notices=(), replace=False, **fields):
        with store.workspace() as space:
            result = space / "result"
            result.mkdir()
            for name, data in files.items():
                (result / name).parent.mkdir(parents=True, exist_ok=True)
                (result / name).write_bytes(data)
            sealed = store.seal(record(**fields), result, notices)
            return store.commit(sealed, result, replace=replace)

    return make


@pytest.fixture
def read(tmp_path):
    count = iter(range(1000))

    def files_of(store, entry):
        into = tmp_path / f"out{next(count)}"
        into.mkdir()
        store.check_out(entry, into)
        return {str(p.relative_to(into)): p.read_bytes() for p in into.rglob("*") if p.is_file()}

    return files_of
