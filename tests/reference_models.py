"""Robots for tests: random trees, and the same robots in Pinocchio and MuJoCo."""

import numpy as np

from robotid.robot.geometry import centre_and_inertia, phi_from, pose, rotation_about
from robotid.robot.tree import Joint, RobotTree


def random_rotation(rng):
    axis = rng.normal(size=3)
    return rotation_about(axis / np.linalg.norm(axis), rng.uniform(-np.pi, np.pi))


def random_phi(rng):
    """A consistent link: any full-rank cloud of points is one."""
    density = rng.normal(size=(3, 6)) * rng.uniform(0.02, 0.2)
    sigma = density @ density.T / 6
    mass = rng.uniform(0.1, 5)
    inertia = mass * (np.trace(sigma) * np.eye(3) - sigma)
    return phi_from(mass, rng.normal(size=3) * 0.1, inertia)


def random_tree(seed, bodies=None, floating=None, kinds=("revolute", "continuous", "prismatic")):
    """A tree with random shape, joints, axes, placements, links and gravity."""
    rng = np.random.default_rng(seed)
    bodies = bodies or int(rng.integers(1, 9))
    floating = bool(rng.random() < 0.4) if floating is None else floating
    joints, parents = [], []
    for body in range(bodies):
        if floating and body == 0:
            joints.append(Joint("root", "floating", (0.0, 0.0, 0.0)))
            parents.append(-1)
            continue
        axis = rng.normal(size=3)
        if rng.random() < 0.5:
            axis = np.roll([0.0, 0.0, 1.0], rng.integers(3)) * rng.choice([-1.0, 1.0])
        axis = axis / np.linalg.norm(axis)
        joints.append(
            Joint(
                f"joint{body}",
                kinds[rng.integers(len(kinds))],
                tuple(axis),
                rotor_inertia=float(rng.uniform(0, 0.2)),
            )
        )
        # On the path to the body before: depth-first order, which the reference engines need.
        path, above = [] if floating else [-1], body - 1
        while above >= 0:
            path.append(above)
            above = parents[above]
        parents.append(int(rng.choice(path)))
    placements = [pose(random_rotation(rng), rng.normal(size=3) * 0.4) for _ in range(bodies)]
    if floating:
        placements[0] = np.eye(4)
    return RobotTree(
        name=f"tree{seed}",
        base="base",
        links=tuple(f"link{body}" for body in range(bodies)),
        joints=tuple(joints),
        parents=tuple(parents),
        placements=np.array(placements),
        phi=np.array([random_phi(rng) for _ in range(bodies)]),
        gravity=rng.normal(size=3) * 6,
    )


def random_state(robot, seed, shape=()):
    """q, qd, qdd as numpy arrays; quaternions have unit length."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-2, 2, (*shape, robot.nq))
    if robot.floating:
        quaternion = rng.normal(size=(*shape, 4))
        q[..., 3:7] = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return q, rng.normal(size=(*shape, robot.nv)) * 2, rng.normal(size=(*shape, robot.nv)) * 4


def pinocchio_model(robot):
    """The robot in Pinocchio; coordinates and bodies are in the same order."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    for body, (joint, parent) in enumerate(zip(robot.joints, robot.parents, strict=True)):
        axis = np.array(joint.axis)
        kind = {
            "floating": lambda: pin.JointModelFreeFlyer(),
            "prismatic": lambda axis=axis: pin.JointModelPrismaticUnaligned(axis),
        }.get(joint.kind, lambda axis=axis: pin.JointModelRevoluteUnaligned(axis))()
        placement = pin.SE3(robot.placements[body])
        added = model.addJoint(parent + 1, kind, placement, joint.name)
        mass, (centre, inertia) = robot.phi[body, 0], centre_and_inertia(robot.phi[body])
        model.appendBodyToJoint(added, pin.Inertia(mass, centre, inertia), pin.SE3.Identity())
    return model


def mujoco_model(robot):
    """The robot in MuJoCo; coordinates are in the same order when bodies are depth first."""
    import mujoco

    def numbers(values):
        return " ".join(repr(float(value)) for value in values)

    def element(body):
        joint, placement = robot.joints[body], robot.placements[body]
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, placement[:3, :3].flatten())
        mass, (centre, inertia) = robot.phi[body, 0], centre_and_inertia(robot.phi[body])
        full = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        kind = "slide" if joint.kind == "prismatic" else "hinge"
        moving = f'<joint name="{joint.name}" type="{kind}" axis="{numbers(joint.axis)}"/>'
        if joint.kind == "floating":
            moving = f'<freejoint name="{joint.name}"/>'
        children = "".join(element(i) for i, p in enumerate(robot.parents) if p == body)
        return (
            f'<body name="{robot.links[body]}" pos="{numbers(placement[:3, 3])}" '
            f'quat="{numbers(quaternion)}">{moving}<inertial mass="{float(mass)!r}" '
            f'pos="{numbers(centre)}" fullinertia="{numbers(full)}"/>{children}</body>'
        )

    roots = "".join(element(i) for i, p in enumerate(robot.parents) if p == -1)
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        f'<option gravity="{numbers(robot.gravity)}"><flag contact="disable"/></option>'
        f"<worldbody>{roots}</worldbody></mujoco>"
    )
