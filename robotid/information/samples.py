"""Generalised samples: from columns of a filtered recording to q, qd, qdd and tau of a robot.

The one reader for all who need samples: factors, mini-batches, stretches for learning, excerpts,
predictions. Robots with a fixed and with a floating base are read alike:

    q    (T, nq)  joints; of a floating robot first base.pos (x, y, z) and base.quat (x, y, z, w);
                  base.pos may be absent (then it is 0), since nothing depends on it
    qd   (T, nv)  joints; first base.vel, the twist of the base in base coordinates
    qdd  (T, nv)  joints; first base.acc, the rates of these components
    tau  (T, nv)  generalised forces, named `RobotTree.rows`: of a floating robot base.fx … base.mz
                  [N, N m], then joints: tau = (0; tau_joints) + Σ J_cᵀ f_c

f_c are wrenches `contact.<link>.{fx,fy,fz,mx,my,mz}` on the robot at the origin of a link of the
robot file, in world coordinates; moments may be absent. J_c are Jacobians of the robot file. The
same holds of a robot with a fixed base, whose world is its base.

    reader = SampleReader(path, robot)
    for batch, signals in reader.batches(also=["segment"]):     # constant memory
        q, qd, qdd, tau = samples_of(robot, signals)            # views of shape (T, nq) and (T, nv)

`signals` is what the compiled kernel reads: all four one after the other, (nq + 3 nv, T).

Where only some generalised forces count (`Forces`), `shown` gives the rows that do, of measured and
of predicted forces alike. Contacts without force sensors: tau is then (0; tau_joints), and what
contacts may have added is taken out (`projection`); `contact.<link>.on` is 0 where nothing touches.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.forces import Forces
from robotid.contracts.recording import RecordingFacts, inspect_recording, iterate_recording
from robotid.dynamics.base_pose import as_configured
from robotid.dynamics.frame_jacobian import frame_jacobian
from robotid.errors import BadDataError, nearest
from robotid.information.projection import Projection
from robotid.robot.tree import Frame, RobotTree
from robotid.spatial.quaternions import roll_pitch_yaw
from robotid.types import Columns

Array = NDArray[np.float64]
Needed = Literal["all", "base", "none"]

_TOUCHED = 0.01  # of a state that was 0 or 1 before it was filtered
MOTION = ("q", "qd", "qdd")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
BASE_COLUMNS = {
    "q": (*(f"base.pos.{end}" for end in "xyz"), *(f"base.quat.{end}" for end in "xyzw")),
    "qd": tuple(f"base.vel.{end}" for end in ("x", "y", "z", "rx", "ry", "rz")),
    "qdd": tuple(f"base.acc.{end}" for end in ("x", "y", "z", "rx", "ry", "rz")),
}


class Samples(NamedTuple):
    """Samples of a robot: q (T, nq); qd, qdd and tau (T, nv)."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def samples_of(robot: RobotTree, signals: Array) -> Samples:
    """Signals (nq + 3 nv, T) as q, qd, qdd and tau; views, no copies."""
    return Samples(*np.split(signals.T, np.cumsum([robot.nq, robot.nv, robot.nv]), axis=1))


def coordinates(robot: RobotTree, q: Array) -> Array:
    """One position per row, (T, nq) to (T, nv): of a floating base x, y, z, roll, pitch, yaw."""
    if not robot.floating:
        return q
    return np.column_stack([q[:, :3], roll_pitch_yaw(q[:, 3:7]), q[:, 7:]])


