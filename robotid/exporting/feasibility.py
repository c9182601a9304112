"""Which parameters that are to be written no body and no joint can have."""

from collections.abc import Sequence
from typing import NamedTuple

from robotid.errors import BadDataError, Notice
from robotid.exporting.outcome import Request
from robotid.models.from_fit import FittedRobot
from robotid.robot.export import file_shares
from robotid.robot.physical import violations

_SHOWN = 3
_CONSISTENT = "fit a consistent model (sdp), export json, csv, python or c"


class Impossible(NamedTuple):
    """What cannot be, in words, and what to do about it."""

    said: str
    hint: str


def impossible_bodies(fitted: FittedRobot) -> dict[str, Impossible]:
    """Bodies of the fit, payloads included, by link."""
    bodies = zip(fitted.robot.tree.links, fitted.model.links, strict=True)
    return {
        link: Impossible(f"link {link!r}: {said}", _CONSISTENT)
        for link, phi in bodies
        for said in violations(phi)
    }


def impossible_links(fitted: FittedRobot) -> dict[str, Impossible]:
    """The same, and links of the user's own file of which payloads and others leave no body."""
    found = impossible_bodies(fitted)
    whole = "mjcf, " if fitted.robot.description.format == "urdf" else ""
    hint = f"export {whole}json, csv, python or c, which hold all of it together"
    for link, notice in file_shares(fitted.robot, fitted.model.links).impossible.items():
        found.setdefault(link, Impossible(notice.message, f"{notice.hint}; {hint}"))
    return found


def negative_friction(fitted: FittedRobot) -> list[Impossible]:
    """Parameters of joints that would drive the motion they should resist."""
    model = fitted.model
    return [
        Impossible(f"{column.name} is negative: {value:.6g}", _CONSISTENT)
        for column, value in zip(model.layout.own, model.own, strict=True)
        if value < 0 and column.positive
    ]


def refuse_infeasible(
    request: Request, file: str, found: Sequence[Impossible]
) -> tuple[Notice, ...]:
    """Refuse to write what cannot be, unless that was asked for; then say it."""
    if not found:
        return ()
    if not request.allow_infeasible:
        said = f"{file} would hold what cannot exist: {_listed(found)}"
        raise BadDataError("infeasible", said, hint=f"{found[0].hint}, or --allow-infeasible")
    message = f"{file} holds what cannot exist: {_listed(found)}"
    return (Notice(code="infeasible", message=message, hint="simulators may refuse it"),)


def refuse_in_mujoco(request: Request, file: str, found: Sequence[Impossible]) -> None:
    """Refuse links that MuJoCo does not read: the file could neither be checked nor used."""
    if found:
        own = "urdf, " if request.fitted.robot.description.format == "urdf" else ""
        said = f"{file} would hold what MuJoCo does not read: {_listed(found)}"
        raise BadDataError("infeasible", said, hint=f"export {own}json, csv, python or c")


def _listed(found: Sequence[Impossible]) -> str:
    more = len(found) - _SHOWN
    said = "; ".join(one.said for one in found[:_SHOWN])
    return f"{said}; and {more} more" if more > 0 else said
