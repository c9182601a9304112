"""`fit`: parameters of a robot from filtered data, with their uncertainty and held-out errors."""

from collections.abc import Collection
from pathlib import Path

from robotid.contracts.forces import Forces
from robotid.errors import ConfigError, Notice
from robotid.evaluation.gates import GateOptions
from robotid.fitting.exact_update import check_update
from robotid.fitting.options import OF_LOADS, FitOptions
from robotid.information.options import FactorOptions
from robotid.robot.options import RobotOptions
from robotid.stages.contract import Input, Inputs, Stage, StageConfig

_OF_DATA = ("max_condition", "full_rank")  # gates of what data show of parameters


class FitConfig(FitOptions, FactorOptions, GateOptions, RobotOptions, StageConfig):
    """Which model and how it is fitted, the robot and its joint terms, and gates to be met."""


def check(config: FitConfig, roles: Collection[str]) -> None:
    """Keys of estimators do nothing for a payload, those of loads nothing without one.

    Gates are limits of torques: a forward fit would pass them unseen. Some keys cannot continue an
    earlier fit.
    """
    for key, field in GateOptions.model_fields.items():
        if config.loss == "forward" and getattr(config, key) != field.default:
            said = "has no effect with loss forward: it is a limit of torques"
            raise ConfigError("key-without-effect", f"{key}: {said}", hint="leave it out")
        if config.learned and key in _OF_DATA and getattr(config, key) != field.default:
            said = f"has no effect with model {config.model}: it is a limit of parameters"
            raise ConfigError("key-without-effect", f"{key}: {said}", hint="leave it out")
    _check_forces(config)
    payload = "payload_of" in roles
    if "update" in roles:
        if payload:
            said = "payload_of: a load is found beside a fit, no fit is continued by it (update)"
            raise ConfigError("no-exact-update", said, hint="give one of them")
        if not config.learned:
            check_update(config)
    for key, field in FitOptions.model_fields.items():
        if getattr(config, key) == field.default:
            continue
        if payload and key not in OF_LOADS:
            said = "has no effect with payload_of: the robot is as the fit without load has it"
            raise ConfigError("key-without-effect", f"{key}: {said}", hint="leave it out")
        if not payload and (key == "anew" or (key == "load_link" and not config.loaded)):
            said = "has no effect without a load"
            hint = "give payload_of" if key == "anew" else "give payload_of, or loaded and load"
            raise ConfigError("key-without-effect", f"{key}: {said}", hint=hint)


def _check_forces(config: FitConfig) -> None:
    """Which generalised forces count is a matter of factors, and of samples as they are."""
    if config.forces() == Forces():
        return
    key = "contacts" if config.contacts == "projected" else "rows"
    if config.loss == "forward" or config.learned:
        said = f"{key}: models that are learned need all generalised forces"
        raise ConfigError("needs-all-forces", said, hint="fit with sdp, wls or diffnea")
    by_samples = config.by_adam or (config.model == "irls" and config.robust == "samples")
    if config.contacts == "projected" and by_samples:
        said = "contacts: projected forces are known to factors, not sample by sample"
        raise ConfigError("needs-factors", said, hint="use optimizer newton, or robust blocks")


def run(config: FitConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Fit the parameters of a robot; see docs/fit.md."""
    from robotid.contracts.dataset import read_index
    from robotid.identification.carried import carried
    from robotid.identification.continued import read_earlier
    from robotid.identification.files import robot_used, write_fit
    from robotid.identification.gathered import gathered
    from robotid.identification.identify import identify
    from robotid.identification.prepared import prepared
    from robotid.identification.provenance import provenance
    from robotid.identification.request import Request
    from robotid.information.layout import Layout
    from robotid.models.from_fit import read_fitted
    from robotid.release import __version__
    from robotid.robot.load import load_robot
    from robotid.versions import library_versions

    loaded = load_robot(inputs["robot"][0].path, **config.changes())
    folder = inputs["dataset"][0].path
    layout = Layout(loaded.tree, **config.layout_arguments())
    index = read_index(folder)
    factors = inputs["factors"][0]
    every = gathered(factors.path, layout, index, config.torque, proven=factors.proven)
    base = inputs.get("payload_of")
    before = read_fitted(base[0].path) if base else None
    like = before.model.layout if before else None
    earlier = None
    # Learned models begin with what the earlier one learned; `check` refuses others.
    if "update" in inputs and not config.learned:
        update = inputs["update"][0]
        earlier = read_earlier(update.path, update.digest, layout, config.torque, config, index)
        like = earlier.layout
    ready = prepared(every, config, config.torque, like)
    if earlier is not None:
        ready = ready._replace(data=earlier.joined(ready.data))
    origin = provenance(
        index.made_by,
        options=config.model_dump(mode="json", exclude_defaults=True),
        inputs={role: [source.digest for source in given] for role, given in inputs.items()},
        libraries={
            "robotid": __version__,
            **library_versions(STAGE.libraries, STAGE.extras),
        },
    )
    request = Request(
        options=config,
        gates=config,
        ready=ready,
        robot=robot_used(loaded, config),
        folder=folder,
        index=ready.data.within(index),
        torque=config.torque,
        provenance=origin,
        earlier=earlier,
    )
    if config.loss == "forward":
        from robotid.identification.forward.learn import learn

        return learn(request, loaded, out_dir)
    if config.learned:
        from robotid.identification.learned.learn import EarlierFit
        from robotid.identification.learned.learn import learn as learn_torques

        begun = [EarlierFit(source.path, source.digest) for source in inputs.get("update", ())]
        return learn_torques(request, loaded, out_dir, begun[0] if begun else None)
    found = carried(request, before, base[0].path) if base and before else identify(request)
    return write_fit(out_dir, found, loaded)


STAGE = Stage(
    name="fit",
    config=FitConfig,
    inputs={
        "dataset": Input("dataset", "DATASET", "what filter wrote", on_demand="*.parquet"),
        "robot": Input("robot", "ROBOT", "a robot file, or the name of a robot"),
        "factors": Input(
            "factors",
            "FACTORS",
            "what factors wrote of the same dataset and robot; made if it is not given",
            optional=True,
            made_by="factors",
        ),
        "payload_of": Input(
            "fit", "FIT", "a fit of the robot without what it carries now", optional=True
        ),
        "update": Input(
            "fit",
            "FIT",
            "an earlier fit to continue: its training data count as well; of networks, its weights "
            "are where training begins",
            optional=True,
        ),
    },
    output="fit",
    origin=__name__,
    uses=(
        "robotid.checkpoints",
        "robotid.compiled",
        "robotid.contracts",
        "robotid.cores",
        "robotid.dynamics",
        "robotid.evaluation",
        "robotid.fitting",
        "robotid.identification",
        "robotid.information",
        "robotid.memory",
        "robotid.models",
        "robotid.progress",
        "robotid.release",
        "robotid.robot",
        "robotid.signals.butterworth",
        "robotid.signals.filtered_noise",
        "robotid.signals.splits",
        "robotid.spatial",
        "robotid.training",
        "robotid.versions",
    ),
    libraries=(
        "clarabel",
        "llvmlite",
        "numba",
        "numpy",
        "pyarrow.parquet",
        "pydantic",
        "safetensors.numpy",
        "safetensors.torch",
        "scipy.linalg",
        "torch",
    ),
    extras=("mujoco",),
    run=run,
    check=check,
)
