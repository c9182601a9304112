"""From samples to information factors, against the loop a user writes today; and peak memory.

    python benchmarks/information.py [--samples 200000] [--repeat 5] [--largest 2.0]

The loop calls Pinocchio's `computeJointTorqueRegressor` for each sample and adds, chunk by chunk
and joint by joint, the products of the columns of the joint's subtree, its friction and its torque
(numpy). Both run in turn on the same samples of an excitation trajectory with noise on the torque,
given as columns, as they come out of a file; the ratios are those of the medians. Ours includes
finding the structure of the robot, and whitening where columns are nearly dependent.

Merging: what the task of a fit does with the factors of many recordings, a whole one each, at once
and by groups, as a deeper tree would.

Memory: the stage's function on recordings of 0.1 million samples up to `--largest` (17.5 for the
figure in the documents), each in a process of its own.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# As in robotid's workers; on small matrices the loop is faster with it, too.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from robots import benchmark_robots, excitation

from robotid.information.factor import merged
from robotid.information.factorise import Factoriser
from robotid.information.layout import Layout
from robotid.information.regressor import dense_regressor, signals_of
from robotid.information.stream import block_edges, factor_blocks
from robotid.information.triangular import well_conditioned

TERMS = ("viscous", "coulomb", "offset")
RATE_HZ = 1000.0
CHUNK = 2000
RECORDINGS, GROUP = 200, 16  # that are merged, at once and by groups
AT_LEAST = 12.0
MOST_GROWTH = 1.25  # a short recording does not fill all buffers


def loop(layout: Layout, signals) -> list[np.ndarray]:
    """Gram matrices of [W | tau] per joint."""
    import pinocchio as pin  # here: it is no part of the memory that is measured below

    from tests.reference_models import pinocchio_model

    robot = layout.robot
    *motion, tau = (np.ascontiguousarray(x.T) for x in np.split(signals, 4))
    model = pinocchio_model(robot)
    data = model.createData()
    grams = [np.zeros((c.size + 1, c.size + 1)) for c in layout.columns]
    Y = np.empty((CHUNK, robot.nv, 10 * robot.bodies))
    for begin in range(0, len(tau), CHUNK):
        q, qd, qdd = (x[begin : begin + CHUNK] for x in motion)
        for sample in range(len(q)):
            Y[sample] = pin.computeJointTorqueRegressor(
                model, data, q[sample], qd[sample], qdd[sample]
            )
        for j, columns in enumerate(layout.columns):
            links = columns[: -len(TERMS)]
            own = [qd[:, j], np.clip(qd[:, j] / 0.02, -1, 1), np.ones(len(q))]
            torque = tau[begin : begin + CHUNK, j]
            A = np.column_stack([Y[: len(q), j, links], *own, torque])
            grams[j] += A.T @ A
    return grams


def ours(layout: Layout, signals):
    """Factors by block."""
    factoriser = Factoriser(layout)
    edges = block_edges(signals.shape[1], RATE_HZ)
    blocks = list(factor_blocks(factoriser, [signals], edges))
    factoriser.close()
    return blocks


def speed(samples: int, repeat: int) -> bool:
    failed = False
    for name, robot in benchmark_robots().items():
        layout = Layout(robot, TERMS)
        motion = excitation(robot, samples, RATE_HZ)
        tau = dense_regressor(robot, *motion) @ robot.phi.ravel()
        tau += np.random.default_rng(1).normal(size=tau.shape) * 0.05 * tau.std(axis=0)
        q, qd, qdd = motion
        signals = signals_of(robot, q=q, qd=qd, qdd=qdd, tau=tau)
        ours(layout, signals[:, :1000])
        times: dict[str, list[float]] = {"ours": [], "loop": []}
        for _ in range(repeat):
            for which, call in (("ours", ours), ("loop", loop)):
                began = time.perf_counter()
                result = call(layout, signals)
                times[which].append(time.perf_counter() - began)
                if which == "ours":
                    blocks = result
        phi = np.append(robot.phi.ravel(), np.zeros(layout.parameters - robot.phi.size))
        worst = 0.0
        for j, gram in enumerate(result):
            x = np.append(phi[layout.columns[j]], -1.0)
            loss = sum(block[j].loss(phi) for block in blocks)
            worst = max(worst, abs(loss - x @ gram @ x) / loss)
        middle = {which: statistics.median(values) for which, values in times.items()}
        ratio = middle["loop"] / middle["ours"]
        poor = sum(not well_conditioned(factor.R) for block in blocks for factor in block)
        failed |= ratio < AT_LEAST or worst > 1e-9
        print(
            f"{name}: {samples / middle['ours'] / 1e6:.2f} M samples/s, {ratio:.1f} x the "
            f"Pinocchio loop with numpy (at least {AT_LEAST:.0f}); {poor} of "
            f"{len(blocks) * robot.nv} factors whitened; losses differ by {worst:.0e}"
        )
        failed |= merging(name, [merged(blocks)] * RECORDINGS, phi)
    return failed


def merging(name: str, recordings, phi: np.ndarray) -> bool:
    """Times, and losses of parameters that are not right, so that nothing cancels."""
    groups = [recordings[at : at + GROUP] for at in range(0, len(recordings), GROUP)]
    found = []
    for call in (lambda: merged(recordings), lambda: merged(map(merged, groups))):
        began = time.perf_counter()
        factors = call()
        found.append((time.perf_counter() - began, sum(f.loss(0.9 * phi) for f in factors)))
    (once, one), (by_groups, other) = found
    print(
        f"{name}: factors of {len(recordings)} recordings merged in {1e3 * once:.0f} ms "
        f"({1e3 * once / len(recordings):.2g} ms each), by groups of {GROUP} in "
        f"{1e3 * by_groups:.0f} ms; losses differ by {abs(other / one - 1):.0e}"
    )
    return abs(other / one - 1) > 1e-9


def write_dataset(path: Path, samples: int) -> None:
    """A filtered recording of the arm, written in pieces."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from robotid.contracts.recording import Joint, RecordingFacts

    robot = next(iter(benchmark_robots().values()))
    facts = RecordingFacts(
        joints=[Joint(name=name) for name in robot.joint_names],
        source_sha256="0" * 64,
        rate_hz=RATE_HZ,
        duration_s=(samples - 1) / RATE_HZ,
        samples=samples,
    )
    period, group = 10_000, 1_000_000  # samples; rows that `filter` writes into one group
    q, qd, qdd = excitation(robot, period, RATE_HZ)
    tau = dense_regressor(robot, q, qd, qdd) @ robot.phi.ravel()
    rng, writer = np.random.default_rng(2), None
    for begin in range(0, samples, group):
        count = min(group, samples - begin)
        at = np.arange(begin, begin + count)
        columns = {"t": at * (10**9 // int(RATE_HZ))}
        for signal, values in (("q", q), ("qd", qd), ("qdd", qdd), ("tau", tau)):
            noise = 0.05 if signal == "tau" else 0.0
            for j, joint in enumerate(robot.joint_names):
                columns[f"{signal}.{joint}"] = values[at % period, j] + noise * rng.normal(
                    size=count
                )
        table = pa.table(columns).replace_schema_metadata(
            {b"robotid.recording": facts.model_dump_json().encode()}
        )
        if writer is None:
            writer = pq.ParquetWriter(
                path, table.schema, compression="lz4", write_page_checksum=True
            )
        writer.write_table(table)
    writer.close()


def one_pass(path: Path, out: Path) -> None:
    """The stage's function on one recording; prints its time and the peak memory."""
    from robotid.robot.catalog import shipped_path
    from robotid.stages.contract import Source
    from robotid.stages.factors import FactorsConfig, run

    robot = Source("", shipped_path("panda"), "0" * 64)
    began = time.perf_counter()
    run(FactorsConfig(), {"dataset": [Source("", path, "0" * 64)], "robot": [robot]}, out)
    seconds = time.perf_counter() - began
    # Not ru_maxrss: that counts what the parent had when it forked.
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    print(json.dumps({"seconds": seconds, "peak_mb": int(status["VmHWM"].split()[0]) / 1024}))


def memory(largest: float) -> bool:
    peaks = []
    for millions in (0.1, largest / 4, largest):
        with tempfile.TemporaryDirectory(prefix="robotid-information-") as folder:
            path, samples = Path(folder) / "run.parquet", int(millions * 1e6)
            write = [sys.executable, __file__, "--write", str(path), str(samples)]
            subprocess.run(write, check=True)
            command = [sys.executable, __file__, "--one", str(path), folder]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            peaks.append(found["peak_mb"])
            size = (Path(folder) / "factors.safetensors").stat().st_size / 1e6
            print(
                f"{millions:.1f} million samples from Parquet: {found['seconds']:.1f} s, "
                f"peak memory {found['peak_mb']:.0f} MB, factors {size:.1f} MB"
            )
    growth = max(peaks) / peaks[0]
    print(f"peak memory grows {growth:.2f} x (at most {MOST_GROWTH})")
    return growth > MOST_GROWTH


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--largest", type=float, default=2.0, help="million samples")
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write_dataset(Path(options.write[0]), int(options.write[1]))
        return 0
    if options.one:
        one_pass(Path(options.one[0]), Path(options.one[1]))
        return 0
    slow = speed(options.samples, options.repeat)
    return int(memory(options.largest) or slow)


if __name__ == "__main__":
    sys.exit(main())
