"""The verdict on a forward model: what was learned, how well it predicts, what not to trust."""

from robotid.contracts.forward import ForwardResult
from robotid.models.actuators.table import actuator_model
from robotid.reporting.energy import PROMISES
from robotid.reporting.sections.verdict import (
    Tile,
    Verdict,
    ended,
    error_tiles,
    findings,
    links_exist,
    predicted,
    recordings_tile,
    robot_of,
    training_data,
)
from robotid.reporting.view import ForwardView


def section(view: ForwardView) -> Verdict:
    """The verdict; every fit has one."""
    fit = view.fit
    energy = Tile("energy, nobody driving", PROMISES[fit.energy].short, _class(fit))
    return Verdict(
        tiles=[*error_tiles(view), energy, recordings_tile(fit)],
        identified=_learned(fit),
        predicted=predicted(view),
        findings=findings(fit),
    )


def _class(fit: ForwardResult) -> str:
    return "whatever was learned" if PROMISES[fit.energy].certain else "nothing keeps it from that"


def _learned(fit: ForwardResult) -> list[str]:
    model = f"with forward model {fit.model}, from {training_data(fit)}"
    said = [f"Which accelerations commands cause in {robot_of(fit)}, {model}."]
    if fit.links:
        actuator = actuator_model(fit.actuator)
        said.append(f"Between command and links: {actuator.summary} ({actuator.name}).")
        said.append(
            "Where the joints are was learned as well; only their kinds and order are known."
            if fit.kinematics == "learned"
            else "Where the joints are is as the robot file says."
        )
    return [*said, *links_exist(fit), ended(fit.status)]
