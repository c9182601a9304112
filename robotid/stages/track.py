"""`track`: how well a robot follows when fitted models are its inverse dynamics."""

from collections.abc import Collection
from pathlib import Path

from robotid.errors import ConfigError, Effect, Notice
from robotid.robot.options import RobotOptions
from robotid.stages.contract import Input, Inputs, Stage, StageConfig
from robotid.tracking.options import OF_THE_TRUTH, ONLY_OF, TrackOptions


class TrackConfig(TrackOptions, RobotOptions, StageConfig):
    """What the robot should follow, how stiff its feedback is, and what it is like."""


def check(config: TrackConfig, roles: Collection[str]) -> None:
    """Keys do something, and a motion has at least one step."""
    for key, tasks in ONLY_OF.items():
        if config.task not in tasks and _asked_for(config, key):
            said = f"{key}: has no effect, the task is {config.task}"
            hint = f"leave it out, or take task {' or '.join(tasks)}"
            raise ConfigError("key-without-effect", said, hint=hint)
    if config.task == "recorded" and "truth" not in roles:
        said = "task: recorded motions are those of a simulation"
        raise ConfigError("no-truth", said, hint="give what simulate wrote as --truth")
    for key in OF_THE_TRUTH if "truth" in roles else ():
        if _asked_for(config, key):
            said = f"{key}: the simulation says what the robot is like"
            raise ConfigError("key-without-effect", said, hint="leave it out, or leave out truth")
    for duration_s in config.lengths_s:
        if duration_s * config.control_hz < 1:
            said = f"durations_s: {duration_s:g} s is shorter than a step of the controller"
            hint = "a longer one, or a higher control_hz"
            raise ConfigError("duration-too-short", said, hint=hint)
    names = {gain.name for gain in config.parsed_gains}
    for source, figures in config.published.items():
        for gain in (*figures.rmse, *figures.velocity_nmse):
            if gain not in names:
                said = f"published.{source}: no gain is called {gain!r}"
                raise ConfigError("unknown-gain", said, hint=f"there are {', '.join(names)}")


def _asked_for(config: TrackConfig, key: str) -> bool:
    return bool(getattr(config, key) != TrackConfig.model_fields[key].get_default())


def run(config: TrackConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Let models drive a robot, and write how well it followed; see docs/track.md."""
    from robotid.contracts.tracked_motions import write_tracking
    from robotid.reporting.tracking.page import PAGE, render_tracking
    from robotid.robot.load import load_robot
    from robotid.tracking.compared import compared
    from robotid.tracking.remarks import UNSTABLE, remarks_of

    folders = {source.name: source.path for source in inputs["fits"]}
    nominal = load_robot(inputs["robot"][0].path, **config.changes())
    given = inputs.get("truth")
    found = compared(folders, nominal.tree, config, given[0].path if given else None)
    write_tracking(out_dir, found.tracking, found.motions)
    page = render_tracking(found.tracking, found.motions)
    (out_dir / PAGE).write_text(page, encoding="utf-8")
    fits = [name for name, model in found.tracking.models.items() if model.kind == "fit"]
    # That baselines fail is what they are there for: the result says so, no warning does.
    unstable = [
        Notice(code=remark.code, message=remark.message, joint=remark.joint, hint=remark.hint)
        for remark in remarks_of({name: found.tracking.models[name] for name in fits})
        if remark.code == UNSTABLE
    ]
    refused = [
        Notice(
            code="fit-not-usable",
            message=f"{name}: the verdict of the fit is that it should not be used",
            effect=Effect.QUALITY,
        )
        for name in fits
        if not found.tracking.models[name].usable
    ]
    return [*nominal.notices, *unstable, *refused]


STAGE = Stage(
    name="track",
    config=TrackConfig,
    inputs={
        "fits": Input("fit", "FIT", "what fit wrote", many=True, named=True, ordered=True),
        "robot": Input("robot", "ROBOT", "a robot file, or the name of a robot"),
        "truth": Input(
            "logs", "LOGS", "what simulate wrote, to move the robot that it simulated",
            optional=True,
        ),
    },
    output="tracking",
    origin=__name__,
    uses=(
        "robotid.compiled",
        "robotid.contracts",
        "robotid.dynamics",
        "robotid.information.layout",
        "robotid.information.sizes",
        "robotid.memory",
        "robotid.models",
        "robotid.reporting",
        "robotid.robot",
        "robotid.signals.fourier",
        "robotid.signals.planned",
        "robotid.simulation",
        "robotid.spatial",
        "robotid.tracking",
    ),
    libraries=(
        "jinja2",
        "numba",
        "numpy",
        "pyarrow.parquet",
        "pydantic",
        "safetensors.torch",
        "scipy.special",
        "torch",
    ),
    extras=("mujoco",),
    run=run,
    check=check,
)  # fmt: skip
