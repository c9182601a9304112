"""The learned model of a fit folder: robot file, terms of joints and weights, all checked."""

from pathlib import Path
from typing import NamedTuple

from robotid.contracts.fit import FIT
from robotid.contracts.learned import LearnedResult, read_learned_result
from robotid.models.from_fit import check_joints, layout_of, robot_of
from robotid.models.learned.architecture import empty
from robotid.models.learned.torques import LearnedTorques
from robotid.models.weights import load_weights
from robotid.robot.load import Loaded


class FittedLearned(NamedTuple):
    """A fit, the robot it is of (as its file says), and the model with what was learned."""

    fit: LearnedResult
    robot: Loaded
    model: LearnedTorques


def read_learned(folder: Path) -> FittedLearned:
    """Read a fit folder; weights that are not those of its model are refused."""
    fit, file = read_learned_result(folder), str(folder / FIT)
    robot = robot_of(folder, fit.robot)
    check_joints(fit, robot.tree.rows, file)
    layout = layout_of(robot.tree, fit.terms, file)
    model = empty(fit.architecture, layout)
    load_weights(model, folder)
    return FittedLearned(fit, robot, LearnedTorques(layout, model))
