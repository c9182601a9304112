"""Why the robot file is no baseline of a fit."""

from robotid.contracts.fit import AnyFit
from robotid.reporting.view import View
from robotid.reporting.words import listed
from robotid.robot.physical import check_bodies, violations

_MOST = 3  # faults that are named


def no_baseline(view: View[AnyFit]) -> str | None:
    """What the file lacks to predict anything; None where it is a baseline, or lacks nothing."""
    if "nominal" in view.fit.baselines:
        return None
    robot = view.robot
    faults = [notice.message for notice in check_bodies(robot)]
    faults += [
        f"link {link!r}: {said.partition(':')[0]}"
        for link, phi in zip(robot.links, robot.phi, strict=True)
        for said in violations(phi)
    ]
    if not faults:
        return None
    more = [f"{len(faults) - _MOST} more"] if len(faults) > _MOST else []
    said = listed([*faults[:_MOST], *more])
    return (
        f"The robot file is no baseline here, for it cannot predict {view.quantity.names}: {said}."
    )
