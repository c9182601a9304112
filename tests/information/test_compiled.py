"""Compiled code between processes: kept, shared, and never trusted when it is not what it was."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import robotid

SOURCE = """
import sys
from pathlib import Path
from robotid.compiled import CompiledSource, Run

source = CompiledSource(Path(__file__))

@source.compiled(fastmath={"contract"})
def double(x: Run, y: Run) -> None:
    for i in range(x.size):
        y[i] = FACTOR * x[i]

source.keep()

if __name__ == "__main__":
    import numpy as np
    y = np.empty(3)
    double(np.arange(3.0), y)
    print(*y, sum(double.stats.cache_hits.values()))
"""


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "package" / "twice.py"
    path.parent.mkdir()
    path.write_text(SOURCE.replace("FACTOR", "2.0"))
    return path


def start(module, **env):
    root = str(Path(robotid.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, str(module)],
        env={**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1", **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(module, **env):
    """What the module printed: three numbers, and how many functions came from files."""
    process = start(module, **env)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    *numbers, hits = out.split()
    return [float(number) for number in numbers], int(hits)


def kept(parent):
    return sorted(p for p in parent.rglob("*") if p.is_file()) if parent.exists() else []


def test_code_is_kept_and_changes_with_its_source(module):
    assert run(module) == ([0.0, 2.0, 4.0], 0)
    assert run(module) == ([0.0, 2.0, 4.0], 1)
    facts = module.stat()
    module.write_text(SOURCE.replace("FACTOR", "3.0"))
    os.utime(module, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # same size, same time
    assert run(module) == ([0.0, 3.0, 6.0], 0)


@pytest.mark.parametrize("how", ["flip", "cut", "gone", "seal"])
def test_damaged_files_are_not_used(module, how):
    run(module)
    files = kept(module.parent / "__pycache__")
    code = [path for path in files if path.suffix == ".nbc"]
    assert code
    if how == "flip":
        data = bytearray(code[0].read_bytes())
        data[random.Random(0).randrange(len(data))] ^= 1
        code[0].write_bytes(data)
    elif how == "cut":
        code[0].write_bytes(code[0].read_bytes()[:100])
    elif how == "gone":
        code[0].unlink()
    else:
        next(path for path in files if path.name == "seal.json").write_text("[")
    assert run(module) == ([0.0, 2.0, 4.0], 0)
    assert run(module) == ([0.0, 2.0, 4.0], 1)


def test_folders_others_can_write_to_are_not_used(module, tmp_path):
    """What could have been put there by others is neither loaded nor added to."""
    run(module)
    (module.parent / "__pycache__").chmod(0o777)
    before = kept(module.parent / "__pycache__")
    mine = tmp_path / "mine"
    assert run(module, XDG_CACHE_HOME=str(mine)) == ([0.0, 2.0, 4.0], 0)
    assert run(module, XDG_CACHE_HOME=str(mine)) == ([0.0, 2.0, 4.0], 1)
    assert kept(module.parent / "__pycache__") == before
    assert (mine / "robotid-compiled").stat().st_mode & 0o777 == 0o700


def test_no_place_at_all(module, tmp_path):
    """A file stands where folders would have to be: works, and keeps nothing."""
    (module.parent / "__pycache__").write_text("")
    (tmp_path / "file").write_text("")
    assert run(module, XDG_CACHE_HOME=str(tmp_path / "file")) == ([0.0, 2.0, 4.0], 0)


def test_several_processes_at_once(module):
    processes = [start(module) for _ in range(4)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert out.split()[:3] == ["0.0", "2.0", "4.0"], err
    assert run(module) == ([0.0, 2.0, 4.0], 1)
    assert len(list((module.parent / "__pycache__").iterdir())) == 1  # nothing is left over
