"""Filter and differentiate, against scipy and numpy; accuracy of accelerations; peak memory.

    python benchmarks/filtering.py [--samples 1000000] [--repeat 5] [--largest 4.0] [--only speed]

Speed: q, qd and tau of 7 joints at 1 kHz, in memory. `scipy.signal.sosfiltfilt` over all 21 signals
and `numpy.gradient` of the 7 velocities, in turn with ours on the same samples; the ratio is that
of the medians. Ours takes and gives some ten thousand samples at a time; they are put together in
whole arrays here, as the others' are.

Accuracy: accelerations of a known motion from noisy positions (and velocities), against the naive
double difference.

Memory: the stage's function on recordings of 0.1 million samples up to `--largest` (in millions),
each in a process of its own.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

JOINTS = 7
RATE_HZ = 1000.0
CUTOFF_HZ, ORDER = 5.0, 4
AT_LEAST = 3.0
MOST_ERROR = 1e-12
MOST_GROWTH = 1.15


def motion(samples: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration of all joints, shape (joints, samples): five sines."""
    rng = np.random.default_rng(seed)
    t = np.arange(samples) / RATE_HZ
    q, qd, qdd = (np.zeros((JOINTS, samples)) for _ in range(3))
    for joint in range(JOINTS):
        for harmonic in range(1, 6):
            w = 2 * np.pi * 0.3 * harmonic
            a, p = rng.normal() / harmonic, rng.uniform(0, 2 * np.pi)
            q[joint] += a * np.sin(w * t + p)
            qd[joint] += a * w * np.cos(w * t + p)
            qdd[joint] -= a * w * w * np.sin(w * t + p)
    return q, qd, qdd


def theirs(values: np.ndarray, sections: np.ndarray, padlen: int | None = None):
    from scipy import signal

    filtered = signal.sosfiltfilt(sections, values, axis=1, padlen=padlen)
    return filtered, np.gradient(filtered[JOINTS : 2 * JOINTS], 1 / RATE_HZ, axis=1)


def ours(values: np.ndarray, low_pass, signals, threads) -> dict[str, np.ndarray]:
    """All columns of the result, without what is trimmed at the ends."""
    from robotid.signals.plan import Rates
    from robotid.signals.stretch import Outlet, StretchFilter

    samples, trim = values.shape[1], low_pass.settled
    whole = {name: np.empty(samples - 2 * trim) for name in signals.columns}

    def keep(rows) -> None:
        end = outlet.samples
        for name, row in whole.items():
            row[end - rows["t"].size : end] = rows[name]

    outlet = Outlet(signals, None, keep, 0.02)  # the others make no spectra either
    work = StretchFilter(0, 0, 0, signals, low_pass, Rates(RATE_HZ, 1), trim, threads, outlet)
    for begin in range(0, samples, 16384):
        work.push(values[:, begin : begin + 16384])
    work.close()
    return whole


def speed(samples: int, repeat: int) -> bool:
    from robotid.signals.butterworth import design
    from robotid.signals.options import FilterOptions
    from robotid.signals.plan import signals_of
    from robotid.signals.threads import Threads
    from robotid.signals.zero_phase import LowPass

    names = [f"{signal}.j{j}" for signal in ("q", "qd", "tau") for j in range(JOINTS)]
    signals = signals_of(names, [f"j{j}" for j in range(JOINTS)], FilterOptions())
    q, qd, qdd = motion(samples)
    values = np.vstack([q, qd, qdd])
    values += np.random.default_rng(1).normal(0, 1e-3, values.shape)
    low_pass = LowPass([CUTOFF_HZ] * len(names), ORDER, RATE_HZ)
    sections = design(CUTOFF_HZ, ORDER, RATE_HZ)
    times: dict[str, list[float]] = {"theirs": [], "ours": []}
    assert signals.channels == names
    with Threads() as threads:
        ours(values[:, :100_000], low_pass, signals, threads)
        for _ in range(repeat):
            began = time.perf_counter()
            theirs(values, sections)
            times["theirs"].append(time.perf_counter() - began)
            began = time.perf_counter()
            ours(values, low_pass, signals, threads)
            times["ours"].append(time.perf_counter() - began)
        part = values[:, : min(samples, 200_000)]
        found = ours(part, low_pass, signals, threads)
    trim = low_pass.settled
    filtered, qdd = theirs(part, sections, padlen=trim)
    errors = []
    for name, expected in (*zip(names, filtered, strict=True), ("qdd.j0", qdd[0])):
        difference = np.abs(found[name] - expected[trim:-trim]).max()
        errors.append(difference / np.abs(expected).max())
    middle = {which: statistics.median(values) for which, values in times.items()}
    ratio = middle["theirs"] / middle["ours"]
    print(
        f"{samples / 1e6:g} million samples of {JOINTS} joints, {len(names)} signals, "
        f"{threads.count} threads: {middle['ours']:.2f} s, {ratio:.1f} x sosfiltfilt + gradient "
        f"({middle['theirs']:.2f} s; at least {AT_LEAST:.0f}), without spectra; difference "
        f"{max(errors[:-1]):.0e} of the largest value (at most {MOST_ERROR:.0e}), "
        f"{errors[-1]:.0e} in acceleration"
    )
    return ratio < AT_LEAST or max(errors) > MOST_ERROR


