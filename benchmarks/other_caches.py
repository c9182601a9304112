"""What flipped bits, kill -9 and two writers at once do to robotid's store, joblib.Memory and DVC.

    python benchmarks/other_caches.py [--flips 200] [--kills 100] [--pairs 100]

All keep the same results (arrays of 200 kB) and go through the same trials. Each ends with asking
for the result the way the next run would, in a process of its own: it is right, it is wrong (a
corrupt result was served), or there is an error, which is called wedged if it stays. Only robotid
has to be without fault; the other figures are for comparison. DVC (`dvc repro` of a project with
one stage, its output removed before the next run) takes seconds a trial and goes through a fifth
of them.
"""

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray

from robotid.store.canonical import digest
from robotid.store.store import Store

RIGHT, WRONG, ERROR = 0, 8, 1  # exit codes of a child


def computed(number: int) -> NDArray[np.float64]:
    """The result of a key, shape (25000,)."""
    return np.random.default_rng(number).normal(size=25_000)


def with_joblib(root: Path, number: int) -> bytes:
    return joblib.Memory(root, verbose=0).cache(computed)(number).tobytes()


def with_robotid(root: Path, number: int) -> bytes:
    store, record = Store(root), {"format": 1, "stage": "made", "number": number}
    entry = store.find("made", digest(record))
    if entry is not None and not store.verify(entry):
        entry = None
    with store.workspace() as space:
        if entry is None:
            (space / "result").mkdir()
            (space / "result" / "data.bin").write_bytes(computed(number).tobytes())
            entry = store.commit(store.seal(record, space / "result"), space / "result")
        (space / "served").mkdir()
        store.check_out(entry, space / "served")
        return (space / "served" / "data.bin").read_bytes()


MAKE = """
import sys
sys.path.insert(0, {here!r})
from other_caches import computed
open("data.bin", "wb").write(computed({number}).tobytes())
"""
STAGE = """
stages:
  made:
    cmd: {python} make.py
    deps: [make.py]
    outs: [data.bin]
"""


def with_dvc(root: Path, number: int) -> bytes:
    """A project per result: what is kept of it is taken from DVC's cache, else made."""
    project = root / str(number)
    if not (project / "dvc.yaml").exists():
        project.mkdir(exist_ok=True)
        make = MAKE.format(here=str(Path(__file__).parent), number=number)
        (project / "make.py").write_text(make)
        dvc(project, "init", "--no-scm", "--force")
        (project / "dvc.yaml").write_text(STAGE.format(python=sys.executable))
    output = project / "data.bin"
    output.unlink(missing_ok=True)
    dvc(project, "repro", "--quiet")
    found = output.read_bytes()
    output.unlink()
    return found


def dvc(project: Path, *words: str) -> None:
    command = [str(DVC), *words]
    subprocess.run(command, cwd=project, check=True, stdout=subprocess.DEVNULL, env=ALONE)


DVC = Path(sys.executable).parent / "dvc"
ALONE = {**os.environ, "DVC_NO_ANALYTICS": "1"}
Serve = Callable[[Path, int], bytes]
CACHES: dict[str, Serve] = {
    f"joblib.Memory {joblib.__version__}": with_joblib,
    "robotid": with_robotid,
}
if DVC.exists():
    CACHES[f"DVC {version('dvc')}"] = with_dvc


def started(serve: Serve, root: Path, number: int) -> int:
    """A process that asks for a result and compares it with what it must be."""
    pid = os.fork()
    if pid == 0:
        code = ERROR
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # tracebacks and warnings
            code = RIGHT if serve(root, number) == computed(number).tobytes() else WRONG
        finally:
            os._exit(code)
    os.setpgid(pid, pid)  # what it starts is killed with it
    return pid


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def asked(serve: Serve, root: Path, number: int) -> int:
    return ended(started(serve, root, number))


class Trial(NamedTuple):
    """What came of a kind of trial."""

    name: str
    outcomes: Counter[str]

    def line(self) -> str:
        told = ", ".join(
            f"{self.outcomes[what]} {what}" for what in ("right", "corrupt", "error", "wedged")
        )
        return f"  {self.name:22s} {self.outcomes.total():5d}: {told}"


def outcome(serve: Serve, root: Path, number: int) -> str:
    """What the next run gets, and if that is an error, the one after it."""
    code = asked(serve, root, number)
    if code in (RIGHT, WRONG):
        return "right" if code == RIGHT else "corrupt"
    return "wedged" if asked(serve, root, number) not in (RIGHT, WRONG) else "error"


def flips(serve: Serve, root: Path, count: int, chance: random.Random) -> Trial:
    """One bit of the largest file of a kept result."""
    found = Counter[str]()
    for number in range(count):
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(mode=0o700)
        assert asked(serve, root, number) == RIGHT
        if number == 0:  # the control: a hit without damage
            assert asked(serve, root, number) == RIGHT
        kept = [path for path in root.rglob("*") if path.is_file()]
        path = max(kept, key=lambda path: path.stat().st_size)
        mode = path.stat().st_mode
        data = bytearray(path.read_bytes())
        bit = chance.randrange(8 * len(data))
        data[bit // 8] ^= 1 << (bit % 8)
        path.chmod(0o644)
        path.write_bytes(data)
        path.chmod(mode)
        found[outcome(serve, root, number)] += 1
    return Trial("flipped bits", found)


def kills(serve: Serve, root: Path, count: int, chance: random.Random) -> Trial:
    """A kill -9 at a random moment of making and keeping a result."""
    found, usual = Counter[str](), []
    for number in range(-5, 0):
        began = time.perf_counter()
        assert asked(serve, root, 1_000_000 + number) == RIGHT
        usual.append(time.perf_counter() - began)
    number = 0
    while found.total() < count:
        number += 1
        pid = started(serve, root, number)
        time.sleep(chance.uniform(0, 1.1 * statistics.median(usual)))
        os.killpg(pid, signal.SIGKILL)
        if ended(pid) == -signal.SIGKILL:
            found[outcome(serve, root, number)] += 1
    return Trial("kill -9", found)


def pairs(serve: Serve, root: Path, count: int, _: random.Random) -> Trial:
    """Two processes that make the same result at once."""
    found, names = Counter[str](), {RIGHT: "right", WRONG: "corrupt"}
    for number in range(count):
        both = [started(serve, root, number) for _ in range(2)]
        found.update(names.get(ended(pid), "error") for pid in both)
        if outcome(serve, root, number) != "right":
            found["wedged"] += 1
    return Trial("two writers at once", found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flips", type=int, default=200)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=100)
    options = parser.parse_args()
    computed(0)  # loads what numpy loads late, before anything is timed
    folder, failed = Path(tempfile.mkdtemp(prefix="robotid-caches-")), 0
    folder.chmod(0o700)
    for name, serve in CACHES.items():
        print(name)
        kinds = ((flips, options.flips), (kills, options.kills), (pairs, options.pairs))
        for position, (kind, count) in enumerate(kinds):
            root = folder / f"{serve.__name__}{position}"
            root.mkdir(mode=0o700)
            share = 5 if serve is with_dvc else 1
            trial = kind(serve, root, max(count // share, 1), random.Random(0))
            print(trial.line(), flush=True)
            if serve is with_robotid:
                failed += trial.outcomes.total() - trial.outcomes["right"]
    shutil.rmtree(folder)
    print(f"robotid: {failed} results not right")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
