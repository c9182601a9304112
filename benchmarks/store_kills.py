"""kill -9 at random moments of store commits.

    python benchmarks/store_kills.py [--count 2000]

A child process makes a result and commits it; it is killed after a random time. Then every visible
entry is checked by code that does not know robotid, and the result is asked for again the way the
next run would: it must be right without anybody's help. At the end all orphans must be gone.
"""

import argparse
import mmap
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from check_store import check

from robotid.store.canonical import digest
from robotid.store.housekeeping import status
from robotid.store.store import Store
from robotid.store.workspaces import sweep


def content(seed: int) -> dict[str, bytes]:
    """The files of a result: some small, one of 2 MB, one in a folder."""
    make = random.Random(seed)
    return {
        "a.json": make.randbytes(300),
        "b.bin": make.randbytes(2_000_000),
        "deep/c.txt": make.randbytes(5000),
    }


PHASES = ("before", "writing", "committing", "reading")
phase = mmap.mmap(-1, 1)  # shared with the children: how far the last one came


def get_or_make(root: Path, seed: int, files: dict[str, bytes]) -> dict[str, bytes]:
    """What a run does: find the result or make and commit it, then serve it verified."""
    store = Store(root)
    record = {"format": 1, "stage": "killed", "seed": seed}
    phase[0] = 1
    with store.workspace() as space:
        entry = store.find("killed", digest(record))
        if entry is None:
            result = space / "result"
            for name, data in files.items():
                (result / name).parent.mkdir(parents=True, exist_ok=True)
                (result / name).write_bytes(data)
            phase[0] = 2
            entry = store.commit(store.seal(record, result), result)
        phase[0] = 3
        served = space / "served"
        served.mkdir()
        store.check_out(entry, served)
        return {name: (served / name).read_bytes() for name in entry.manifest.files}


def in_child(action, kill_after: float | None) -> int:
    """Run something in a child process, killed after a while; its wait status."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
            os._exit(0)
        except BaseException as error:
            print(f"child failed: {error!r}", file=sys.stderr)
            os._exit(1)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    root = Path(tempfile.mkdtemp(prefix="robotid-kills-"))
    usual = []
    for seed in range(-5, 0):
        files = content(seed)
        began = time.perf_counter()
        in_child(lambda seed=seed, files=files: get_or_make(root, seed, files), None)
        usual.append(time.perf_counter() - began)
    killed, corrupt, wrong, seed = Counter(), 0, 0, 0
    while killed.total() < options.count:
        seed += 1
        files = content(seed)
        moment = chance.uniform(0, 1.2 * statistics.median(usual))
        phase[0] = 0
        ended = in_child(lambda seed=seed, files=files: get_or_make(root, seed, files), moment)
        if os.WIFSIGNALED(ended):
            killed[PHASES[phase[0]]] += 1
        corrupt += len(check(root)[1])

        def next_run(seed: int = seed, files: dict[str, bytes] = files) -> None:
            assert get_or_make(root, seed, files) == files

        wrong += in_child(next_run, None) != 0
        if seed % 20 == 0:  # old entries were checked often enough; keep the disk small
            shutil.rmtree(root / "entries")
    corrupt += len(check(root)[1])
    orphans = status(Store(root)).orphans
    day_ago = time.time() - 90_000
    for path in (root / "tmp").iterdir():
        os.utime(path, (day_ago, day_ago))
    swept = sweep(root / "tmp")
    left = len(list((root / "tmp").iterdir()))
    quarantined = len(list(root.glob("quarantine/*")))
    shutil.rmtree(root)
    print(
        f"store kills: {seed} commits, {killed.total()} killed in time "
        f"({', '.join(f'{n} {name}' for name, n in sorted(killed.items()))}), "
        f"{corrupt} corrupt entries, {wrong} wrong or failed next runs, "
        f"{quarantined} quarantined, {orphans} orphans, {swept} swept, {left} left"
    )
    return int(bool(corrupt or wrong or left or quarantined))


if __name__ == "__main__":
    sys.exit(main())
