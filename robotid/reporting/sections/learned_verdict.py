"""The verdict on a learned model of torques: its parts, how well it predicts, what not to trust."""

from robotid.contracts.learned import LearnedResult
from robotid.reporting.architecture import described
from robotid.reporting.numbers import percent, whole
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
        predicted=[*predicted(view), *_beyond(view)],
        findings=findings(fit),
    )


def _beyond(view: LearnedView) -> list[str]:
    """How it does where held-out motions leave those of the training."""
    found = view.fit.beyond
    if found is None or found.beyond is None:
        return []
    said = f"{percent(found.share)} of these samples lie beyond the motions of the training"
    if found.inside is None or found.sdp_inside is None or found.sdp_beyond is None:
        return [f"{said}."]
    said += f": there its error is {found.beyond:.3g} {view.unit}, elsewhere {found.inside:.3g}"
    other = f"{found.sdp_beyond:.3g}, elsewhere {found.sdp_inside:.3g}"
    return [f"{said}; that of a rigid body (sdp) {other}."]


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
    if learning.validated_by == "train":
        said.append(
            "The error of the training data told when to stop: nothing was held out for it."
        )
    return [*said, *_mass(fit), *links_exist(fit), ended(fit.status)]


def _mass(fit: LearnedResult) -> list[str]:
    """What an energy of a floating robot says of its mass."""
    mass = fit.mass
    if mass is None:
        return []
    least, largest = f"{mass.least:.4g}", f"{mass.largest:.4g}"
    said = f"Its energy is that of {mass.mean:.4g} kg (robot file: {mass.nominal:.4g} kg)"
    said += "" if least == largest else f", {least} to {largest} kg as the robot moves"
    entries = f"mass matrix and gravity take {mass.entries} numbers from networks"
    return [f"{said}; {entries} at each configuration."]
