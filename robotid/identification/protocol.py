"""What results say of a training's target, and of learning in the order of time."""

import math
from collections.abc import Sequence

from robotid.contracts.fit import Metrics, OnlinePoint, Status
from robotid.contracts.words import DATA
from robotid.errors import Notice
from robotid.evaluation.scores import metric
from robotid.fitting.options import FitOptions
from robotid.models.learning import Seen


def online_points(curve: Sequence[Seen], joints: Sequence[str]) -> list[OnlinePoint]:
    """The curve as a result states it; errors that are no finite numbers have no value."""
    found = []
    for seen, errors in curve:
        known = (value if math.isfinite(value) else None for value in errors.tolist())
        by_joint = dict(zip(joints, known, strict=True))
        found.append(OnlinePoint(seen=seen, nmse_var=metric(by_joint)))
    return found


def target_notices(options: FitOptions, status: Status, metrics: Metrics) -> list[Notice]:
    """A remark where a target was not reached, with the joints that are still above it."""
    if status.reached is not False or options.target is None:
        return []
    split = "val" if "val" in metrics else "train"
    above = {
        joint: error
        for joint, error in metrics[split]["nmse_var"].joints.items()
        if error is not None and error > options.target
    }
    said = (
        f"nmse_var {options.target:g} was not reached on every joint in {status.iterations} epochs"
    )
    if above:
        shown = ", ".join(f"{joint} {error:.3g}" for joint, error in above.items())
        said += f"; what was kept has {shown} on {DATA[split]}"
    hint = "more epochs, more patience, another rate, or a higher target"
    return [Notice(code="target-not-reached", message=said, hint=hint)]
