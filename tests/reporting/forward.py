"""A forward fit with something in every field, made by hand."""

import torch

from robotid.contracts.fit import AnyFit, Verdict
from robotid.identification.forward.found import found
from robotid.models.forward_models import RigidForward
from robotid.models.placements import LearnedPlacements
from robotid.reporting.view import ForwardView
from robotid.robot.load import load_robot
from robotid.robot.z_axes import with_z_axes
from robotid.spatial.parametrisations.table import parametrisation
from tests.reporting.full import facts_of, metrics_of
from tests.rollouts.fits import rigid, write_fit

GOOD = Verdict(usable=True, sentence="1 % of the variance is unexplained.", reasons=[])


def forward_view(
    folder, robot="furuta", *, name="forward", actuator="viscous", learned=False, **changes
):
    """A forward fit of a robot (shipped, or a file): its own links, somewhat heavier."""
    tree = load_robot(robot).tree
    model = rigid(robot, actuator, mass=1.1)
    if learned:
        model = learned_kinematics(model)
    common = AnyFit.model_fields.keys()
    facts = facts_of(tree.joint_names, tree.links, 9)
    fields = {key: value for key, value in facts.items() if key in common}
    fields |= {"verdict": GOOD, "baselines": baselines(tree.joint_names)}
    fields |= {"kinematics": "learned" if learned else "known", **found(model, tree), **changes}
    return ForwardView.read(name, write_fit(folder, model, robot, **fields))


def learned_kinematics(model):
    """The same model with placements of its own."""
    tree, free = with_z_axes(model.robot), parametrisation("free")
    placements = LearnedPlacements.of(torch.tensor(tree.placements))
    theta = free.theta(1.1 * torch.tensor(tree.phi))
    return RigidForward(tree, free, theta, model.actuator, placements)


def baselines(joints):
    """None, the mean one and that of the robot file, all worse than the model."""
    return {name: metrics_of(joints, 0.5) for name in ("zero", "mean", "nominal")}