class SampleReader:
    """Reads generalised samples of a robot from a filtered recording.

    What the recording lacks of them is refused here, what is not finite when it is read.

    Args:
        path: the recording.
        robot: the robot.
        torque: the signal that stands for torque of joints.
        gains: torque per unit of that signal, shape (n,); None for 1.
        needed: whose generalised forces have to be there: those of all rows, those of the base
            alone, or none; others are NaN where they are absent. By default what `forces` needs.
        forces: which generalised forces count.
        passed_over: recorded joints that are no concern of the robot's, such as locked ones; None
            for all that it does not have.
        names: columns of a recording whose samples have been read before and that need not be
            opened; it is not looked at again.

    Besides, `names` and `facts` are those of the recording, `columns` what is read of it, `rows`
    the names of generalised forces that count, `measured` those of all that are known, `contacts`
    the links that recorded contacts act on, `temperatures` columns of those of joints.
    """

    def __init__(
        self,
        path: Path,
        robot: RobotTree,
        torque: str = "tau",
        *,
        gains: Array | None = None,
        needed: Needed | None = None,
        forces: Forces | None = None,
        passed_over: Collection[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self._path, self.robot, self._forces = path, robot, forces or Forces()
        self._gains = np.ones(robot.n) if gains is None else gains
        self.names = self._inspected[0] if names is None else tuple(names)
        here = robot.floating and BASE_COLUMNS["q"][0] not in self.names
        self._nowhere = BASE_COLUMNS["q"][:3] if here else ()
        self._motion = {
            signal: (
                *(BASE_COLUMNS[signal] if robot.floating else ()),
                *(f"{signal}.{joint}" for joint in robot.joint_names),
            )
            for signal in MOTION
        }
        self._torques = {j: f"{torque}.{j}" for j in robot.joint_names}
        if names is None:
            self._check_joints(passed_over)
        self._check_signals(needed or ("base" if self._forces.kind == "base" else "all"))
        projected = self._forces.kind == "projected"
        self.contacts = {} if projected else _contacts(robot, self.names, path)
        self._projection: Projection | None = None
        if projected:
            links = self._forces.links
            self._projection = Projection(robot, links, moments=self._forces.moments)
        states = [f"contact.{link}.on" for link in self._forces.links]
        self._states = [name if name in self.names else None for name in states]
        self._wrenches = {
            link: tuple(c for end in WRENCH if (c := f"contact.{link}.{end}") in self.names)
            for link in self.contacts
        }
        self.rows = robot.rows[:6] if self._forces.kind == "base" else robot.rows
        unknown = {joint for joint, column in self._torques.items() if column not in self.names}
        self.measured = tuple(row for row in robot.rows if row not in unknown)
        warmth = [f"temperature.{joint}" for joint in robot.joint_names]
        self.temperatures = tuple(name for name in warmth if name in self.names)

    @cached_property
    def _inspected(self) -> tuple[tuple[str, ...], RecordingFacts]:
        names, facts = inspect_recording(self._path)
        return tuple(names), facts

    @property
    def facts(self) -> RecordingFacts:
        """What the recording says of itself."""
        return self._inspected[1]

    @property
    def columns(self) -> list[str]:
        """Every column that is read, each once."""
        every = [name for names in self._motion.values() for name in names]
        motion = [name for name in every if name not in self._nowhere]
        torques = [name for name in self._torques.values() if name in self.names]
        states = [name for name in self._states if name is not None]
        wrenches = [name for own in self._wrenches.values() for name in own]
        return [*motion, *torques, *wrenches, *states]

    def batches(self, also: Sequence[str] = ()) -> Iterator[tuple[Columns, Array]]:
        """Columns `t` and others that are asked for, and signals (nq + 3 nv, T), in order."""
        row = 0
        for batch in iterate_recording(self._path, ["t", *also, *self.columns]):
            yield batch, self.signals(batch, row)
            row += len(batch["t"])

    def signals(self, batch: Columns, row: int = 0) -> Array:
        """q, qd, qdd and tau one after the other, shape (nq + 3 nv, T).

        Args:
            batch: `t` and `columns` of some rows of the recording.
            row: the number of the first of them, for messages.
        """
        robot, samples = self.robot, len(batch["t"])
        self._refuse_what_is_not_finite(batch, row)
        result, at = np.empty((robot.nq + 3 * robot.nv, samples)), 0
        for names in self._motion.values():
            for name in names:
                result[at] = 0.0 if name in self._nowhere else batch[name]
                at += 1
        result[at : at + robot.nv - robot.n] = 0.0
        driven = result[at + robot.nv - robot.n :]
        for out, gain, name in zip(driven, self._gains, self._torques.values(), strict=True):
            out[:] = gain * batch[name] if name in batch else np.nan
        if robot.floating:
            result[:7] = as_configured(robot, result[:7].T).T
        if self._wrenches:
            result[at:] += self._pushed(batch, result[: robot.nq].T).T
        return result

    def extent(self, batch: Columns, signals: Array) -> Array:
        """One row per coordinate of q, qd, qdd and tau, shape (4 nv, T), to see how far they go.

        Torques of joints are as they were measured, without what contacts add; NaN where unknown.
        """
        if not (self.robot.floating or self._wrenches):
            return signals
        q, qd, qdd, tau = samples_of(self.robot, signals)
        found = np.vstack([coordinates(self.robot, q).T, qd.T, qdd.T, tau.T])
        driven = found[-self.robot.n :]
        for out, gain, name in zip(driven, self._gains, self._torques.values(), strict=True):
            out[:] = gain * batch[name] if name in batch else np.nan
        return found

    def touched(self, batch: Columns) -> Array:
        """Which links contacts without force sensors act on: 1 or 0, shape (T, links).

        A link without a state of its own always counts.
        """
        found = np.ones((len(batch["t"]), len(self._states)))
        for place, name in enumerate(self._states):
            if name is not None:
                found[:, place] = batch[name] > _TOUCHED
        return found

    def shown(self, batch: Columns, q: Array, *forces: Array) -> list[Array]:
        """Of generalised forces (T, nv) the rows that count, shape (T, rows) each.

        Args:
            batch: that they are of.
            q: configurations, shape (T, nq).
            forces: measured and predicted ones.
        """
        if self._projection is None:
            return [force[:, : len(self.rows)] for force in forces]
        hidden = self._projection.directions(q, self.touched(batch))
        return [self._projection.apply(hidden, force) for force in forces]

    def _pushed(self, batch: Columns, q: Array) -> Array:
        """Σ J_cᵀ f_c, shape (T, nv)."""
        total = np.zeros((len(q), self.robot.nv))
        for link, names in self._wrenches.items():
            wrench = np.zeros((len(q), 6))
            for name in names:
                wrench[:, WRENCH.index(name.rpartition(".")[2])] = batch[name]
            jacobian = frame_jacobian(self.robot, q, self.contacts[link])
            total += jacobian.force(wrench, self.robot.nv)
        return total

    def _check_joints(self, passed_over: Collection[str] | None) -> None:
        """Refuse a recording of other joints than those of the robot."""
        robot, file = self.robot, str(self._path)
        recorded = [joint.name for joint in self.facts.joints]
        for joint in recorded:
            ours = passed_over is None or joint in passed_over or joint in robot.joint_names
            if not ours:
                said = f"joint {joint!r} of the recording is not in robot {robot.name}"
                hint = nearest(joint, robot.joint_names)
                raise BadDataError("unknown-joint", said, file=file, joint=joint, hint=hint)
        for joint in robot.joint_names:
            if joint not in recorded:
                said = f"joint {joint!r} of robot {robot.name} is not in the recording"
                hint = f"recorded: {', '.join(recorded)}"
                raise BadDataError("joint-missing", said, file=file, joint=joint, hint=hint)

    def _check_signals(self, needed: Needed) -> None:
        """Refuse a recording without a signal of a joint, or the motion of the base."""
        file = str(self._path)
        for name in [name for names in self._motion.values() for name in names]:
            if name not in self.names and name not in self._nowhere:
                raise self._missing(name)
        for joint, name in self._torques.items():
            if needed == "all" and name not in self.names:
                said, hint = f"the recording has no {name}", self._instead(joint)
                raise BadDataError("signal-missing", said, file=file, joint=joint, hint=hint)

    def _missing(self, name: str) -> BadDataError:
        """What to say of a column of the motion that is not there."""
        signal, _, joint = name.partition(".")
        said = f"the recording has no {name}"
        if signal != "base":
            hint = f"filter the dataset first; {self._listed(joint)}"
            return BadDataError(
                "signal-missing", said, file=str(self._path), joint=joint, hint=hint
            )
        said += f", and robot {self.robot.name} has a floating base"
        made = name.startswith("base.acc") or BASE_COLUMNS["q"][0] in self.names
        made = made and BASE_COLUMNS["q"][-1] in self.names
        hint = "filter the dataset first: velocities and accelerations are made then"
        if not made:
            hint = "map the state of the base ([base.pos], [base.quat]), or hold it: --base fixed"
        return BadDataError("base-missing", said, file=str(self._path), hint=hint)

    def _instead(self, joint: str) -> str:
        """What to do where the torque of a joint is missing, seeing the signals that there are."""
        there = [name.partition(".")[0] for name in self.names if name.partition(".")[2] == joint]
        others = [name for name in ("tau", "tau_cmd", "current") if name in there]
        if others:
            return f"{self._listed(joint)}; torque can be {' or '.join(others)}"
        what = "parameters cannot be found without torque or current"
        return f"{self._listed(joint)}; {what}"

    def _listed(self, joint: str) -> str:
        there = [name.partition(".")[0] for name in self.names if name.partition(".")[2] == joint]
        return f"of {joint} it has {', '.join(there) or 'nothing'}"

    def _refuse_what_is_not_finite(self, batch: Columns, at: int) -> None:
        for name in self.columns:
            bad = ~np.isfinite(batch[name])
            if bad.any():
                row = int(np.argmax(bad))
                said = f"{name} has no finite value in row {at + row}"
                time = float(batch["t"][row] / 1e9)
                raise BadDataError("not-finite", said, file=str(self._path), time=time)


def _contacts(robot: RobotTree, names: Sequence[str], path: Path) -> dict[str, Frame]:
    """The frames that recorded contacts act on; what is no link of the robot is refused."""
    links = (*robot.links, *(fixed.name for fixed in robot.fixed))
    found: dict[str, Frame] = {}
    for name in names:
        first, _, rest = name.partition(".")
        link, _, end = rest.rpartition(".")
        if first != "contact" or end not in WRENCH or link in found:
            continue
        if link not in links:
            said = f"contact {link!r} of the recording is no link of robot {robot.name}"
            hint = f"{nearest(link, links)}; name it as the robot file does, [contact.LINK]"
            raise BadDataError("unknown-contact", said, file=str(path), hint=hint)
        found[link] = robot.frame(link)
    return found
