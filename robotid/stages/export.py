"""`export`: a fit as robot file, table, payload, or code."""

from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import Field, field_validator, model_validator

from robotid.errors import ConfigError, Effect, Notice, nearest
from robotid.stages.contract import Input, Inputs, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.exporting.outcome import LearnedRequest, Written

_FORMATS = ("urdf", "mjcf", "json", "csv", "payload", "python", "c")


class ExportConfig(StageConfig):
    """Which files to write, and of what."""

    format: tuple[str, ...] = Field(
        default=(),
        description="One or more of urdf, mjcf, json, csv, payload, python, c; by default that of "
        "the robot file, and json; of a learned model c, and nothing else.",
    )
    allow_infeasible: bool = Field(
        default=False, description="Write links and payloads that no rigid body can be."
    )
    allow_unidentified: bool = Field(
        default=False,
        description="Write a payload whose mass or centre of mass the data do not show.",
    )
    payload_frame: str | None = Field(
        default=None,
        description="The link in whose frame a payload is wanted, such as the flange; by default "
        "that of the fit.",
    )

    @field_validator("format")
    @classmethod
    def _known(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        """Names may also come in one word, with commas; their order means nothing."""
        names = [name.strip() for text in given for name in text.split(",") if name.strip()]
        for name in names:
            if name not in _FORMATS:
                raise ValueError(f"no format {name!r}; {nearest(name, _FORMATS)}")
        return tuple(name for name in _FORMATS if name in names)

    @model_validator(mode="after")
    def _of_a_payload(self) -> Self:
        if self.payload_frame is not None and "payload" not in self.format:
            raise ValueError("payload_frame is for format payload")
        return self


def run(config: ExportConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write the files, once all of them are proved, and `export.json`."""
    from robotid.contracts.export import ExportedFile, ExportIndex, write_export_index
    from robotid.exporting.formats import FORMATS
    from robotid.exporting.loads import load_included, refuse_doubtful_load
    from robotid.exporting.outcome import LearnedRequest, Request
    from robotid.models.from_fit import FittedRobot
    from robotid.models.torque_models import read_torque_model

    source = inputs["fit"][0]
    fitted = read_torque_model(source.path)
    notices: list[Notice] = []
    if isinstance(fitted, FittedRobot):
        refuse_doubtful_load(fitted.fit)
        request = Request(
            fitted,
            source.digest,
            allow_infeasible=config.allow_infeasible,
            payload_frame=config.payload_frame,
            allow_unidentified=config.allow_unidentified,
        )
        names = config.format or (fitted.robot.description.format, "json")
        files = {name: FORMATS[name](request) for name in names}
        notices += load_included(fitted, names)
    else:
        files = {"c": _learned(config, LearnedRequest(fitted, source.digest))}
    for written in files.values():
        (out_dir / written.file).write_bytes(written.content)
    fit = fitted.fit
    index = ExportIndex(
        fit_sha256=source.digest,
        model=fit.model,
        robot=fit.robot.name,
        usable=fit.verdict.usable,
        verdict=fit.verdict.sentence,
        files=[
            ExportedFile(
                file=written.file,
                format=name,
                checked=written.checked,
                difference=written.difference,
            )
            for name, written in files.items()
        ],
    )
    write_export_index(out_dir, index)
    notices = [*(notice for one in files.values() for notice in one.notices), *notices]
    if not fit.verdict.usable:
        hint = fit.verdict.reasons[0].hint if fit.verdict.reasons else None
        notices.append(
            Notice(
                code="fit-not-usable",
                message=fit.verdict.sentence,
                hint=hint,
                effect=Effect.QUALITY,
            )
        )
    return notices


def _learned(config: ExportConfig, request: "LearnedRequest") -> "Written":
    """A learned model is code or nothing: no robot file and no table can hold a network."""
    from robotid.exporting.learned_header import learned_header

    others = [name for name in config.format if name != "c"]
    if others:
        said = f"format: a learned model cannot be written as {', '.join(others)}"
        raise ConfigError("format-of-rigid-bodies", said, hint="leave format out, or give c")
    return learned_header(request)


STAGE = Stage(
    name="export",
    config=ExportConfig,
    inputs={"fit": Input("fit", "FIT", "what fit wrote")},
    output="export",
    origin=__name__,
    uses=(
        "robotid.contracts.export",
        "robotid.contracts.finding",
        "robotid.contracts.fit",
        "robotid.contracts.fit_sums",
        "robotid.contracts.fit_text",
        "robotid.contracts.fit_data",
        "robotid.contracts.forces",
        "robotid.contracts.forward",
        "robotid.contracts.learned",
        "robotid.contracts.repair",
        "robotid.contracts.splits",
        "robotid.contracts.versions",
        "robotid.dynamics",
        "robotid.exporting",
        "robotid.information.layout",
        "robotid.models",
        "robotid.robot",
        "robotid.spatial",
    ),
    libraries=("numpy", "pydantic", "safetensors.torch", "torch"),
    extras=("mujoco",),
    run=run,
)
