"""Which parameters of a fit no body and no joint can have."""

from robotid.errors import BadDataError, Notice
from robotid.exporting.outcome import Request
from robotid.models.from_fit import FittedRobot
from robotid.robot.physical import violations


def infeasible(fitted: FittedRobot) -> list[str]:
    """What cannot be, in words: link by link, then joint by joint."""
    model, robot = fitted.model, fitted.robot.tree
    if model.full:
        return ["inertias of nine entries each are not symmetric"]
    found = [
        f"link {link!r}: {said}"
        for link, phi in zip(robot.links, model.links, strict=True)
        for said in violations(phi)
    ]
    for column, value in zip(model.layout.own, model.own, strict=True):
        if value < 0 and column.positive:
            found.append(f"{column.name} is negative: {value:.6g}")
    return found


def refuse_infeasible(request: Request, what: str) -> tuple[Notice, ...]:
    """Refuse to write what cannot be, unless that was asked for; then say it."""
    found = infeasible(request.fitted)
    if not found:
        return ()
    said = "; ".join(found[:3]) + (f"; and {len(found) - 3} more" if len(found) > 3 else "")
    if not request.allow_infeasible:
        hint = "fit a consistent model (sdp), export json, csv, python or c, or --allow-infeasible"
        raise BadDataError("infeasible", f"{what} would hold what cannot exist: {said}", hint=hint)
    message = f"{what} holds what cannot exist: {said}"
    return (Notice(code="infeasible", message=message, hint="simulators may refuse it"),)
