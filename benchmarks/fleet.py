"""A dataset of many recordings: memory of a fit over all of them, and the cost of one more.

    python benchmarks/fleet.py [--recordings 200] [--samples 100000] [--small]

Seven joints of a Panda at 1 kHz, one CSV for each recording; `robotid run` from logs to a fit, with
one worker process. All of them from beginning to end; then, in turns, a single recording in a cache
of its own, and one more of the many. Memory is what all processes hold between them (Pss: shared
pages count once).
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from long_log import write_log
from watched import Watched, size_of, watched

MOST_MEMORY, MOST_TIME = 1.2, 1.5  # times what one recording takes
PIPELINE = """
[stages.ingest]
inputs.logs = "logs/*.csv"
inputs.robot = "panda"

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 20.0

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "panda"
"""
REPEAT = 3
SMALL = {"recordings": 4, "samples": 20_000}


class Fleet:
    """A folder with logs, a pipeline and a cache."""

    def __init__(self, folder: Path, samples: int) -> None:
        self._folder, self._samples, self._count = folder, samples, 0
        (folder / "logs").mkdir(parents=True)
        (folder / "fleet.toml").write_text(PIPELINE)

    def record(self, count: int) -> None:
        """Add recordings, each with noise of its own."""
        for _ in range(count):
            path = self._folder / "logs" / f"r{self._count:04d}.csv"
            write_log(path, self._samples, seed=self._count)
            self._count += 1

    @property
    def kept(self) -> int:
        """Bytes in the cache."""
        return size_of(self._folder / "cache")

    @property
    def factors(self) -> int:
        """Bytes of the factors of all recordings."""
        return sum(
            path.stat().st_size
            for path in (self._folder / "cache" / "entries" / "factors").rglob(
                "factors.safetensors"
            )
        )

    @property
    def log_bytes(self) -> int:
        """Bytes of the logs."""
        return size_of(self._folder / "logs")

    def run(self) -> Watched:
        """From logs to a fit; everything that is known is in the cache."""
        os.sync()  # what was written before is not this run's to wait for
        command = [Path(sys.executable).parent / "robotid", "run", "fleet.toml", "--quiet"]
        settings = {"ROBOTID_CACHE_DIR": str(self._folder / "cache")}
        return watched([*command, "--jobs", "1"], self._folder, settings, codes=(0, 4))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=int, default=200)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--small", action="store_true", help="a size for tests; limits do not hold")
    given = parser.parse_args()
    if given.small:
        given.recordings, given.samples = SMALL["recordings"], SMALL["samples"]
    with tempfile.TemporaryDirectory(prefix="robotid-fleet-") as name:
        alone, fleet = (Fleet(Path(name, kind), given.samples) for kind in ("alone", "fleet"))
        alone.record(1)
        alone.run()  # compiled code and files of libraries are at hand from here on
        fleet.record(given.recordings)
        every = fleet.run()
        ones, mores = [], []
        for turn in range(REPEAT):
            single = Fleet(Path(name, f"single{turn}"), given.samples)
            single.record(1)
            ones.append(single.run())
            fleet.record(1)
            mores.append(fleet.run())
        again = fleet.run()
    one, more = (sorted(runs, key=lambda run: run.seconds)[REPEAT // 2] for runs in (ones, mores))
    ratio = statistics.median(b.seconds / a.seconds for a, b in zip(ones, mores, strict=True))
    print(
        f"one recording of {given.samples:,} samples, from log to fit: "
        f"{one.seconds:.1f} s, {one.peak_mb:.0f} MB\n"
        f"{given.recordings} recordings: {every.seconds:.0f} s "
        f"({every.seconds / given.recordings:.2f} s each), {every.peak_mb:.0f} MB\n"
        f"one more: {more.seconds:.1f} s, {more.peak_mb:.0f} MB; "
        f"nothing new: {again.seconds:.1f} s\n"
        f"peak memory of {given.recordings} is {every.peak_mb / one.peak_mb:.2f} x that of one "
        f"(limit {MOST_MEMORY}), one more costs {ratio:.2f} x a single one (limit {MOST_TIME}; "
        f"medians of {REPEAT} in turns)"
    )
    good = every.peak_mb <= MOST_MEMORY * one.peak_mb and ratio <= MOST_TIME
    return int(not good and not given.small)


if __name__ == "__main__":
    sys.exit(main())
