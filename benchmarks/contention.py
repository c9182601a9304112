"""Many processes on one cache, with gc taking entries away all the time.

    python benchmarks/contention.py [--processes 8] [--keys 100]

Every process asks for all keys in its own order, computes what it does not find, and compares what
it is served with what it must be.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_store import check

from robotid.store.canonical import digest
from robotid.store.housekeeping import collect
from robotid.store.store import EntryDamagedError, Store


def content(number: int) -> bytes:
    return random.Random(number).randbytes(20_000)


def serve(store: Store, number: int) -> tuple[bytes, bool]:
    """The bytes of a key, from the store or computed; and whether it was a hit."""
    record = {"format": 1, "stage": "shared", "number": number}
    hit = True
    while True:
        entry = store.find("shared", digest(record))
        with store.workspace() as space:
            if entry is None:
                hit = False
                (space / "result").mkdir()
                (space / "result" / "data.bin").write_bytes(content(number))
                sealed = store.seal(record, space / "result")
                entry = store.commit(sealed, space / "result")
            (space / "served").mkdir()
            try:
                store.check_out(entry, space / "served")
            except EntryDamagedError:
                continue  # gc was faster: ask again
            return (space / "served" / "data.bin").read_bytes(), hit


def work(root: Path, seed: int, keys: int) -> int:
    store, order = Store(root), list(range(keys))
    random.Random(seed).shuffle(order)
    wrong = hits = 0
    for number in order:
        data, hit = serve(store, number)
        hits += hit
        wrong += data != content(number)
    print(hits, wrong, len(store.notices))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(Path(options.worker[0]), int(options.worker[1]), options.keys)
    root = Path(tempfile.mkdtemp(prefix="robotid-contention-"))
    workers = [
        subprocess.Popen(
            [sys.executable, __file__, "--keys", str(options.keys), "--worker", root, str(seed)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(options.processes)
    ]
    collected = rounds = 0
    while any(worker.poll() is None for worker in workers):
        collected += collect(Store(root), max_size=100_000, min_age_s=0).removed
        rounds += 1
        time.sleep(0.05)
    answers = [(worker.stdout.read().split(), worker.wait()) for worker in workers]
    failures = sum(code != 0 for _, code in answers)
    hits, wrong, damaged = (sum(int(a[i]) for a, code in answers if code == 0) for i in range(3))
    faults = len(check(root)[1])
    shutil.rmtree(root)
    print(
        f"contention: {options.processes} processes x {options.keys} keys, {hits} hits, "
        f"{collected} entries collected in {rounds} gc rounds, {wrong} wrong results, "
        f"{failures} failed processes, {damaged} damage warnings, {faults} corrupt entries left"
    )
    return int(bool(failures or wrong or faults or damaged))


if __name__ == "__main__":
    sys.exit(main())
