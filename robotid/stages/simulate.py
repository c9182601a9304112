"""`simulate`: logs of a robot of which everything is known."""

from pathlib import Path

from robotid.errors import Notice
from robotid.robot.options import RobotOptions
from robotid.simulation.options import SimulationOptions
from robotid.stages.contract import Input, Inputs, Stage, StageConfig


class SimulateConfig(SimulationOptions, RobotOptions, StageConfig):
    """What the robot does, what resists it, and what its sensors make of it."""


def run(config: SimulateConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write a CSV per recording, `truth.json` and the true signals."""
    from robotid.robot.load import load_robot
    from robotid.simulation.log_files import write_simulation
    from robotid.simulation.scenario import simulate

    nominal = load_robot(inputs["robot"][0].path, **config.changes())
    other = inputs.get("true_robot")
    true = load_robot(other[0].path, **config.changes()) if other else nominal
    simulated = simulate(nominal.tree, true.tree, config)
    write_simulation(out_dir, simulated, config.digits)
    read = [*nominal.notices, *(true.notices if other else ())]
    return [*read, *simulated.notices]


STAGE = Stage(
    name="simulate",
    config=SimulateConfig,
    inputs={
        "robot": Input("robot", "ROBOT", "a robot file, or the name of a robot", option=True),
        "true_robot": Input(
            "robot",
            "ROBOT",
            "what the robot really is, where that differs from what its controller knows",
            optional=True,
        ),
    },
    output="logs",
    origin=__name__,
    uses=(
        "robotid.contracts.truth",
        "robotid.dynamics",
        "robotid.memory",
        "robotid.robot",
        "robotid.simulation",
        "robotid.spatial",
    ),
    libraries=("numba", "numpy", "pyarrow.parquet", "pydantic", "torch"),
    extras=("mujoco",),
    run=run,
)
