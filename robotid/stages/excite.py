"""`excite`: trajectories that tell most of a robot's parameters, inside all of its limits."""

from pathlib import Path
from typing import TYPE_CHECKING

from robotid.dynamics.term_options import TermOptions
from robotid.errors import Notice
from robotid.excitation.options import ExcitationOptions
from robotid.robot.options import RobotOptions
from robotid.stages.contract import Input, Inputs, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.contracts.excitation import Excitation

_NAMED = 3  # parameters that a finding names


class ExciteConfig(ExcitationOptions, TermOptions, RobotOptions, StageConfig):
    """The trajectories, what they are to tell, the limits; the robot and its joint terms."""


def run(config: ExciteConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Design trajectories, and write them with their certificate; see docs/excitation.md."""
    from robotid.contracts.excitation import read_excitation, write_excitation
    from robotid.contracts.fit import INFORMATION
    from robotid.contracts.information import read_information
    from robotid.excitation.design import design
    from robotid.excitation.nominal import nominal_torques
    from robotid.excitation.play_files import write_plays
    from robotid.information.layout import Layout
    from robotid.reporting.excitation.page import PAGE, render_design
    from robotid.robot.load import load_robot
    from robotid.robot.shapes import read_shapes

    loaded = load_robot(inputs["robot"][0].path, **config.changes())
    layout = Layout(loaded.tree, **config.layout_arguments())
    earlier, start = inputs.get("given"), inputs.get("warm_start")
    shapes = read_shapes(loaded) if config.keeps_distances else None
    designed = design(
        loaded.tree,
        layout,
        config,
        given=read_information(earlier[0].path / INFORMATION) if earlier else None,
        given_sha256=earlier[0].digest if earlier else "",
        shapes=shapes,
        warm=read_excitation(start[0].path) if start else None,
    )
    stated = config.model_dump(mode="json", exclude_defaults=True)
    found = designed.design.model_copy(update={"options": stated})
    write_excitation(out_dir, found)
    write_plays(out_dir, found)
    page = render_design(found, lambda moving: nominal_torques(loaded.tree, *moving))
    (out_dir / PAGE).write_text(page, encoding="utf-8")
    return [*loaded.notices, *designed.notices, *_findings(found)]


def _findings(found: "Excitation") -> list[Notice]:
    """Parameters that the design is for and that will not be known well all the same."""
    helped = [p for p in found.parameters if p.wanted and p.advice]
    if not helped:
        return []
    helped.sort(key=lambda p: -p.std / (p.scale or 1.0))
    names = ", ".join(p.name for p in helped[:_NAMED])
    more = f" and {len(helped) - _NAMED} more" if len(helped) > _NAMED else ""
    return [
        Notice(
            code="badly-excited",
            message=f"will not be known well: {names}{more}",
            hint=helped[0].advice,
        )
    ]


STAGE = Stage(
    name="excite",
    config=ExciteConfig,
    inputs={
        "robot": Input("robot", "ROBOT", "a robot file, or the name of a robot", option=True),
        "given": Input(
            "fit", "FIT", "a fit of the same robot, whose information is added to", optional=True
        ),
        "warm_start": Input(
            "excitation", "DESIGN", "an earlier design for the search to begin with", optional=True
        ),
    },
    output="excitation",
    origin=__name__,
    uses=(
        "robotid.compiled",
        "robotid.contracts",
        "robotid.cores",
        "robotid.dynamics",
        "robotid.excitation",
        "robotid.information",
        "robotid.reporting",
        "robotid.robot",
        "robotid.signals.fourier",
        "robotid.signals.planned",
        "robotid.spatial",
    ),
    libraries=(
        "jinja2",
        "llvmlite",
        "numba",
        "numpy",
        "pyarrow.csv",
        "pyarrow.parquet",
        "pydantic",
        "safetensors.numpy",
        "scipy.linalg",
        "torch",
    ),
    extras=("mujoco",),
    run=run,
)
