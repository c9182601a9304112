"""Agreement with Pinocchio and MuJoCo, two implementations that share no code with robotid.

1e-10 of the largest entry: rounding grows with the depth of the tree and its cancellations; what is
seen is 1e-13.
"""

import mujoco
import numpy as np
import pinocchio as pin
import pytest
import torch

from robotid.dynamics.aba import aba
from robotid.dynamics.crba import crba
from robotid.dynamics.energy import energy
from robotid.dynamics.kinematics import body_poses, jacobian
from robotid.dynamics.regressor import joint_torque_regressor
from robotid.dynamics.rnea import rnea
from robotid.robot.catalog import ROBOTS
from robotid.robot.load import load_robot
from tests.reference_models import mujoco_model, pinocchio_model, random_state, random_tree

TOLERANCE = 1e-10
TREES = 300
GROUPS = [range(start, start + 25) for start in range(0, TREES, 25)]


def assert_close(ours, theirs, what):
    ours = ours.detach().numpy() if isinstance(ours, torch.Tensor) else ours
    scale = max(np.abs(theirs).max(initial=0.0), 1e-3)
    assert np.abs(ours - theirs).max(initial=0.0) <= TOLERANCE * scale, what


def check_pinocchio(robot, seed):
    model = pinocchio_model(robot)
    data = model.createData()
    q, qd, qdd = random_state(robot, seed)
    tq, tqd, tqdd = map(torch.tensor, (q, qd, qdd))
    tau = pin.rnea(model, data, q, qd, qdd)
    assert_close(rnea(robot, tq, tqd, tqdd), tau, "rnea")
    assert_close(
        joint_torque_regressor(robot, tq, tqd, tqdd),
        pin.computeJointTorqueRegressor(model, data, q, qd, qdd),
        "regressor",
    )
    mass = np.triu(pin.crba(model, data, q))
    assert_close(crba(robot, tq), mass + np.triu(mass, 1).T, "crba")
    assert_close(aba(robot, tq, tqd, torch.tensor(tau)), pin.aba(model, data, q, qd, tau), "aba")
    found = energy(robot, tq, tqd)
    assert_close(found.kinetic, pin.computeKineticEnergy(model, data, q, qd), "kinetic")
    # Pinocchio's zero is the origin, as ours.
    assert_close(found.potential, pin.computePotentialEnergy(model, data, q), "potential")
    pin.forwardKinematics(model, data, q)
    poses = np.array([data.oMi[i + 1].homogeneous for i in range(robot.bodies)])
    assert_close(body_poses(robot, tq), poses, "poses")
    last = robot.bodies - 1
    theirs = pin.computeJointJacobian(model, data, q, last + 1)  # in body coordinates
    theirs = theirs.reshape(6, robot.nv)
    turn = np.kron(np.eye(2), poses[last][:3, :3])
    assert_close(jacobian(robot, tq, last), turn @ theirs, "jacobian")


def check_mujoco(robot, seed):
    """MuJoCo has the linear velocity of a free joint in world coordinates, and (w, x, y, z)."""
    model = mujoco_model(robot)
    data = mujoco.MjData(model)
    q, qd, qdd = random_state(robot, seed)
    tq, tqd, tqdd = map(torch.tensor, (q, qd, qdd))
    tau, mass = rnea(robot, tq, tqd, tqdd).numpy(), crba(robot, tq).numpy()
    if robot.floating:
        turn = np.eye(robot.nv)
        turn[:3, :3] = body_poses(robot, tq)[0, :3, :3].numpy()
        spun = np.zeros(robot.nv)
        spun[:3] = np.cross(qd[3:6], qd[:3])
        q = np.concatenate([q[:3], q[[6, 3, 4, 5]], q[7:]])
        qd, qdd = turn @ qd, turn @ (qdd + spun)
        tau, mass = turn @ tau, turn @ mass @ turn.T
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    assert_close(tau, data.qfrc_inverse, "rnea")
    theirs = np.zeros((robot.nv, robot.nv))
    if int(mujoco.__version__.split(".")[0]) >= 4:
        mujoco.mj_fullM(model, data, theirs)
    else:
        mujoco.mj_fullM(model, theirs, data.qM)
    assert_close(mass, theirs, "crba")
    data.qfrc_applied[:] = tau
    mujoco.mj_forward(model, data)
    ours = aba(robot, tq, tqd, rnea(robot, tq, tqd, tqdd)).numpy()
    if robot.floating:
        ours = turn @ (ours + spun)
    assert_close(ours, data.qacc, "aba")


@pytest.mark.parametrize("seeds", GROUPS, ids=lambda g: f"{g.start}-{g.stop - 1}")
def test_random_trees_agree_with_pinocchio(seeds):
    for seed in seeds:
        check_pinocchio(random_tree(seed), seed)


@pytest.mark.parametrize("seeds", GROUPS, ids=lambda g: f"{g.start}-{g.stop - 1}")
def test_random_trees_agree_with_mujoco(seeds):
    for seed in seeds:
        check_mujoco(random_tree(seed), seed)


@pytest.mark.parametrize("name", ROBOTS)
def test_shipped_robots_agree_with_both(name):
    robot = load_robot(name).tree
    for seed in range(5):
        check_pinocchio(robot, seed)
        check_mujoco(robot, seed)


def test_random_trees_are_varied():
    """So that the agreement above means something."""
    trees = [random_tree(seed) for seed in range(TREES)]
    assert 80 < sum(robot.floating for robot in trees) < 220
    kinds = {joint.kind for robot in trees for joint in robot.joints}
    assert kinds == {"revolute", "continuous", "prismatic", "floating"}
    branching = sum(len(set(r.parents)) < r.bodies for r in trees)
    assert branching > 60
    assert max(robot.bodies for robot in trees) == 8


def test_precision_survives_a_long_walk():
    """A floating base a kilometre away loses nothing: its position is not in the equations."""
    robot = random_tree(0, bodies=6, floating=True)
    q, qd, qdd = map(torch.tensor, random_state(robot, 0))
    far = q.clone()
    far[:3] += 1e6
    assert torch.equal(rnea(robot, q, qd, qdd), rnea(robot, far, qd, qdd))
