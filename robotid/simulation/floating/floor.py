"""A robot on a floor in MuJoCo, its joints held by springs to where they should be.

τ = τ_ff + Kp (q_r - q) + Kd (q̇_r - q̇), inside the effort limits; the feet push as MuJoCo says.
"""

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.simulation.closed_loop import Clock
from robotid.simulation.drives import Drives
from robotid.simulation.floating.base_motion import BaseMotion
from robotid.simulation.floating.feet import Foot
from robotid.simulation.floating.motion import FloatingMotion
from robotid.simulation.floating.stance import POINT_RADIUS
from robotid.simulation.mujoco_engine import driven_places, mujoco_model
from robotid.spatial.quaternions import rotation_of, turned_back

Array = NDArray[np.float64]
_SOLE = (0.11, 0.06, 0.01)  # half sizes of a flat foot [m]
_SETTLE_S = 1.0  # until the feet have sunk in
_REPORT_EVERY = 1000
_TOLERANCE = 1e-12  # of MuJoCo's solver, so that forces and accelerations agree


class Followed(NamedTuple):
    """What joints are to follow, at evenly spaced times.

    Args:
        pose: of the base at first, shape (7,).
        step_s: between two instants.
        q, qd: shape (T, n).
        feedforward: torques, shape (T, n) [N m].
        kp, kd, limit: gains and largest torques, shape (n,).
    """

    pose: Array
    step_s: float
    q: Array
    qd: Array
    feedforward: Array
    kp: Array
    kd: Array
    limit: Array

    def torque(self, t: float, q: Array, qd: Array) -> Array:
        """The torque at a time, shape (n,)."""
        at = max(t, 0.0) / self.step_s
        before = min(int(at), len(self.q) - 2)
        share = at - before
        wanted, rate, ahead = (
            (1 - share) * x[before] + share * x[before + 1]
            for x in (self.q, self.qd, self.feedforward)
        )
        if t < 0:
            rate = np.zeros_like(rate)
        total = ahead + self.kp * (wanted - q) + self.kd * (rate - qd)
        held: Array = np.clip(total, -self.limit, self.limit)
        return held


class OnFloor(NamedTuple):
    """What happened, and the share of the time that motors were at their limits, shape (n,)."""

    motion: FloatingMotion
    at_limit: Array


