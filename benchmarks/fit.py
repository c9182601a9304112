"""From samples to physically consistent parameters, against what is done today.

    python benchmarks/fit.py [--millions 17.5] [--only adam script memory]

adam    100,000 samples in memory: one pass and the SDP, against mini-batch Adam on stored
        regressors (single precision, link parameters by the log-Cholesky factors, the best of some
        batches and learning rates) from random links until its loss is 1 % above that of the SDP.
        The gap is (f - f_sdp) / f_sdp, f the sum of squared errors of all samples, each joint's
        weighted by its noise; it is looked at after every hundred steps, and looking is not
        counted. Storing the regressors is not counted either. Seconds are those of one processor.
        How much a gap of 1 % asks for depends on the noise: the limit is for noise as `robotid
        simulate` makes it (0.2 % of the joints' effort limits). With ten times that, which is
        shown beside it and not judged, nearly everything is noise and Adam is soon there.
script  A log of 120 s at 1 kHz: filter, accelerations, factors and least squares, against filtfilt,
        gradient, Pinocchio's regressor in a loop and lstsq on the same rows; wall-clock times in
        turn, medians.
memory  A filtered Parquet file (5 hours at 1 kHz are 17.5 million samples) to parameters of the
        SDP, in a process of its own.

All of a Panda: seven joints, 98 parameters.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from information import write_dataset
from robots import excitation

from robotid.dynamics.base_parameters import base_parameters
from robotid.fitting.evidence import Evidence, Part, together
from robotid.fitting.linear import ols, wls
from robotid.fitting.sdp import consistent_fit
from robotid.information.factorise import Factoriser
from robotid.information.layout import TERMS, Layout
from robotid.information.regressor import dense_regressor, signals_of
from robotid.information.stream import block_edges, factor_blocks
from robotid.robot.load import load_robot

RATE_HZ = 1000.0
SAMPLES, GAP = 100_000, 0.01
# batches and learning rates
BATCHES = ((1024, 1e-2), (1024, 3e-2), (4096, 1e-2), (4096, 3e-2))
MOST_SECONDS = 60.0  # for each of them
LOOK_EVERY = 100  # steps
AT_LEAST = {"adam": 100.0, "script": 30.0}
# Each in a process of its own: where processor time counts, threads that wait must not.
PARTS = {
    "adam": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
    "script": {},
    "memory": {},
}
SCRIPT_S, CUTOFF_HZ, ORDER = 120.0, 10.0, 4
MOST_MEMORY = 1000  # MB
BYTES_PER_SAMPLE = 29 * 8
NOISE, MORE_NOISE = 0.002, 0.02  # standard deviations, shares of the joints' effort limits


def panda_log(samples: int, noise: float):
    """A layout, a motion and torques with friction and noise, a share of effort limits."""
    layout = Layout(load_robot("panda").tree, TERMS)
    robot, rng = layout.robot, np.random.default_rng(1)
    q, qd, qdd = excitation(robot, samples, RATE_HZ)
    tau = dense_regressor(robot, q, qd, qdd) @ robot.phi.ravel()
    tau += 0.8 * qd + 0.5 * np.clip(qd / 0.02, -1, 1) + 0.1 * qdd
    tau += rng.normal(size=tau.shape) * noise * robot.bound("effort")
    return layout, (q, qd, qdd), tau


def factored(layout: Layout, signals, threads: int | None = None):
    """Factors by block."""
    factoriser = Factoriser(layout, threads)
    edges = block_edges(signals.shape[1], RATE_HZ)
    blocks = list(factor_blocks(factoriser, [signals], edges))
    factoriser.close()
    return blocks


def from_samples(layout: Layout, signals, share: float = 1.0):
    """All that a fit does once samples are there, the structure of the robot included."""
    evidence = together([Part(share, factored(layout, signals, 1))], layout.parameters)
    found = wls(evidence, base_parameters(layout.robot, layout.terms))
    return found, consistent_fit(found.system, layout)


def adam() -> bool:
    missed = against_adam(NOISE) < AT_LEAST["adam"]
    against_adam(MORE_NOISE)
    return missed


def against_adam(noise: float) -> float:
    """How many times longer Adam takes."""
    import torch

    from robotid.fitting.entries import Entries
    from robotid.fitting.parametrised import Limits, fit_parametrised
    from robotid.fitting.rigid_body_loss import RigidBodyLoss
    from robotid.fitting.starts import random_start
    from robotid.spatial.parametrisations.table import PARAMETRISATIONS

    torch.set_num_threads(1)
    layout, motion, tau = panda_log(SAMPLES, noise)
    signals = signals_of(
        layout.robot, **dict(zip(("q", "qd", "qdd"), motion, strict=True)), tau=tau
    )
    from_samples(layout, signals[:, :2000])  # compiled code is kept between processes
    spent = []
    for _ in range(5):
        began = time.process_time()
        found, best = from_samples(layout, signals)
        spent.append(time.process_time() - began)
    ours = statistics.median(spent)
    entries = Entries.of(layout, PARAMETRISATIONS["log"])
    start = random_start(entries, 0)
    loss = RigidBodyLoss(found.system, entries)
    newton = fit_parametrised(loss, start, Limits(iterations=100_000, seconds=10.0))
    enough = (1 + GAP) * best.loss
    reached = next(moment for moment in newton.history if moment.loss <= enough)
    print(
        f"{SAMPLES} samples, noise {noise:.1%} of effort: pass and SDP {ours:.2f} s; its loss is "
        f"{best.loss / found.system.loss(found.around(np.zeros(layout.parameters))) - 1:.1e} above "
        f"that of least squares; log-Cholesky on the factor from random links is within {GAP:.0%} "
        f"after {reached.seconds:.2f} s and at {newton.loss / best.loss - 1:.0e} after "
        f"{newton.history[-1].seconds:.1f} s, without the pass"
    )
    weights = 1.0 / found.noise
    stored = Stored(layout, motion, tau, weights)
    times, reached_any = [], False
    for batch, rate in BATCHES:
        most = min([MOST_SECONDS, *times])  # what is slower than another need not go on
        seconds, steps, least = stored.train(entries, start, batch, rate, loss, enough, most)
        times.append(seconds)
        reached_any |= least <= enough
        said = "within" if least <= enough else "not within"
        print(
            f"  Adam, batches of {batch}, rate {rate:g}: {said} {GAP:.0%} after {steps} steps, "
            f"{seconds:.1f} s; {least / best.loss - 1:.1e} above the SDP",
            flush=True,
        )
    ratio = min(times) / ours if best.converged else 0.0
    asked = f" (at least {AT_LEAST['adam']:.0f})" if noise == NOISE else " (not judged)"
    more = "" if reached_any else "more than "
    print(f"  the best of them takes {more}{ratio:.0f} x pass and SDP{asked}", flush=True)
    return ratio


class Stored:
    """Regressors of all samples, weighted, as tensors."""

    def __init__(self, layout: Layout, motion, tau, weights) -> None:
        import torch

        q, qd, qdd = motion
        own = np.stack([qd, np.clip(qd / 0.02, -1, 1), np.ones_like(qd), qdd], -1)
        Y = dense_regressor(layout.robot, q, qd, qdd) * weights[:, None]
        self._links, self._own, self._tau = (
            torch.from_numpy(x.astype(np.float32))
            for x in (Y, own * weights[:, None], tau * weights)
        )

    def train(self, entries, start, batch, rate, loss, enough, most):
        """Seconds, steps and the least loss until it is small enough, or time is up."""
        import torch

        theta = torch.tensor(start, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([theta], lr=rate)
        generator = torch.Generator().manual_seed(0)
        spent, steps, least = 0.0, 0, np.inf
        while True:
            began = time.process_time()
            for chosen in torch.randperm(len(self._tau), generator=generator).split(batch):
                optimizer.zero_grad()
                links, own = entries.parameters(theta)
                found = self._links[chosen] @ links.flatten().float()
                found = found + (self._own[chosen] * own.float().reshape(found.shape[1], -1)).sum(
                    -1
                )
                ((found - self._tau[chosen]) ** 2).mean().backward()
                optimizer.step()
                steps += 1
                if steps % LOOK_EVERY == 0:
                    spent += time.process_time() - began
                    least = min(least, loss.loss(theta.detach().numpy()))
                    if least <= enough or spent > most:
                        return spent, steps, least
                    began = time.process_time()
            spent += time.process_time() - began


def their_script(layout: Layout, log, trim: int, every: int = 1):
    """What a user writes: rows of all samples, or of every so many, and joints, then lstsq."""
    import pinocchio as pin
    from scipy import signal

    from tests.reference_models import pinocchio_model

    robot = layout.robot
    b, a = signal.butter(ORDER, CUTOFF_HZ, fs=RATE_HZ)
    q, qd, tau = (signal.filtfilt(b, a, log[name], axis=0) for name in ("q", "qd", "tau"))
    qdd = np.gradient(qd, 1 / RATE_HZ, axis=0)
    q, qd, qdd, tau = (x[trim:-trim:every] for x in (q, qd, qdd, tau))
    model = pinocchio_model(robot)
    data = model.createData()
    W = np.zeros((*tau.shape, layout.parameters))
    links = 10 * robot.bodies
    for i in range(len(q)):
        W[i, :, :links] = pin.computeJointTorqueRegressor(model, data, q[i], qd[i], qdd[i])
    own = (qd, np.clip(qd / 0.02, -1, 1), np.ones_like(qd), qdd)
    for j in range(robot.n):
        for k, column in enumerate(own):
            W[:, j, links + j * len(own) + k] = column[:, j]
    return np.linalg.lstsq(W.reshape(-1, layout.parameters), tau.ravel(), rcond=1e-10)[0]


def our_functions(layout: Layout, columns, threads):
    """The same with what robotid's stages call; how many samples the filter trims is told."""
    from robotid.signals.low_pass import RecordingFilter
    from robotid.signals.options import FilterOptions

    joints = layout.robot.joint_names
    names = [f"{signal}.{joint}" for signal in ("q", "qd", "qdd", "tau") for joint in joints]
    signals, filled = np.empty((len(names), columns["t"].size)), 0

    def source(wanted):
        return [{name: columns[name] for name in wanted}]

    def keep(rows) -> None:  # their memory is used again
        nonlocal filled
        for name, signal in zip(names, signals, strict=True):
            signal[filled : filled + rows["t"].size] = rows[name]
        filled += rows["t"].size

    options = FilterOptions(cutoff_hz=CUTOFF_HZ, order=ORDER)
    done = RecordingFilter(source, list(columns), joints, options, threads).run(keep)
    signals = signals[:, :filled]
    evidence = Evidence(tuple(map(tuple, factored(layout, signals))), layout.parameters)
    found = ols(evidence, base_parameters(layout.robot, layout.terms))
    return found, done.settled


