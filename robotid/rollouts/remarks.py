"""What to know of the motions of a fit, in words."""

from robotid.contracts.fit_data import Remark
from robotid.contracts.rollout import LEAST_GROWTH, FitRollout

DIVERGED, ENERGY_GROWS = "diverged", "energy-grows"


def remarks_of(found: FitRollout, starts: int) -> list[Remark]:
    """What to know, what matters most first."""
    said = [*_divergence(found, starts)]
    if found.energy_growth is not None and found.energy_growth > LEAST_GROWTH:
        said.append(
            Remark(
                code=ENERGY_GROWS,
                message=f"the energy of a robot that nobody drives grows by "
                f"{100 * found.energy_growth:.3g} % of its range",
                hint="an actuator of friction, such as coulomb, cannot add energy"
                if found.energy == "unbounded"
                else "take a smaller step_s or tolerance",
            )
        )
    motions = {"under recorded commands": found.driven, "without a command": found.uncontrolled}
    for how, moved in motions.items():
        if moved is not None and moved.limit_left is not None:
            left = moved.limit_left
            said.append(
                Remark(
                    code="limits-left",
                    message=f"motions {how} leave the limits of {left.joint}, first after "
                    f"{left.time_s:.3g} s (start {left.start})",
                    joint=left.joint,
                    hint="the model knows no end stops",
                )
            )
    if found.most_halvings:
        said.append(
            Remark(
                code="step-halved",
                message="the integrator halved its step where friction is stiff or motion is fast: "
                f"{100 * found.halved:.3g} % of the steps, at most {found.most_halvings} times",
            )
        )
    return said


def _divergence(found: FitRollout, starts: int) -> list[Remark]:
    motions = {"under recorded commands": found.driven, "without a command": found.uncontrolled}
    return [
        Remark(
            code=DIVERGED,
            message=f"{moved.diverged} of {starts} motions {how} diverge, the first after "
            f"{moved.first_diverged_s:.3g} s",
            hint="nothing this model says after that means anything",
        )
        for how, moved in motions.items()
        if moved is not None and moved.diverged
    ]
