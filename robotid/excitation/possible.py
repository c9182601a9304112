"""Whether distances can be kept at all: what is wrong is said before any search."""

from collections.abc import Sequence

import numpy as np

from robotid.errors import ConfigError
from robotid.excitation.clearance import AbovePlane, Apart, Clearances
from robotid.excitation.reach import Array, Ranges, where
from robotid.robot.tree import RobotTree

_POSTURES = 2000


def check_possible(
    clearances: Clearances, counts: Sequence[bool], robot: RobotTree, ranges: Ranges
) -> None:
    """Refuse what no posture within the ranges fulfils.

    That a plane or box is out of reach is proven. That two links overlap always is taken from
    random postures, of which none has them apart.

    Args:
        clearances: all that is asked for.
        counts: by rule; what does not count is not looked at.
        robot: its robot.
        ranges: of its joints.
    """
    middle, half = _middle(ranges)
    best = clearances.at(middle[None])[0] + clearances.reach() @ half
    for k, (rule, name) in enumerate(zip(clearances.rules, clearances.names, strict=True)):
        if not counts[k]:
            continue
        solid = clearances.solids[rule.which]
        if isinstance(rule, AbovePlane):
            balls = where(robot, ranges, solid.body, solid.ends)
            highest = float((rule.sign * balls.centre[:, rule.axis] + balls.radius).min())
            offset = rule.sign * rule.at + solid.radius + clearances.clearance
            best[k] = min(best[k], highest - offset)
        if best[k] < 0:
            said = f"{name}: out of reach; every posture lacks at least {-best[k]:.3g} m"
            raise ConfigError("out-of-reach", said, hint="move it, or reduce radius and clearance")
    postures = np.random.default_rng(0).uniform(-1, 1, (_POSTURES, robot.n)) * half + middle
    nearest = clearances.at(postures).max(0)
    stuck = [
        (rule, float(-nearest[k]))
        for k, rule in enumerate(clearances.rules)
        if isinstance(rule, Apart) and counts[k] and nearest[k] < 0
    ]
    if stuck:
        said = ", ".join(f"{rule.name} (by {depth:.3g} m or more)" for rule, depth in stuck)
        solids = clearances.solids
        pairs = {f"{solids[r.which].link},{solids[r.other].link}": None for r, _ in stuck}
        raise ConfigError(
            "always-touching",
            f"closer than the clearance in each of {_POSTURES} random postures: {said}",
            hint=f"make their capsules thinner, or let them touch: may_touch = {' '.join(pairs)}",
        )


def _middle(ranges: Ranges) -> tuple[Array, Array]:
    """Middles and half widths of the ranges; a joint that turns freely has one turn."""
    width = ranges.upper - ranges.lower
    free = ~np.isfinite(width)
    with np.errstate(invalid="ignore"):
        middle = np.where(free, np.clip(0.0, ranges.lower, ranges.upper), ranges.lower + width / 2)
    return middle, np.where(free, np.pi, width / 2)
