"""`rollout`: forward models left to run, against what was recorded and against physics."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from robotid.errors import ConfigError, Effect, Notice
from robotid.rollouts.options import RolloutOptions
from robotid.stages.contract import Input, Inputs, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.contracts.rollout import Rollout


class RolloutConfig(RolloutOptions, StageConfig):
    """How long, in which steps, and from where."""


def check(config: RolloutConfig, roles: Collection[str]) -> None:
    """Starts come from one place, and a horizon has at least one step."""
    recorded = "from" in roles
    if recorded and config.state:
        said = "state: starts come from recordings or from states, not from both"
        raise ConfigError("two-kinds-of-start", said, hint="leave out from, or state")
    if not recorded and not config.state:
        said = "state: there is nothing to start from"
        hint = "give a filtered dataset (--from) or states (--state)"
        raise ConfigError("no-start", said, hint=hint)
    if config.step_s > config.horizon_s:
        said = f"horizon_s: {config.horizon_s:g} s is shorter than a step of {config.step_s:g} s"
        raise ConfigError("horizon-too-short", said, hint="a longer horizon_s, or a shorter step_s")
    if config.seed and not config.at_random:
        said = "seed: has no effect, starts are not random"
        raise ConfigError("key-without-effect", said, hint="leave it out, or start from random")
    usual = RolloutOptions.model_fields["starts"].default
    if config.starts != usual and not recorded and not config.at_random:
        said = "starts: has no effect, every state is a start"
        raise ConfigError("key-without-effect", said, hint="leave it out")


def run(config: RolloutConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Let fits run, and write what became of them; see docs/forward.md."""
    from robotid.contracts.rollout import write_rollout
    from robotid.reporting.rollout.page import PAGE, render_rollout
    from robotid.rollouts.compared import compared

    folders = {source.name: source.path for source in inputs["fits"]}
    dataset, truth = (
        given[0].path if given else None for given in map(inputs.get, ("from", "truth"))
    )
    found = compared(folders, dataset, config, truth)
    write_rollout(out_dir, found.rollout, found.trajectories)
    page = render_rollout(found.rollout, found.trajectories)
    (out_dir / PAGE).write_text(page, encoding="utf-8")
    return _notices(found.rollout)


def _notices(found: "Rollout") -> list[Notice]:
    from robotid.rollouts.remarks import DIVERGED, ENERGY_GROWS

    unusable = [name for name, one in found.fits.items() if not one.usable]
    return [
        Notice(code=remark.code, message=remark.message, hint=remark.hint)
        for remark in found.remarks
        if remark.code in (DIVERGED, ENERGY_GROWS)
    ] + [
        Notice(
            code="fit-not-usable",
            message=f"{name}: the verdict of the fit is that it should not be used",
            effect=Effect.QUALITY,
        )
        for name in unusable
    ]


STAGE = Stage(
    name="rollout",
    config=RolloutConfig,
    inputs={
        "fits": Input(
            "fit", "FIT", "what fit wrote with loss forward", many=True, named=True, ordered=True
        ),
        "from": Input("dataset", "DATASET", "what filter wrote, to start from", optional=True),
        "truth": Input(
            "logs", "LOGS", "what simulate wrote, if the data are from it", optional=True
        ),
    },
    output="rollout",
    origin=__name__,
    uses=(
        "robotid.compiled",
        "robotid.contracts",
        "robotid.dynamics",
        "robotid.information.layout",
        "robotid.memory",
        "robotid.models",
        "robotid.reporting",
        "robotid.robot",
        "robotid.rollouts",
        "robotid.spatial",
    ),
    libraries=(
        "jinja2",
        "numba",
        "numpy",
        "pyarrow.parquet",
        "pydantic",
        "safetensors.torch",
        "torch",
    ),
    extras=("mujoco",),
    run=run,
    check=check,
)
