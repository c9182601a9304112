"""`sample`: states of a robot drawn one by one, with accelerations, as a dataset."""

from pathlib import Path

from robotid.errors import Notice
from robotid.robot.options import RobotOptions
from robotid.simulation.sample_options import SampleOptions
from robotid.stages.contract import Input, Inputs, Stage, StageConfig


class SampleConfig(SampleOptions, RobotOptions, StageConfig):
    """How many samples of which part of the state space, and of what robot."""


def run(config: SampleConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write a recording for each split, `dataset.json` and `truth.json`."""
    from robotid.contracts.dataset import MadeBy
    from robotid.robot.load import load_robot
    from robotid.simulation.sample_files import write_samples
    from robotid.simulation.state_samples import Sampler

    nominal = load_robot(inputs["robot"][0].path, **config.changes())
    other = inputs.get("true_robot")
    true = load_robot(other[0].path, **config.changes()) if other else nominal
    made = MadeBy(
        stage="sample",
        options=config.model_dump(mode="json", exclude_defaults=True),
        inputs={role: [source.digest for source in given] for role, given in inputs.items()},
    )
    sampler = Sampler(nominal.tree, true.tree, config)
    write_samples(out_dir, nominal.tree, sampler, made)
    return [*nominal.notices, *(true.notices if other else ())]


STAGE = Stage(
    name="sample",
    config=SampleConfig,
    inputs={
        "robot": Input("robot", "ROBOT", "a robot file, or the name of a robot", option=True),
        "true_robot": Input(
            "robot",
            "ROBOT",
            "what the robot really is, where that differs from the file of its limits",
            optional=True,
        ),
    },
    output="dataset",
    origin=__name__,
    uses=(
        "robotid.compiled",
        "robotid.contracts.dataset",
        "robotid.contracts.finding",
        "robotid.contracts.recording",
        "robotid.contracts.repair",
        "robotid.contracts.splits",
        "robotid.contracts.truth",
        "robotid.contracts.versions",
        "robotid.dynamics.arguments",
        "robotid.dynamics.compiled_aba",
        "robotid.dynamics.compiled_spatial",
        "robotid.dynamics.kinematics",
        "robotid.dynamics.layout",
        "robotid.dynamics.motion",
        "robotid.dynamics.rnea",
        "robotid.dynamics.structure",
        "robotid.memory",
        "robotid.robot",
        "robotid.simulation.engine",
        "robotid.simulation.mujoco_engine",
        "robotid.simulation.own_engine",
        "robotid.simulation.perturbation",
        "robotid.simulation.plant_options",
        "robotid.simulation.robots",
        "robotid.simulation.sample_files",
        "robotid.simulation.sample_options",
        "robotid.simulation.state_samples",
    ),
    libraries=("numba", "numpy", "pyarrow.parquet", "pydantic", "torch"),
    extras=("mujoco",),
    run=run,
)
