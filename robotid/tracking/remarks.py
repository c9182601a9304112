"""What to know of robots under control, in words."""

from collections.abc import Mapping

from robotid.contracts.fit_data import Remark
from robotid.contracts.tracking import Outcome, TrackedModel

UNSTABLE = "unstable"
_OFTEN = 0.01  # share of the time at the torque limit that is worth a word
_REASONS = {
    "position": "leaves its limits",
    "velocity": "is far too fast",
    "not finite": "is where no number says",
}


def remarks_of(models: Mapping[str, TrackedModel]) -> list[Remark]:
    """What to know, what matters most first."""
    found = [(name, model, outcome) for name, model in models.items() for outcome in model.outcomes]
    said = [_unstable(name, model, own) for name, model, own in found if own.unstable]
    for name, _, own in found:
        if own.saturated is not None and own.saturated > _OFTEN:
            said.append(
                Remark(
                    code="at-torque-limit",
                    message=f"{name}, {_where(own)}: joints are at their torque limit for "
                    f"{own.saturated:.0%} of the time",
                    hint="lower the gain or speed_share, or lengthen durations_s",
                )
            )
    return said


def _unstable(name: str, model: TrackedModel, own: Outcome) -> Remark:
    first = min(own.unstable, key=lambda one: one.time_s)
    hint = (
        "without a model, gains have to carry the weight of the arm"
        if model.kind == "none"
        else "the model is too wrong for this gain, or the gain too high for the sensors and steps"
    )
    return Remark(
        code=UNSTABLE,
        message=f"{name}, {_where(own)}: {len(own.unstable)} of {len(own.by_motion)} motions are "
        f"unstable; {first.joint} {_REASONS[first.reason]} after {first.time_s:.3g} s",
        joint=first.joint,
        hint=hint,
    )


def _where(own: Outcome) -> str:
    return f"{own.gain}, {own.duration_s:g} s"