def accuracy() -> bool:
    """Errors of accelerations as shares of their rms, for noise as encoders have it."""
    from robotid.signals.low_pass import RecordingFilter
    from robotid.signals.options import FilterOptions
    from robotid.signals.threads import Threads

    samples = 60_000
    q, qd, qdd = motion(samples)
    rng = np.random.default_rng(2)
    noisy = {"q": q + rng.normal(0, 1e-4, q.shape), "qd": qd + rng.normal(0, 2e-3, q.shape)}
    t = (np.arange(samples) * 1_000_000).astype(np.int64)

    def error(found, at) -> float:
        return float(np.sqrt(np.mean((found - qdd[:, at]) ** 2) / np.mean(qdd**2)))

    naive = np.gradient(np.gradient(noisy["q"], 1e-3, axis=1), 1e-3, axis=1)
    naive_error = error(naive, slice(None))
    print(f"naive double difference of positions: error {naive_error:.3g} of the rms acceleration")
    single = error(np.gradient(noisy["qd"], 1e-3, axis=1), slice(None))
    print(f"naive difference of velocities: error {single:.3g}")
    worst = 0.0
    for velocity in ("log", "from-position"):
        for cutoff in (5.0, 10.0, "auto"):
            for method in ("central", "savitzky-golay", "spectral"):
                options = FilterOptions(cutoff_hz=cutoff, velocity=velocity, acceleration=method)
                columns = {"t": t}
                for signal, rows in noisy.items():
                    columns |= {f"{signal}.j{j}": row for j, row in enumerate(rows)}
                joints = [f"j{j}" for j in range(JOINTS)]
                parts: list[dict] = []

                def source(names, columns=columns):
                    for begin in range(0, samples, 16384):
                        yield {name: columns[name][begin : begin + 16384] for name in names}

                with Threads() as threads:
                    done = RecordingFilter(source, list(columns), joints, options, threads).run(
                        lambda rows, parts=parts: parts.append(
                            {k: v.copy() for k, v in rows.items()}
                        )
                    )
                at = np.concatenate([p["t"] for p in parts]) // 1_000_000
                found = np.array([np.concatenate([p[f"qdd.{j}"] for p in parts]) for j in joints])
                share = error(found, at)
                worst = max(worst, share)
                print(
                    f"velocity {velocity}, cut-off {done.cutoff_hz:.3g} Hz"
                    f"{' (auto)' if cutoff == 'auto' else ''}, {method}: error {share:.2g}"
                )
    return worst > 0.02 * naive_error


def write_dataset(path: Path, samples: int) -> None:
    """A raw recording, written in pieces."""
    from robotid.contracts.recording import Joint, RecordingFacts, RecordingWriter

    piece = 100_000
    signals = dict(zip(("q", "qd", "tau"), motion(piece), strict=True))
    rng = np.random.default_rng(3)
    with RecordingWriter(path.parent) as writer:
        for begin in range(0, samples, piece):
            count = min(piece, samples - begin)
            columns = {"t": np.arange(begin, begin + count, dtype=np.int64) * 1_000_000}
            for name, rows in signals.items():
                for j, row in enumerate(rows[:, :count]):
                    columns[f"{name}.j{j}"] = row + rng.normal(0, 1e-3, count)
            writer.write(columns)
        writer.finish(
            RecordingFacts(
                joints=[Joint(name=f"j{j}") for j in range(JOINTS)],
                source_sha256="0" * 64,
                rate_hz=RATE_HZ,
                duration_s=(samples - 1) / RATE_HZ,
                samples=samples,
            )
        )
    (path.parent / "recording.parquet").rename(path)


def one_pass(path: Path, out: Path) -> None:
    """The stage's function on one recording; prints its time and the peak memory."""
    from robotid.stages.contract import Source
    from robotid.stages.filter import FilterConfig, run

    began = time.perf_counter()
    run(FilterConfig(), {"dataset": [Source("", path, "0" * 64)]}, out)
    seconds = time.perf_counter() - began
    # Not ru_maxrss: that of a new process begins with what its parent had.
    status = Path("/proc/self/status").read_text()
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak}))


def memory(largest: float) -> bool:
    peaks = []
    for millions in (0.1, largest / 4, largest):
        with tempfile.TemporaryDirectory(prefix="robotid-filtering-") as folder:
            path, samples = Path(folder) / "run.parquet", int(millions * 1e6)
            write = [sys.executable, __file__, "--write", str(path), str(samples)]
            subprocess.run(write, check=True)
            command = [sys.executable, __file__, "--one", str(path), folder]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            peaks.append(found["peak_mb"])
            print(
                f"{millions:g} million samples from Parquet to Parquet: {found['seconds']:.1f} s, "
                f"peak memory {found['peak_mb']:.0f} MB"
            )
    growth = max(peaks) / peaks[0]
    print(f"peak memory grows {growth:.2f} x (at most {MOST_GROWTH})")
    return growth > MOST_GROWTH


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--largest", type=float, default=4.0, help="million samples")
    parser.add_argument("--only", choices=["speed", "accuracy", "memory"])
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write_dataset(Path(options.write[0]), int(options.write[1]))
        return 0
    if options.one:
        one_pass(Path(options.one[0]), Path(options.one[1]))
        return 0
    parts = {
        "speed": lambda: speed(options.samples, options.repeat),
        "accuracy": accuracy,
        "memory": lambda: memory(options.largest),
    }
    failed = [run() for name, run in parts.items() if options.only in (None, name)]
    return int(any(failed))


if __name__ == "__main__":
    sys.exit(main())