def on_floor(
    robot: RobotTree, feet: Sequence[Foot], drives: Drives, followed: Followed, clock: Clock
) -> OnFloor:
    """Let a robot follow its reference on a floor.

    Args:
        robot: what moves.
        feet: that can touch the floor.
        drives: friction and rotors of its joints.
        followed: where joints should be.
        clock: for how long and how finely.
    """
    world = _World(robot, feet, drives, followed, clock)
    settling = round(_SETTLE_S / clock.step_s)
    for step in range(-settling, 0):
        world.advance(step)
    record = _Record(robot.n, [foot.link for foot in feet], clock.samples)
    at_limit = np.zeros(robot.n)
    for step in range(clock.steps):
        tau, lost = world.push(step)
        at_limit += np.abs(tau) >= followed.limit
        if step % clock.every == 0:
            world.look(record, step // clock.every, tau, lost)
        world.move()
        if step % _REPORT_EVERY == 0:
            progress.report(step, clock.steps, "simulating")
            world.refuse_a_fall(step)
    return OnFloor(record.motion(), at_limit / clock.steps)


class _World:
    """MuJoCo's model and data of a robot on a floor."""

    def __init__(
        self,
        robot: RobotTree,
        feet: Sequence[Foot],
        drives: Drives,
        followed: Followed,
        clock: Clock,
    ) -> None:
        self._drives, self._followed, self._clock = drives, followed, clock
        self._model = mujoco_model(robot, drives.rotor_inertia, lambda spec: _shape(spec, feet))
        self._model.opt.timestep = clock.step_s / clock.substeps
        self._model.opt.tolerance = _TOLERANCE
        self._data = mujoco.MjData(self._model)
        self._place = driven_places(self._model, robot)
        self._z = np.zeros(robot.n)
        self._feet = {self._model.geom(foot.link).id: foot.link for foot in feet}
        self._sites = {foot.link: self._model.site(foot.link).id for foot in feet}
        data = self._data
        data.qpos[:7] = followed.pose[[0, 1, 2, 6, 3, 4, 5]]
        data.qpos[self._place + 1] = followed.q[0]

    def push(self, step: int) -> tuple[Array, Array]:
        """Set the torques of a step; those of the motors, and what they lose."""
        data, place = self._data, self._place
        q, qd = data.qpos[place + 1], data.qvel[place]
        tau = self._followed.torque(step * self._clock.step_s, q, qd)
        lost, _ = self._drives.friction.torque(qd, self._z)
        data.qfrc_applied[place] = tau - lost
        return tau, lost

    def move(self) -> None:
        """One step of the clock."""
        mujoco.mj_step(self._model, self._data, self._clock.substeps)

    def advance(self, step: int) -> None:
        """Push and move."""
        self.push(step)
        self.move()

    def look(self, record: "_Record", sample: int, tau: Array, lost: Array) -> None:
        """Write down what happens now."""
        data, place = self._data, self._place
        mujoco.mj_forward(self._model, data)
        record.base[sample] = np.concatenate([data.qpos[:7], data.qvel[:6], data.qacc[:6]])
        record.joints[:, sample] = data.qpos[place + 1], data.qvel[place], data.qacc[place]
        record.torques[:, sample] = tau, lost
        force = np.empty(6)
        for number in range(data.ncon):
            contact = data.contact[number]
            link = self._feet.get(int(contact.geom2), self._feet.get(int(contact.geom1)))
            if link is None:
                continue
            mujoco.mj_contactForce(self._model, data, number, force)
            # MuJoCo gives what geom1 does to geom2, in axes whose rows are contact.frame.
            sign = 1.0 if int(contact.geom2) in self._feet else -1.0
            axes = sign * np.asarray(contact.frame).reshape(3, 3).T
            push, turn = axes @ force[:3], axes @ force[3:]
            arm = contact.pos - data.site_xpos[self._sites[link]]
            record.wrenches[link][sample] += np.concatenate([push, turn + np.cross(arm, push)])

    def refuse_a_fall(self, step: int) -> None:
        """A robot that lies on the floor, or left it, is no example of anything."""
        pose = self._data.qpos[:7]
        up = rotation_of(pose[None, [4, 5, 6, 3]])[0, 2, 2]
        high = pose[2] / self._followed.pose[2]
        if not (up > 0.5 and 0.5 < high < 1.5):
            said = "the robot fell over"
            hint = "lower base_shift, base_tilt, step_height or speeds, or choose another step_hz"
            raise ConfigError("fell", said, time=step * self._clock.step_s, hint=hint)


class _Record:
    """What is written down, sample by sample."""

    def __init__(self, n: int, links: Sequence[str], samples: int) -> None:
        self.base = np.empty((samples, 19))
        self.joints = np.empty((3, samples, n))
        self.torques = np.empty((2, samples, n))
        self.wrenches = {link: np.zeros((samples, 6)) for link in links}

    def motion(self) -> FloatingMotion:
        """The same in robotid's coordinates."""
        pose, velocity, change = np.split(self.base, (7, 13), axis=1)
        pose = pose[:, [0, 1, 2, 4, 5, 6, 3]]
        rotation = rotation_of(pose[:, 3:])
        v, omega = turned_back(rotation, velocity[:, :3]), velocity[:, 3:]
        vd = turned_back(rotation, change[:, :3]) - np.cross(omega, v)
        base = BaseMotion(pose, np.column_stack([v, omega]), np.column_stack([vd, change[:, 3:]]))
        q, qd, qdd = self.joints
        tau, lost = self.torques
        return FloatingMotion(base, q, qd, qdd, tau, lost, self.wrenches)


def _shape(spec: mujoco.MjSpec, feet: Sequence[Foot]) -> None:
    """A floor, and feet that touch it and nothing else."""
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(type=plane, size=[0, 0, 1], contype=1, conaffinity=2)
    for foot in feet:
        body = spec.body(f"body{foot.frame.body}")
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, foot.frame.placement[:3, :3].flatten())
        place = foot.frame.placement[:3, 3]
        body.add_site(name=foot.link, pos=place, quat=quaternion)
        shape = {
            "type": mujoco.mjtGeom.mjGEOM_BOX if foot.flat else mujoco.mjtGeom.mjGEOM_SPHERE,
            "size": list(_SOLE) if foot.flat else [POINT_RADIUS, 0, 0],
            "pos": place + foot.frame.placement[:3, 2] * (_SOLE[2] if foot.flat else 0.0),
        }
        body.add_geom(
            name=foot.link, quat=quaternion, contype=2, conaffinity=1, condim=3, mass=0.0, **shape
        )
