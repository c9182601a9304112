"""The verdict on a learned model of torques: its parts, how well it predicts, what not to trust."""

from robotid.contracts.learned import LearnedResult
from robotid.reporting.architecture import described
from robotid.reporting.numbers import whole
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
from robotid.reporting.view import LearnedView


def section(view: LearnedView) -> Verdict:
    """The verdict; every fit has one."""
    fit = view.fit
    weights = Tile("learned", whole(fit.learning.weights), "weights and parameters")
    return Verdict(
        tiles=[*error_tiles(view), weights, recordings_tile(fit)],
        identified=_learned(fit),
        predicted=predicted(view),
        findings=findings(fit),
    )


def _learned(fit: LearnedResult) -> list[str]:
    learning = fit.learning
    said = [
        f"The torques of {robot_of(fit)} with model {fit.model}, from {training_data(fit)}.",
        f"Its parts: {described(fit.architecture)}.",
    ]
    if fit.architecture.frozen:
        said.append("The body was fitted first and stayed as it was while the rest was trained.")
    if learning.length > 1:
        left = f"; {whole(learning.left_out)} samples were in none" if learning.left_out else ""
        said.append(
            f"It was trained on {whole(learning.units)} sequences of {learning.length} samples"
            f"{left}, and is judged on whole stretches, each from rest."
        )
    if learning.validated_by == "end":
        said.append(
            "No recording was for validation: the ends of the training data told when to stop."
        )
    return [*said, *links_exist(fit), ended(fit.status)]
