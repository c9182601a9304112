"""What is recorded of a floating base and of contacts, brought into the frames of recordings.

Recordings hold base.vel as a twist in base coordinates, base.acc as the rates of its components,
contact.<link>.* in world coordinates. With R from base to world, v and ω of the base:

    world to base        v = Rᵀ v_w, ω = Rᵀ ω_w
    classical to rate    v̇ = a - ω × v
    proper to classical  a = f + Rᵀ g
    local to world       f_w = R_link f
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError, ConfigError, Notice, nearest
from robotid.ingestion.column_map import BASE_PARTS, ColumnMap
from robotid.spatial.quaternions import on_one_side, rotation_of, turned, turned_back
from robotid.types import Columns

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_GRAVITY = np.array([0.0, 0.0, -9.81])  # where no robot says another
_OFF = 0.05  # a quaternion whose length differs from 1 by more is none
_ROUNDED = 1e-3  # of its length: what is off by less was rounded
_QUATERNION = tuple(f"base.quat.{end}" for end in "xyzw")


def check_frames(columns: ColumnMap, robot: "RobotTree | None") -> None:
    """Refuse a map that does not say in which frames things are, or cannot mean what it says."""
    base = columns.base
    for part, signal in (("vel", base.vel), ("acc", base.acc)):
        if signal is not None and signal.frame is None:
            said = f"[base.{part}]: in whose coordinates is it?"
            raise ConfigError("frame-unknown", said, hint='write frame = "world" or "base"')
        if signal is not None and signal.frame == "world" and base.quat is None:
            said = f"[base.{part}] is in world coordinates, and no orientation says how they lie"
            raise ConfigError("frame-unknown", said, hint="map [base.quat], too")
    if base.acc is not None and base.acc.kind is None:
        said = "[base.acc]: what kind of acceleration is it?"
        hint = 'write kind = "rate", "classical" or "proper" (as an IMU measures it)'
        raise ConfigError("frame-unknown", said, hint=hint)
    if base.acc is not None and base.acc.kind != "rate" and (base.vel is None or base.quat is None):
        said = f"[base.acc] of kind {base.acc.kind} needs velocity and orientation of the base"
        raise ConfigError("frame-unknown", said, hint="map [base.vel] and [base.quat], too")
    for link, contact in columns.contact.items():
        if contact.ends() and contact.frame is None:
            said = f"[contact.{link}]: in whose coordinates are force and moment?"
            raise ConfigError("frame-unknown", said, hint='write frame = "world" or "local"')
        if not contact.ends() and contact.on is None:
            said = f"[contact.{link}] names no column"
            raise ConfigError("wrong-count", said, hint="columns = [...] of a force, or on = …")
        if robot is None:
            if contact.frame == "local" and contact.ends():
                said = f"[contact.{link}] is in coordinates of that link: a robot file has to say "
                raise ConfigError(
                    "frame-unknown", f"{said}how it lies", hint="give it: --robot ROBOT"
                )
            continue
        links = (*robot.links, *(fixed.name for fixed in robot.fixed))
        if link not in links:
            said = f"[contact.{link}]: robot {robot.name} has no such link"
            raise ConfigError("unknown-contact", said, hint=nearest(link, links))
        posed = columns.q is not None and (base.quat is not None or not robot.floating)
        if contact.frame == "local" and contact.ends() and not posed:
            said = f"[contact.{link}] is in coordinates of that link, and nothing says how it lies"
            raise ConfigError("frame-unknown", said, hint="map [q] and [base.quat], too")


class SameSide:
    """Quaternions of a stream without jumps of their sign, before anything is interpolated."""

    def __init__(self) -> None:
        self._before = np.array([0.0, 0.0, 0.0, 1.0])
        self.jumps = 0

    def __call__(self, rows: Columns) -> Columns:
        """The same rows; those without a quaternion as they are."""
        if _QUATERNION[0] not in rows or not rows["t"].size:
            return rows
        values = np.column_stack([rows[name] for name in _QUATERNION]).astype(np.float64)
        found, jumps = on_one_side(values, self._before)
        there = np.flatnonzero(np.isfinite(found).all(axis=1))
        if there.size:
            self._before = found[there[-1]]
        self.jumps += jumps
        return {**rows, **dict(zip(_QUATERNION, np.ascontiguousarray(found.T), strict=True))}


class Frames:
    """Brings rows into the frames of recordings.

    Args:
        columns: the map.
        robot: what is recorded, if known.
        file: for messages.
    """

    def __init__(self, columns: ColumnMap, robot: "RobotTree | None", file: str) -> None:
        self._base, self._robot, self._file = columns.base, robot, file
        self._gravity = _GRAVITY if robot is None else np.asarray(robot.gravity)
        self._local = [
            link for link, one in columns.contact.items() if one.frame == "local" and one.ends()
        ]
        self._off, self._first = 0.0, 0.0

    def __call__(self, rows: Columns) -> Columns:
        """The same rows in other coordinates."""
        if not rows["t"].size or not (self._base.quat or self._local):
            return rows
        rows = dict(rows)
        rotation: Array | None = None
        if all(name in rows for name in _QUATERNION):
            rotation = rotation_of(self._normalised(rows))
        for part in ("vel", "acc"):
            if rotation is not None and f"base.{part}.x" in rows:
                self._convert(part, rows, rotation)
        for link in self._local:
            self._turn(link, rows)
        return rows

    def _normalised(self, rows: Columns) -> Array:
        """Quaternions of length 1, shape (T, 4), also in the rows."""
        values = np.column_stack([rows[name] for name in _QUATERNION]).astype(np.float64)
        length = np.sqrt(np.sum(values**2, axis=1))
        off = np.abs(length - 1.0)
        bad = off > _OFF
        if bad.any():
            where = int(np.argmax(bad))
            raise BadDataError(
                "not-a-quaternion",
                f"base.quat has a length of {length[where]:.3g}",
                file=self._file,
                time=float(rows["t"][where]) / 1e9,
                hint="x, y, z, w of a unit quaternion are needed, in this order; what was logged "
                "before the orientation was known can be left out (--exclude)",
            )
        worst = float(np.nanmax(off, initial=0.0)) if np.isfinite(off).any() else 0.0
        if worst > self._off:
            self._off, self._first = worst, float(rows["t"][int(np.nanargmax(off))]) / 1e9
        unit: Array = values / length[:, None]
        rows |= dict(zip(_QUATERNION, np.ascontiguousarray(unit.T), strict=True))
        return unit

    def _convert(self, part: str, rows: Columns, rotation: Array) -> None:
        stated = self._base.vel if part == "vel" else self._base.acc
        if stated is None:
            return
        names = [f"base.{part}.{end}" for end in BASE_PARTS[part]]
        values = np.column_stack([rows[name] for name in names]).astype(np.float64)
        if stated.frame == "world":
            halves = (turned_back(rotation, values[:, at : at + 3]) for at in (0, 3))
            values = np.column_stack(list(halves))
        if self._base.acc is not None and part == "acc" and self._base.acc.kind != "rate":
            twist = [np.asarray(rows[f"base.vel.{end}"], np.float64) for end in BASE_PARTS["vel"]]
            v, omega = (np.column_stack(half) for half in (twist[:3], twist[3:]))
            if self._base.acc.kind == "proper":
                down = np.broadcast_to(self._gravity, (len(values), 3))
                values[:, :3] += turned_back(rotation, down)
            values[:, :3] -= np.cross(omega, v)
        rows |= dict(zip(names, np.ascontiguousarray(values.T), strict=True))

    def _turn(self, link: str, rows: Columns) -> None:
        """Force and moment on a link from its own coordinates into those of the world."""
        from robotid.dynamics.base_pose import as_configured
        from robotid.dynamics.frame_jacobian import frame_jacobian

        robot = self._robot
        assert robot is not None  # check_frames has seen to that
        q = np.zeros((len(rows["t"]), robot.nq))
        if robot.floating:
            q[:, 3:7] = np.column_stack([rows[name] for name in _QUATERNION])
            q[:, :7] = as_configured(robot, q[:, :7])
        for place, joint in enumerate(robot.joint_names):
            q[:, robot.nq - robot.n + place] = rows[f"q.{joint}"]
        rotation = frame_jacobian(robot, q, robot.frame(link)).rotation
        for kind in "fm":
            names = [f"contact.{link}.{kind}{end}" for end in "xyz"]
            if names[0] in rows:
                values = np.column_stack([rows[name] for name in names]).astype(np.float64)
                moved = np.ascontiguousarray(turned(rotation, values).T)
                rows |= dict(zip(names, moved, strict=True))

    def notices(self, jumps: int) -> list[Notice]:
        """What was mended.

        Args:
            jumps: how often the sign of quaternions jumped.
        """
        found = []
        if jumps:
            said = f"base.quat changed its sign {jumps} times and meant the same: made continuous"
            found.append(Notice(code="quaternion-sign", message=said, file=self._file))
        if self._off > _ROUNDED:
            said = f"base.quat was off its length of 1 by up to {self._off:.2g}: made of length 1"
            found.append(
                Notice(code="quaternion-length", message=said, file=self._file, time=self._first)
            )
        return found
