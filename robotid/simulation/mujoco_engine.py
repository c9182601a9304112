"""Accelerations by MuJoCo, which shares no code with robotid."""

from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.robot.geometry import centre_and_inertia
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

_OFF = ("CONSTRAINT", "CONTACT", "ACTUATION", "SENSOR")  # what a free tree of bodies does not need

# What bodies are compiled with: off-centre and askew, so that MuJoCo takes no short cuts that
# would be wrong for the inertias they get afterwards.
_ANY_BODY = {
    "mass": 1.0,
    "ipos": (0.1, 0.2, 0.3),
    "iquat": (0.5, 0.1, 0.7, 0.3),
    "inertia": (1.0, 1.1, 1.2),
}


class MujocoEngine:
    """Forward dynamics of one robot."""

    def __init__(self, robot: RobotTree, rotor_inertia: Array) -> None:
        self._model = mujoco_model(robot, rotor_inertia)
        self._data = mujoco.MjData(self._model)
        # Views into MuJoCo's memory; fetching them anew costs as much as the dynamics.
        data = self._data
        self._views = data.qpos, data.qvel, data.qfrc_applied, data.qacc
        place = driven_places(self._model, robot)
        self._place = place if (np.diff(place) != 1).any() else slice(None)
        self._forward = mujoco.mj_forward

    def acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """q̈ of each recording; arguments and result have shape (recordings, n)."""
        qpos, qvel, applied, qacc = self._views
        place, result = self._place, np.empty_like(q)
        for recording in range(len(q)):
            qpos[place], qvel[place] = q[recording], qd[recording]
            applied[place] = tau[recording]
            self._forward(self._model, self._data)
            result[recording] = qacc[place]
        return result


def _joint_name(body: int) -> str:
    return f"joint{body}"


def driven_places(model: mujoco.MjModel, robot: RobotTree) -> NDArray[np.int64]:
    """Where the velocity of each driven joint stands in MuJoCo's, shape (n,).

    MuJoCo numbers joints branch by branch, a RobotTree need not.
    """
    bodies = range(robot.bodies - robot.n, robot.bodies)
    return np.array([model.joint(_joint_name(body)).dofadr[0] for body in bodies], dtype=np.int64)


def mujoco_model(
    robot: RobotTree,
    rotor_inertia: Array,
    shaped: Callable[[mujoco.MjSpec], None] | None = None,
) -> mujoco.MjModel:
    """The robot as MuJoCo's model: joints, inertias, rotors and gravity.

    Args:
        robot: the robot.
        rotor_inertia: of each driven joint, shape (n,) [kg m²].
        shaped: adds geometry to bodies `body0`, `body1`, …; without, nothing can touch.
    """
    spec = mujoco.MjSpec()
    spec.compiler.autolimits = False
    spec.option.gravity = robot.gravity
    for flag in _OFF if shaped is None else _OFF[2:]:
        spec.option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
    first = robot.bodies - robot.n
    bodies = [spec.worldbody]
    for body, (joint, parent) in enumerate(zip(robot.joints, robot.parents, strict=True)):
        placement = robot.placements[body]
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, placement[:3, :3].flatten())
        added = bodies[parent + 1].add_body(
            name=f"body{body}",
            pos=placement[:3, 3],
            quat=quaternion,
            explicitinertial=True,
            **_ANY_BODY,
        )
        bodies.append(added)
        if joint.kind == "floating":
            added.add_freejoint(name=_joint_name(body))
            continue
        slides = joint.kind == "prismatic"
        added.add_joint(
            name=_joint_name(body),
            type=mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE,
            axis=np.array(joint.axis),
            armature=float(rotor_inertia[body - first]),
        )
    if shaped is not None:
        shaped(spec)
    model = spec.compile()
    # MuJoCo's compiler refuses inertias that no solid body has; its dynamics do not mind them.
    for body, phi in enumerate(robot.phi):
        if phi[0] == 0 and phi[1:4].any():
            said = f"link {robot.links[body]} has no mass but a first moment"
            raise ConfigError("not-physical", said, hint='MuJoCo cannot do that; try engine "own"')
        centre, inertia = centre_and_inertia(phi)
        moments, axes = np.linalg.eigh(inertia)
        axes = axes * np.sign(np.linalg.det(axes))  # a rotation, not a reflection
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, f"body{body}")
        model.body_mass[index], model.body_ipos[index] = phi[0], centre
        model.body_inertia[index] = moments
        mujoco.mju_mat2Quat(model.body_iquat[index], axes.flatten())
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model
