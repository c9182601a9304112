"""`excitation.html`: a design as one page that opens anywhere."""

from typing import NamedTuple

import numpy as np

from robotid.contracts.excitation import Excitation, PlannedTrajectory
from robotid.reporting.environment import environment, policy
from robotid.reporting.excitation.certificate import PROOFS, closest_first, kept
from robotid.reporting.excitation.criteria import CRITERIA
from robotid.reporting.excitation.expected import BADLY, WELL, charts, expected, in_words
from robotid.reporting.excitation.signals import Torques, shown
from robotid.signals.planned import PlannedMotion

PAGE = "excitation.html"


def render_design(design: Excitation, torques: Torques | None = None) -> str:
    """The design as one HTML document.

    Args:
        design: the design.
        torques: those of the nominal model, to be drawn as well.
    """
    parameters, lines = expected(design), closest_first(design)
    return (
        environment()
        .get_template("excitation.html.j2")
        .render(
            design=design,
            policy=policy(),
            kept=kept(lines),
            closest=lines[0] if lines else None,
            lines=lines,
            proofs={proof: said for proof, said in PROOFS.items() if _used(proof, design)},
            criteria=CRITERIA,
            parameters=parameters,
            in_words=in_words(parameters),
            charts=charts(parameters),
            well=WELL,
            badly=BADLY,
            shown=[shown(design, trajectory, torques) for trajectory in design.trajectories],
            begins=[_begin(design, trajectory) for trajectory in design.trajectories],
            marked=any(t.ramp_in or t.ramp_out for t in design.trajectories),
            options={name: _text(value) for name, value in sorted(design.options.items())},
        )
    )


class Begin(NamedTuple):
    """Where a trajectory begins and ends, a value for each joint."""

    name: str
    posture: list[float]


def _begin(design: Excitation, trajectory: PlannedTrajectory) -> Begin:
    posture = PlannedMotion(trajectory, tuple(design.joints)).at(np.zeros(1)).q[0]
    return Begin(trajectory.name, (posture + 0.0).tolist())


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _used(proof: str, design: Excitation) -> bool:
    return any(line.proof == proof for t in design.trajectories for line in t.certificate)
