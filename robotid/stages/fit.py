"""`fit`: parameters of a robot from filtered data, with their uncertainty and held-out errors."""

from pathlib import Path
from typing import TYPE_CHECKING

from robotid.dynamics.term_options import TermOptions
from robotid.errors import Effect, Notice
from robotid.evaluation.gates import GateOptions
from robotid.fitting.options import FitOptions
from robotid.robot.options import RobotOptions
from robotid.stages.contract import Input, Inputs, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.contracts.dataset import DatasetIndex, Split
    from robotid.contracts.fit import FilteredData, FitResult, Fold, RobotUsed
    from robotid.fitting.gathered import Gathered
    from robotid.fitting.solved import Problem, Solved
    from robotid.robot.load import Loaded


class FitConfig(FitOptions, TermOptions, GateOptions, RobotOptions, StageConfig):
    """Which model, how it is fitted, what robot and joint terms it has, and which gates it meets."""


def run(config: FitConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Fit the parameters of a robot; see `docs/estimators.md`."""
    from robotid.contracts.dataset import read_index
    from robotid.fitting.candidates import chosen
    from robotid.fitting.gathered import gathered
    from robotid.fitting.white_box import solve
    from robotid.information.layout import Layout
    from robotid.robot.load import load_robot

    loaded = load_robot(inputs["robot"][0].path, **config.changes())
    folder = inputs["dataset"][0].path
    index = read_index(folder)
    data, choices = chosen(
        gathered(inputs["factors"][0].path, Layout(loaded.tree, **config.layout_arguments()))
    )
    problem = _problem(config, data, folder, index, "train")
    solved = solve(problem)
    result, notices = _result(config, problem, solved, data, index, folder, out_dir)
    result = result.model_copy(
        update={
            "choices": choices,
            "robot": _robot(loaded, config, out_dir),
            "filtered": _filtered(index),
            "folds": _folds(config, data, folder, index),
        }
    )
    ...
