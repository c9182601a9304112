"""`rollout.json`: what becomes of forward models that are left to run.

Beside it lie

    trajectories.parquet    some of the motions: fit, start, motion, t, q.*, qd.*, energy and,
                            where it was recorded, q_true.*, qd_true.*
    rollout.html            all of it as a page
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.contracts.fit_data import Remark
from robotid.contracts.forward import EnergyClass, Kinematics
from robotid.contracts.splits import Split
from robotid.contracts.versions import first_fault
from robotid.errors import BadDataError, raise_trouble

ROLLOUT = "rollout.json"
TRAJECTORIES = "trajectories.parquet"
LEAST_GROWTH = 1e-3  # of the range of energies: what grows by less is the integrator's error

Array = NDArray[np.float64]
Kind = Literal["driven", "uncontrolled"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Start(_Part):
    """Where motions start, by joint [rad or m, per s]; recording and time where it was recorded."""

    recording: str | None = None
    time_s: float | None = None
    q: dict[str, float]
    qd: dict[str, float]


class LimitLeft(_Part):
    """The first time that a motion leaves a joint's limits of position."""

    joint: str
    start: int
    time_s: float


class Moved(_Part):
    """What became of the motions of one kind.

    Args:
        diverged: how many left all bounds, or had nothing finite left.
        first_diverged_s: when the first of them did; null without one.
        diverged_s: when each start's motion did; null for those that did not.
        limit_left: null where all motions stay inside the joint limits.
    """

    diverged: int
    first_diverged_s: float | None
    diverged_s: list[float | None]
    limit_left: LimitLeft | None


class ErrorCurve(_Part):
    """Normalised errors over the time since the start.

    Squared errors of positions and velocities in units of the squared range that the joint had in
    the training data, averaged over starts. Null where a motion has diverged, or where the joint
    did not move in training.

    Args:
        t_s: since the start.
        q: of positions, by joint.
        qd: of velocities, by joint.
        mean: of all of these.
        median: over starts, of their means; diverged motions count as infinite.
    """

    t_s: list[float]
    q: dict[str, list[float | None]]
    qd: dict[str, list[float | None]]
    mean: list[float | None]
    median: list[float | None]


class LinkMass(_Part):
    """Mass of a link [kg]: found, of the robot file, and true where that is known."""

    link: str
    value: float
    nominal: float
    true: float | None = None


class FitRollout(_Part):
    """A fit that was left to run.

    Args:
        model: its model.
        actuator: what its commands pass through.
        energy: what the model does to the energy of a robot that nobody drives.
        kinematics: whether placements of the links were learned as well.
        init: where its training started; null for one that does not start anywhere.
        seed: of its training.
        usable: the verdict of the fit.
        one_step: error of its accelerations on held-out data, over their variance.
        masses: of its links; none of a network.
        inertia_error: norm of what is wrong with its mass matrix over that of the true one, root
            mean square over the starts; null without truth or links.
        halved: share of the steps that were halved.
        most_halvings: of any step.
        driven: motions under the recorded commands; null where starts are states.
        uncontrolled: motions without a command.
        error: of driven motions against what was recorded.
        error_at_horizon: the mean one at the end.
        median_at_horizon: the median one at the end.
        energy_growth: largest rise of the energy of an uncontrolled motion above its least value
            until then, relative to the range of energies; null for a model without energy.
    """

    model: str
    actuator: str
    energy: EnergyClass
    kinematics: Kinematics = "known"
    init: str | None = None
    seed: int = 0
    usable: bool
    one_step: float | None = None
    masses: list[LinkMass] = []
    inertia_error: float | None = None
    halved: float
    most_halvings: int
    driven: Moved | None
    uncontrolled: Moved
    error: ErrorCurve | None = None
    error_at_horizon: float | None = None
    median_at_horizon: float | None = None
    energy_growth: float | None = None

    @property
    def moved(self) -> list[Moved]:
        """Of both kinds, as far as there are."""
        return [one for one in (self.driven, self.uncontrolled) if one is not None]


