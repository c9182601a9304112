"""How fast is training of learned torque models, against stock PyTorch and a peer?

    python benchmarks/learned_training.py [--only lstm|diffnea] [--sequences 1000] [--length 100]
        [--samples 8192] [--batch 256] [--repeat 5]

lstm: a step of the hybrid of a 7-axis arm, rigid links that an earlier fit gave and an LSTM of 50
units behind a layer of 100: gradient of the loss of a batch and a step of Adam. Ours does shares of
the batch in threads. Stock is the same network as a plain module in float32, with inputs and
targets in usual sizes once and for all, one pass forward and one back, with one and with two
threads of torch. Losses of the same steps have to be the same. Times are of the clock: two threads
gain only where two cores are free, which is measured in the same run; else nothing is judged.

diffnea: an epoch of Adam through inverse dynamics of the same arm, thirteen numbers of each link
learned, as `fit` does it in float64, beside differentiable-robot-model, which is float32, with the
same samples, batches and validation. Torques have to be the same first. Times are of the processor,
on one thread. It needs the extra `bench`.
"""

import argparse
import copy
import os
import statistics
import sys
import threading
import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # threads of stock that wait would take its own cores

import numpy as np
import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parent.parent))
from robotid.dynamics.rnea import rnea
from robotid.fitting.adam import Samples, Training, fit_adam
from robotid.fitting.entries import Entries
from robotid.information.layout import Layout
from robotid.models.learned.bodies import LinkBody
from robotid.models.learned.inverse import InverseModel, Motion
from robotid.models.learned.residuals import MotionScales, RecurrentResidual
from robotid.robot.load import Loaded, load_robot
from robotid.robot.tree import RobotTree
from robotid.spatial.parametrisations.table import parametrisation
from robotid.training.motions import MotionTask, Stretch

LSTM_ASKED, DIFFNEA_ASKED = 1.5, 5.0
SAME_LOSS, SAME_TORQUE = 1e-5, 1e-5
FREE = 1.8  # cores that two busy threads get, where two are free
HIDDEN, UNITS, RATE = 100, 50, 1e-3
STEPS = 3  # with the same losses, before any is timed