def script(repeat: int = 3) -> bool:
    from robotid.signals.threads import Threads

    layout, (q, qd, _), tau = panda_log(int(SCRIPT_S * RATE_HZ), NOISE)
    rng = np.random.default_rng(2)
    log = {
        "q": q + 1e-5 * rng.normal(size=q.shape),
        "qd": qd + 1e-3 * rng.normal(size=q.shape),
        "tau": tau,
    }
    columns = {"t": np.arange(len(q)) * (10**9 // int(RATE_HZ))}
    for name, values in log.items():
        for j, joint in enumerate(layout.robot.joint_names):
            columns[f"{name}.{joint}"] = np.ascontiguousarray(values[:, j])
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    with Threads() as threads:
        our_functions(layout, columns, threads)
        for _ in range(repeat):
            for _ in range(3):
                began = time.perf_counter()
                found, trim = our_functions(layout, columns, threads)
                times["ours"].append(time.perf_counter() - began)
            began = time.perf_counter()
            phi = their_script(layout, log, trim)
            times["theirs"].append(time.perf_counter() - began)
    middle = {which: statistics.median(values) for which, values in times.items()}
    ratio = middle["theirs"] / middle["ours"]
    apart = found.system.R @ (found.around(phi) - phi)
    share = float(np.linalg.norm(apart) / np.linalg.norm(found.system.z))
    print(
        f"log of {SCRIPT_S:.0f} s at 1 kHz: {1e3 * middle['ours']:.0f} ms, scipy, Pinocchio loop "
        f"and lstsq {middle['theirs']:.1f} s: {ratio:.0f} x (at least {AT_LEAST['script']:.0f}); "
        f"torques of both fits differ by {share:.0e}"
    )
    return ratio < AT_LEAST["script"] or share > 1e-5


def one_fit(path: Path, out: Path) -> None:
    """A filtered recording to parameters; prints times and the peak memory."""
    from robotid.information.recording import load_factors
    from robotid.robot.catalog import shipped_path
    from robotid.stages.contract import Source
    from robotid.stages.factors import FactorsConfig, run

    began = time.perf_counter()
    robot = Source("", shipped_path("panda"), "0" * 64)
    run(FactorsConfig(), {"dataset": [Source("", path, "0" * 64)], "robot": [robot]}, out)
    passed = time.perf_counter() - began
    layout = Layout(load_robot("panda").tree, TERMS)
    facts, blocks = load_factors(out / "factors.safetensors")
    evidence = together([Part(facts.independent, blocks)], layout.parameters)
    found = wls(evidence, base_parameters(layout.robot, layout.terms))
    best = consistent_fit(found.system, layout)
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    print(
        json.dumps(
            {
                "pass": passed,
                "seconds": time.perf_counter() - began,
                "peak_mb": int(status["VmHWM"].split()[0]) / 1024,
                "converged": best.converged,
                "samples": int(evidence.counts[:, 0].sum()),
            }
        )
    )


def memory(millions: float) -> bool:
    samples = int(millions * 1e6)
    with tempfile.TemporaryDirectory(prefix="robotid-fit-") as folder:
        if shutil.disk_usage(folder).free < 2 * samples * BYTES_PER_SAMPLE:
            print(f"{millions:g} million samples do not fit into {folder}", file=sys.stderr)
            return True
        path = Path(folder) / "run.parquet"
        subprocess.run([sys.executable, __file__, "--write", str(path), str(samples)], check=True)
        size = path.stat().st_size / 1e9
        command = [sys.executable, __file__, "--one", str(path), folder]
        found = json.loads(
            subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1]
        )
    print(
        f"{found['samples'] / 1e6:.1f} million samples ({samples / RATE_HZ / 3600:.1f} h) from "
        f"{size:.1f} GB of Parquet to parameters of the SDP: {found['seconds']:.1f} s, of which "
        f"{found['pass']:.1f} s the pass; peak memory {found['peak_mb']:.0f} MB (below "
        f"{MOST_MEMORY})"
    )
    return found["peak_mb"] >= MOST_MEMORY or not found["converged"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--millions", type=float, default=1.0)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write_dataset(Path(options.write[0]), int(options.write[1]))
        return 0
    if options.one:
        one_fit(Path(options.one[0]), Path(options.one[1]))
        return 0
    if options.part:
        parts = {"adam": adam, "script": script, "memory": lambda: memory(options.millions)}
        return int(parts[options.part]())
    failed = False
    for part in options.only:
        command = [sys.executable, __file__, "--part", part, "--millions", str(options.millions)]
        failed |= subprocess.run(command, env=os.environ | PARTS[part]).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