class Rollout(_Part):
    """The content of `rollout.json`.

    Args:
        format: of this file.
        robot: its name.
        label: what the data are, in the words of whoever asked.
        friction: law of the robot that was simulated; null where the truth is not known.
        joints: in the order of the robot.
        units: of positions, by joint.
        horizon_s: how long the motions are.
        step_s: of the integrator, before any halving.
        tolerance: of the error of a step, in units of the ranges of the training data.
        split: of the recordings that the starts are from; null where they are states.
        starts: of all motions.
        shown: numbers of the starts whose motions are in `trajectories.parquet`.
        fits: by name.
        best: the fit of least error at the horizon; null without errors or with one fit.
        remarks: what to know of the motions.
    """

    format: Literal[1] = 1
    robot: str
    label: str = ""
    friction: str | None = None
    joints: list[str]
    units: dict[str, str]
    horizon_s: float
    step_s: float
    tolerance: float
    split: Split | None
    starts: list[Start]
    shown: list[int]
    fits: dict[str, FitRollout]
    best: str | None = None
    remarks: list[Remark] = []


class Trajectory(NamedTuple):
    """A motion, sample by sample; not a number once it has diverged.

    Args:
        fit: name of the fit.
        start: number of the start.
        motion: whether it was driven.
        t: since the start [s], shape (samples,).
        q: positions, shape (samples, n).
        qd: velocities, likewise.
        energy: of the model [J], shape (samples,); None where it has none.
        true_q: as recorded, shape (samples, n); None where nothing was.
        true_qd: likewise.
    """

    fit: str
    start: int
    motion: Kind
    t: Array
    q: Array
    qd: Array
    energy: Array | None = None
    true_q: Array | None = None
    true_qd: Array | None = None


def write_rollout(folder: Path, found: Rollout, trajectories: Sequence[Trajectory]) -> None:
    """Write `rollout.json` and `trajectories.parquet`."""
    (folder / ROLLOUT).write_text(found.model_dump_json(indent=1), encoding="utf-8")
    tables = [_table(one, found.joints) for one in trajectories]
    table = pa.concat_tables(tables)
    pq.write_table(table, folder / TRAJECTORIES, compression="lz4", write_page_checksum=True)


def read_rollout(folder: Path) -> Rollout:
    """Read `rollout.json`."""
    path = folder / ROLLOUT
    try:
        return Rollout.model_validate_json(path.read_bytes())
    except ValidationError as error:
        said = f"not a rollout as robotid writes it: {first_fault(error)}"
        raise BadDataError("bad-rollout", said, file=str(path)) from error


def read_first_motion(
    folder: Path, rollout: Rollout, fit: str
) -> tuple[Array, Array, Array | None]:
    """Times, positions of the last joint and, where they were recorded, true ones.

    Of the first start that is shown: under recorded commands, or without one where there are none.
    """
    path = folder / TRAJECTORIES
    kind: Kind = "uncontrolled" if rollout.split is None else "driven"
    joint = rollout.joints[-1]
    names = ["t", f"q.{joint}", f"q_true.{joint}"]
    chosen = [("fit", "==", fit), ("start", "==", rollout.shown[0]), ("motion", "==", kind)]
    try:
        table = pq.read_table(path, columns=names, filters=chosen, page_checksum_verification=True)
        t, q, true = (table[name].to_numpy() for name in names)
    except (OSError, pa.ArrowException, KeyError) as error:
        raise_trouble(error, "reading a result", path)
        said = f"not motions as robotid writes them ({type(error).__name__})"
        raise BadDataError("bad-rollout", said, file=str(path), hint="run again") from error
    return t, q, None if kind == "uncontrolled" else true


def _table(one: Trajectory, joints: Sequence[str]) -> pa.Table:
    rows = len(one.t)
    columns: dict[str, pa.Array] = {
        "fit": pa.array([one.fit] * rows).dictionary_encode(),
        "start": pa.array(np.full(rows, one.start)),
        "motion": pa.array([one.motion] * rows).dictionary_encode(),
        "t": pa.array(one.t),
    }
    signals = {"q": one.q, "qd": one.qd, "q_true": one.true_q, "qd_true": one.true_qd}
    for signal, values in signals.items():
        for place, joint in enumerate(joints):
            columns[f"{signal}.{joint}"] = _column(
                None if values is None else values[:, place], rows
            )
    columns["energy"] = _column(one.energy, rows)
    return pa.table(columns)


def _column(values: Array | None, rows: int) -> pa.Array:
    if values is None:
        return pa.nulls(rows, pa.float64())
    return pa.array(np.ascontiguousarray(values))
