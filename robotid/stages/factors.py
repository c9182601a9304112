"""`factors`: what recordings say about the parameters of a robot, without the samples."""

from collections.abc import Iterable
from pathlib import Path

from robotid.errors import Notice
from robotid.information.options import FactorOptions
from robotid.robot.options import RobotOptions
from robotid.stages.contract import Input, Inputs, Source, Stage, StageConfig


class FactorsConfig(FactorOptions, RobotOptions, StageConfig):
    """Which parameters joints have besides those of the links, and what the robot is."""


def run(config: FactorsConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Reduce one recording, in one pass and constant memory."""
    from robotid.contracts.factors import write_factors
    from robotid.contracts.splits import read_cut
    from robotid.information.layout import Layout
    from robotid.information.locked import base_not_used, moving_locks
    from robotid.information.recording import factor_recording
    from robotid.robot.load import load_robot

    robot = load_robot(inputs["robot"][0].path, **config.changes())
    # Joints of the file that are locked, or outside the chain, may be recorded all the same.
    in_file = {part.joint.name for part in robot.description.assembly.parts if part.joint}
    layout = Layout(robot.tree, **config.layout_arguments())
    path = inputs["dataset"][0].path
    cut = read_cut(path)
    found = factor_recording(path, layout, in_file, torque=config.torque, cut=cut)
    write_factors(out_dir, *found)
    return [*moving_locks(path, config.changes()["lock"]), *base_not_used(path, robot.tree)]


def gather(
    config: FactorsConfig, inputs: Inputs, parts: Iterable[Source], out_dir: Path
) -> list[Notice]:
    """Write the index; what there is to say of the robot file is said once."""
    from robotid.contracts.dataset import read_index
    from robotid.contracts.factors import read_facts, write_index
    from robotid.robot.load import load_robot

    dataset = read_index(inputs["dataset"][0].path)
    found = {part.name: read_facts(part.path) for part in parts}
    write_index(out_dir, found, dataset.splits, dataset.intervals)
    return list(load_robot(inputs["robot"][0].path, **config.changes()).notices)


STAGE = Stage(
    name="factors",
    config=FactorsConfig,
    inputs={
        "dataset": Input(
            "dataset", "DATASET", "what filter wrote", each="*.parquet", beside=".cut.json"
        ),
        "robot": Input("robot", "ROBOT", "a robot file, or the name of a robot"),
    },
    output="factors",
    origin=__name__,
    uses=(
        "robotid.contracts.dataset",
        "robotid.contracts.factors",
        "robotid.contracts.finding",
        "robotid.contracts.forces",
        "robotid.contracts.recording",
        "robotid.contracts.repair",
        "robotid.contracts.splits",
        "robotid.contracts.tensors",
        "robotid.cores",
        "robotid.compiled",
        "robotid.dynamics.base_pose",
        "robotid.dynamics.frame_jacobian",
        "robotid.dynamics.friction",
        "robotid.dynamics.joint_columns",
        "robotid.dynamics.term_options",
        "robotid.dynamics.terms",
        "robotid.information.basis",
        "robotid.information.columns",
        "robotid.information.factor",
        "robotid.information.factorise",
        "robotid.information.held",
        "robotid.information.kernel",
        "robotid.information.lanes",
        "robotid.information.layout",
        "robotid.information.locked",
        "robotid.information.options",
        "robotid.information.program",
        "robotid.information.projected",
        "robotid.information.projection",
        "robotid.information.recording",
        "robotid.information.regressor",
        "robotid.information.samples",
        "robotid.information.samples_seen",
        "robotid.information.small",
        "robotid.information.stream",
        "robotid.information.triangular",
        "robotid.information.vectors",
        "robotid.robot",
        "robotid.signals.butterworth",
        "robotid.signals.filtered_noise",
        "robotid.spatial.quaternions",
    ),
    libraries=(
        "llvmlite",
        "numba",
        "numpy",
        "pyarrow.parquet",
        "pydantic",
        "safetensors.numpy",
        "scipy.linalg",
    ),
    extras=("mujoco",),
    run=run,
    gather=gather,
    part_file="factors.safetensors",
)