class StockHybrid(nn.Module):
    """The network of the hybrid as one writes it: motions in usual sizes to torques in these."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.first, self.bend = nn.Linear(3 * n, HIDDEN), nn.PReLU()
        self.before, self.after = nn.LayerNorm(HIDDEN), nn.LayerNorm(UNITS)
        self.memory = nn.LSTM(HIDDEN, UNITS, batch_first=True)
        self.last = nn.Linear(UNITS, n)

    def forward(self, motion: Tensor) -> Tensor:
        found, _ = self.memory(self.before(self.bend(self.first(motion))))
        return self.last(self.after(found))

    def begin_as(self, residual: RecurrentResidual) -> None:
        """Take the weights of ours."""
        own = residual.state_dict()
        taken = {name: own[name.replace("first.", "layers.0.")] for name in self.state_dict()}
        self.load_state_dict(taken)


def stretch(robot: RobotTree, count: int, seed: int) -> Stretch:
    """Random motions; torques are 1.2 times those of the links and follow velocities late."""
    generator = torch.Generator().manual_seed(seed)
    motion = [torch.randn(count, robot.n, generator=generator).double() for _ in range(3)]
    late = sum(0.7**lag * motion[1].roll(lag, 0) for lag in range(1, 6))
    tau = 1.2 * rnea(robot, *motion) + late
    return Stretch("run", torch.arange(count) / 1e3, Motion(*motion, torch.zeros(count, 0)), tau)


def hybrid(robot: RobotTree, own: Stretch) -> InverseModel:
    """Links that do not change any more, and an LSTM."""
    signals = torch.cat(own.motion[:3], -1)
    scales = MotionScales(signals.mean(0), signals.std(0), own.tau.std(0))
    links = parametrisation("diffbary")
    body = LinkBody(robot, links, links.theta(torch.tensor(robot.phi))).requires_grad_(False)
    return InverseModel(body=body, residual=RecurrentResidual(scales, (HIDDEN,), UNITS))


def ours_and_stock(
    robot: RobotTree, sequences: int, length: int
) -> tuple[Callable[[], float], Callable[[], float]]:
    """Functions that do a step and return its loss, from the same weights with the same batches."""
    own = stretch(robot, sequences * length, 0)
    extent = own.tau.amax(0) - own.tau.amin(0)  # errors count in units of it
    model = hybrid(robot, own)
    task = MotionTask(model, [own], [stretch(robot, length, 1)], extent, length)
    mine = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=RATE)

    mean, spread, usual = (model.residual.get_buffer(name) for name in MotionScales._fields)
    cut = (sequences, length, -1)
    inputs = ((torch.cat(own.motion[:3], -1) - mean) / spread).float().reshape(cut)
    with torch.no_grad():
        left = own.tau - model.formulas(own.motion).total()
    targets, weights = (left / usual).float().reshape(cut), (usual / extent).float()
    stock = StockHybrid(robot.n)
    stock.begin_as(model.residual)
    theirs = torch.optim.Adam(stock.parameters(), lr=RATE)
    orders = [torch.Generator().manual_seed(2) for _ in range(2)]

    def our_step() -> float:
        mine.zero_grad()
        loss = task.backward(torch.randperm(sequences, generator=orders[0]))
        mine.step()
        return loss

    def stock_step() -> float:
        chosen = torch.randperm(sequences, generator=orders[1])
        theirs.zero_grad()
        loss = ((stock(inputs[chosen]) - targets[chosen]) * weights).square().mean()
        loss.backward()
        theirs.step()
        return loss.item()

    return our_step, stock_step


def free_cores() -> float:
    """How many cores two busy threads get: their processor time by the clock."""

    def busy() -> None:
        matrix, until = torch.ones(200, 200), time.perf_counter() + 0.3
        while time.perf_counter() < until:
            for _ in range(10):
                matrix @ matrix

    threads = [threading.Thread(target=busy) for _ in range(2)]
    began = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (time.process_time() - began[1]) / (time.perf_counter() - began[0])


def timed(step: Callable[[], float]) -> tuple[float, float]:
    """By the clock, and of the processor in all threads [s]."""
    began = time.perf_counter(), time.process_time()
    step()
    return time.perf_counter() - began[0], time.process_time() - began[1]


def lstm(loaded: Loaded, sequences: int, length: int, repeat: int) -> bool:
    """Print about steps of the hybrid; whether losses are the same and it is fast enough."""
    ours, stock = ours_and_stock(loaded.tree, sequences, length)
    losses = [(ours(), stock()) for _ in range(STEPS)]
    apart = max(abs(own - other) / other for own, other in losses)
    spent: dict[str, list[tuple[float, float]]] = {
        "ours": [],
        "stock": [],
        "stock, two threads": [],
    }
    free = []
    for _ in range(repeat):  # in turn: what disturbs one disturbs the others
        free.append(free_cores())
        spent["ours"].append(timed(ours))
        spent["stock"].append(timed(stock))
        torch.set_num_threads(2)
        spent["stock, two threads"].append(timed(stock))
        torch.set_num_threads(1)
    print(f"lstm hybrid, {loaded.tree.name}, a step of {sequences} sequences of {length} samples")
    print(f"  losses of {STEPS} steps differ by {apart:.0e} (at most {SAME_LOSS:g})")
    medians = {
        name: [1e3 * statistics.median(own) for own in zip(*times, strict=True)]
        for name, times in spent.items()
    }
    best = medians["ours"]
    print("                      clock [ms]  of ours   processor [ms]  of ours")
    for name, (clock, busy) in medians.items():
        print(
            f"  {name:19s} {clock:11.0f} {clock / best[0]:8.2f} {busy:16.0f} {busy / best[1]:8.2f}"
        )
    ratio, cores = medians["stock"][0] / best[0], statistics.median(free)
    said = f"  {ratio:.2f} times as fast as stock (at least {LSTM_ASKED:g})"
    if cores < FREE:
        said += f": not judged, two busy threads get {cores:.2f} cores"
    else:
        said += f": {'pass' if ratio >= LSTM_ASKED else 'FAIL'}"
    print(said, flush=True)
    return apart <= SAME_LOSS and (cores < FREE or ratio >= LSTM_ASKED)


def motions(robot: RobotTree, count: int, seed: int) -> Samples:
    """Random motions with torques of links that are a tenth heavier."""
    q, qd, qdd = np.random.default_rng(seed).standard_normal((3, count, robot.n))
    given = (torch.from_numpy(x) for x in (q, qd, qdd))
    return Samples(q, qd, qdd, 1.1 * rnea(robot, *given).numpy())


def peer_epoch(model: nn.Module, train: Samples, validation: Samples, how: Training) -> float:
    """An epoch of the peer as `fit_adam` has it; processor time [s]."""
    seen, held = ([torch.tensor(x).float() for x in own] for own in (train, validation))
    optimizer = torch.optim.Adam(model.parameters(), lr=how.learning_rate)
    generator = torch.Generator().manual_seed(how.seed)

    def loss_of(samples: list[Tensor]) -> Tensor:
        *motion, tau = samples
        found = model.compute_inverse_dynamics(*motion, include_gravity=True, use_damping=False)
        return (found - tau).square().mean()

    began = time.process_time()
    for chosen in torch.randperm(len(train.q), generator=generator).split(how.batch):
        optimizer.zero_grad()
        loss = loss_of([x[chosen] for x in seen])
        loss.backward()
        optimizer.step()
        loss.item()
    with torch.no_grad():
        loss_of(held).item()
    return time.process_time() - began


def diffnea(loaded: Loaded, samples: int, batch: int, repeat: int) -> bool:
    """Print about epochs through inverse dynamics; whether torques agree and it is fast enough."""
    from rnea import peer

    robot = loaded.tree
    layout, kind = Layout(robot), parametrisation("nostr")
    entries, begin = Entries.of(layout, kind), robot.phi.ravel()
    train, validation = motions(robot, samples, 0), motions(robot, max(1, samples // 8), 1)
    how = Training(batch=batch, learning_rate=1e-3, epochs=2, patience=2)
    other = peer(loaded.path, robot.links)
    numbers = sum(p.numel() for p in other.parameters())
    given = [torch.tensor(x[:100]) for x in train[:3]]
    with torch.no_grad():
        own = rnea(robot, *given)
        found = other.compute_inverse_dynamics(
            *(x.float() for x in given), include_gravity=True, use_damping=False
        )
    apart = float((own - found).abs().max() / own.abs().max())
    ours, theirs = [], []
    for _ in range(repeat):
        fitted = fit_adam(
            layout, entries, entries.theta(begin), train, validation, training=how
        )  # fmt: skip
        # Not the first: what comes before it counts as well there.
        ours.append([b.seconds - a.seconds for a, b in pairwise(fitted.history)][-1])
        theirs.append(peer_epoch(copy.deepcopy(other), train, validation, how))
    mine, peers = statistics.median(ours), statistics.median(theirs)
    good = apart <= SAME_TORQUE and entries.size == numbers and peers >= DIFFNEA_ASKED * mine
    print(
        f"diffnea, {robot.name}, an epoch of {samples} samples in batches of {batch}, "
        f"{entries.size} numbers learned by ours, {numbers} by differentiable-robot-model\n"
        f"  torques differ by {apart:.0e} of the largest (at most {SAME_TORQUE:g})\n"
        f"  ours {1e3 * mine:.0f} ms, differentiable-robot-model {1e3 * peers:.0f} ms\n"
        f"  {peers / mine:.1f} times as fast (at least {DIFFNEA_ASKED:g}): "
        f"{'pass' if good else 'FAIL'}",
        flush=True,
    )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["lstm", "diffnea"])
    parser.add_argument("--sequences", type=int, default=1000)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--samples", type=int, default=8192)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    loaded, good = load_robot("panda"), True
    if asked.only != "diffnea":
        good &= lstm(loaded, asked.sequences, asked.length, asked.repeat)
    if asked.only != "lstm":
        good &= diffnea(loaded, asked.samples, asked.batch, asked.repeat)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
