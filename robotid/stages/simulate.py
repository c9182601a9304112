"""`simulate`: logs of a robot of which everything is known."""

from pathlib import Path

from robotid.errors import ConfigError, Notice
from robotid.robot.options import RobotOptions
from robotid.simulation.options import SimulationOptions
from robotid.stages.contract import Input, Inputs, Stage, StageConfig


class SimulateConfig(SimulationOptions, RobotOptions, StageConfig):
    """What the robot does, what resists it, and what its sensors make of it."""


def run(config: SimulateConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write a CSV per recording, `truth.json` and the true signals."""
    from robotid.contracts.excitation import read_excitation
    from robotid.robot.load import load_robot
    from robotid.simulation.log_files import write_simulation
    from robotid.simulation.recordings import OF_FLOATING, refuse_keys
    from robotid.simulation.scenario import simulate

    nominal = load_robot(inputs["robot"][0].path, **config.changes())
    other = inputs.get("true_robot")
    true = load_robot(other[0].path, **config.changes()) if other else nominal
    planned = inputs.get("design")
    read = [*nominal.notices, *(true.notices if other else ())]
    if nominal.tree.floating:
        from robotid.simulation.floating.log_files import write_floating
        from robotid.simulation.floating.scenario import simulate_floating

        if planned:
            said = f"design: robot {nominal.tree.name} has a floating base, designs are for arms"
            raise ConfigError("floating-base", said, hint="leave it out, or hold the base")
        floating = simulate_floating(nominal.tree, true.tree, config)
        write_floating(out_dir, floating, config.digits)
        return [*read, *floating.notices]
    refuse_keys(OF_FLOATING, config, "key-without-effect", "the robot has no floating base")
    design = read_excitation(planned[0].path) if planned else None
    digest = planned[0].digest if planned else ""
    simulated = simulate(nominal.tree, true.tree, config, design, digest)
    write_simulation(out_dir, simulated, config.digits)
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
        "design": Input(
            "excitation",
            "DESIGN",
            "what excite wrote: its plays are run in place of random trajectories",
            optional=True,
        ),
    },
    output="logs",
    origin=__name__,
    uses=(
        "robotid.compiled",
        "robotid.contracts.excitation",
        "robotid.contracts.truth",
        "robotid.contracts.versions",
        "robotid.dynamics",
        "robotid.memory",
        "robotid.robot",
        "robotid.signals.fourier",
        "robotid.signals.planned",
        "robotid.simulation",
        "robotid.spatial",
    ),
    libraries=("numba", "numpy", "pyarrow.parquet", "pydantic", "torch"),
    extras=("mujoco",),
    run=run,
)
