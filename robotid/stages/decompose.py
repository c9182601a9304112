"""`decompose`: inertial, Coriolis and gravitational forces of models, beside the true ones."""

from pathlib import Path

from pydantic import Field

from robotid.contracts.splits import Split
from robotid.errors import Notice
from robotid.stages.contract import Input, Inputs, Stage, StageConfig


class DecomposeConfig(StageConfig):
    """Which motions are looked at."""

    split: Split | None = Field(
        default=None,
        description="Recordings whose motions are looked at; by default those of the test, "
        "or all where there are none.",
    )
    samples: int = Field(
        default=5000, ge=10, le=1_000_000, description="At most so many, evenly spread."
    )
    shown_s: float = Field(
        default=5.0, gt=0, description="How much of the first recording charts show [s]."
    )


def run(config: DecomposeConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write `decomposition.json` and `decomposition.html`."""
    from robotid.contracts.decomposition import write_decomposition
    from robotid.models.parts_of_fits import Asked, decompose
    from robotid.reporting.decomposed import PAGE, render_decomposition

    folders = {source.name: source.path for source in inputs["fits"]}
    data, truth = inputs["dataset"][0].path, inputs["truth"][0].path
    asked = Asked(config.split, config.samples, config.shown_s)
    found = decompose(folders, data, truth, asked)
    write_decomposition(out_dir, found.facts)
    (out_dir / PAGE).write_text(render_decomposition(found), encoding="utf-8")
    return [
        Notice(
            code="no-parts",
            message=f"{name}: a network of the motion has no inertia, velocity and gravity apart",
        )
        for name in found.facts.without
    ]


STAGE = Stage(
    name="decompose",
    config=DecomposeConfig,
    inputs={
        "fits": Input("fit", "FIT", "what fit wrote", many=True, named=True, ordered=True),
        "dataset": Input("dataset", "DATASET", "what filter wrote", option=True),
        "truth": Input("logs", "LOGS", "what simulate wrote: the true robot", option=True),
    },
    output="decomposition",
    origin=__name__,
    uses=(
        "robotid.contracts",
        "robotid.dynamics",
        "robotid.information.layout",
        "robotid.information.projection",
        "robotid.information.samples",
        "robotid.models",
        "robotid.reporting",
        "robotid.robot",
        "robotid.spatial",
        "robotid.types",
    ),
    libraries=("jinja2", "numpy", "pyarrow.parquet", "pydantic", "safetensors.torch", "torch"),
    extras=("mujoco",),
    run=run,
)
