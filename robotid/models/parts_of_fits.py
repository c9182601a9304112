"""Parts of the forces of fits, beside those of the robot that a simulation was made with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import read_index
from robotid.contracts.decomposition import DecomposedModel, Decomposition, PartErrors
from robotid.contracts.splits import Split
from robotid.errors import BadDataError, ConfigError
from robotid.information.layout import Layout
from robotid.information.samples import SampleReader, samples_of
from robotid.models.decomposition import PARTS, decomposed
from robotid.models.rigid_body import RigidBodyModel
from robotid.models.torque_models import read_torque_model
from robotid.models.true_robot import true_robot
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class Asked(NamedTuple):
    """Which recordings count, how many of their samples, and how long an excerpt is [s]."""

    split: Split | None
    samples: int
    shown_s: float


class Motion(NamedTuple):
    """Configurations (T, nq), velocities and accelerations (T, nv)."""

    q: Array
    qd: Array
    qdd: Array

    def at(self, chosen: NDArray[np.int64] | slice) -> "Motion":
        """Some of it."""
        return Motion(*(values[chosen] for values in self))


class Excerpt(NamedTuple):
    """The first seconds: times (T,) [s]; forces (T, nv) by part, true and of each model."""

    t: Array
    true: Mapping[str, Array]
    models: Mapping[str, Mapping[str, Array]]


class Decomposed(NamedTuple):
    """What was found; `units` are those of the rows."""

    facts: Decomposition
    units: tuple[str, ...]
    excerpt: Excerpt


@dataclass(frozen=True)
class _Recorded:
    names: list[str]
    motion: Motion
    first: Motion
    t: Array


def decompose(fits: Mapping[str, Path], data: Path, simulation: Path, asked: Asked) -> Decomposed:
    """Take the forces of fits apart on motions of a dataset."""
    read = {name: read_torque_model(folder) for name, folder in fits.items()}
    robot = _one_robot({name: one.robot.tree for name, one in read.items()})
    true = true_robot(simulation, robot)
    layout = Layout(true.robot, ["rotor"])
    links = np.concatenate([true.robot.phi.ravel(), true.rotor_inertia])
    reference = RigidBodyModel(layout, links)
    seen = _recorded(data, robot, asked)
    wanted = decomposed(reference, *seen.motion) or {}  # never empty: it has links
    spread = np.sum(list(wanted.values()), axis=0).var(0)
    models, shown, without = {}, {}, []
    for name, one in read.items():
        found, start = (decomposed(one.model, *motion) for motion in (seen.motion, seen.first))
        if found is None or start is None:
            without.append(name)
            continue
        parts = {p: _errors(found[p] - wanted[p], spread, robot.rows) for p in PARTS}
        models[name] = DecomposedModel(model=one.fit.model, parts=parts)
        shown[name] = start
    facts = Decomposition(
        robot=robot.name,
        rows=list(robot.rows),
        recordings=seen.names,
        samples=len(seen.motion.q),
        sizes={part: _rms(values, robot.rows) for part, values in wanted.items()},
        models=models,
        without=without,
    )
    begun = decomposed(reference, *seen.first) or {}
    units = tuple(robot.torque_units[row] for row in robot.rows)
    return Decomposed(facts, units, Excerpt(seen.t, begun, shown))


def _one_robot(robots: Mapping[str, RobotTree]) -> RobotTree:
    """The robot of all fits."""
    (first, robot), *others = robots.items()
    for name, other in others:
        if other.rows != robot.rows:
            said = f"{name} is of {other.name}, {first} of {robot.name}, which has other joints"
            raise ConfigError("other-robot", said, hint="take fits of one robot apart at a time")
    return robot


def _recorded(data: Path, robot: RobotTree, asked: Asked) -> _Recorded:
    splits = read_index(data).splits
    wanted = asked.split or ("test" if "test" in splits.values() else None)
    names = sorted(name for name, split in splits.items() if wanted in (None, split))
    if not names:
        said = f"no recording is for {wanted}"
        raise BadDataError("no-such-split", said, file=str(data), hint="give another split")
    motions, times = [], []
    for name in names:
        reader = SampleReader(data / f"{name}.parquet", robot, needed="none")
        pieces = []
        for batch, signals in reader.batches():
            q, qd, qdd, _ = samples_of(robot, signals)
            pieces.append(Motion(*map(np.ascontiguousarray, (q, qd, qdd))))
            times.append(batch["t"] / 1e9)
        motions.append(_joined(pieces))
    whole = _joined(motions)
    chosen = np.unique(np.linspace(0, len(whole.q) - 1, asked.samples).astype(np.int64))
    t = np.concatenate(times)[: len(motions[0].q)]
    end = int(np.searchsorted(t - t[0], asked.shown_s))
    return _Recorded(names, whole.at(chosen), motions[0].at(slice(0, end)), (t - t[0])[:end])


def _joined(pieces: Sequence[Motion]) -> Motion:
    return Motion(*map(np.concatenate, zip(*pieces, strict=True)))


def _errors(e: Array, spread: Array, rows: Sequence[str]) -> PartErrors:
    mse = (e**2).mean(0)
    nmse = {
        row: float(m / s) if s > 0 else None for row, m, s in zip(rows, mse, spread, strict=True)
    }
    known = [value for value in nmse.values() if value is not None]
    return PartErrors(
        rmse=_rms(e, rows), nmse=nmse, mean=sum(known) / len(known) if known else None
    )


def _rms(values: Array, rows: Sequence[str]) -> dict[str, float]:
    return dict(zip(rows, np.sqrt((values**2).mean(0)).tolist(), strict=True))
