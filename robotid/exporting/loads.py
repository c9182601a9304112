"""Whether files of a fit hold a load, and whether they may."""

from collections.abc import Collection

from robotid.contracts.fit import FitResult
from robotid.errors import BadDataError, Notice
from robotid.models.from_fit import FittedRobot
from robotid.robot.options import RobotOptions


def refuse_doubtful_load(fit: FitResult) -> None:
    """Refuse a fit of a load that is not there, or not like that: its links hold it as well."""
    reasons = [reason for reason in fit.verdict.reasons if reason.code.startswith("load-")]
    if fit.payload is not None and reasons:
        raise BadDataError("fit-not-usable", fit.verdict.sentence, hint=reasons[0].hint)


def load_included(fitted: FittedRobot, formats: Collection[str]) -> list[Notice]:
    """Say which files are of robot and load together: else it is set a second time.

    The user's own robot file is without payloads that were given to the fit, but with one it found.
    """
    fit = fitted.fit
    if fit.payload is not None:
        without, load = {"payload"}, f"the load of {fit.payload.mass[0]:.3g} kg that was found"
    elif RobotOptions.model_validate(fit.robot.options).payload:
        without, load = {"payload", fitted.robot.description.format}, "the payload of the fit"
    else:
        return []
    files = [name for name in formats if name not in without]
    if not files:
        return []
    said = f"{', '.join(files)}: link parameters hold {load}"
    hint = "set no payload where they are used; for the robot alone, export the fit without it"
    return [Notice(code="load-included", message=said, hint=hint)]
