"""What a robot keeps away from, as a user asks for it: from configuration to `Clearances`."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from robotid.errors import ConfigError, Notice
from robotid.excitation.capsules import Solids
from robotid.excitation.clearance import AbovePlane, Apart, Clearances, OutsideBox, Rule
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.possible import check_possible
from robotid.excitation.reach import NO_REACH, Ranges
from robotid.excitation.regions import ALL, Region, pair_of, region_of
from robotid.excitation.unguarded import GIVE, gaps, unguarded
from robotid.robot.shapes import Shapes
from robotid.robot.tree import RobotTree

NO_SHAPES = Shapes()


class Kept(NamedTuple):
    """Distances to keep, what the user should know of them, and links that none is about."""

    clearances: Clearances
    notices: tuple[Notice, ...]
    unguarded: tuple[str, ...] = ()


def kept_apart(
    robot: RobotTree,
    options: ExcitationOptions,
    shapes: Shapes = NO_SHAPES,
    ranges: Ranges | None = None,
) -> Kept:
    """All distances that the options ask for and a motion can change; there may be none.

    Args:
        robot: with a fixed base, if anything is asked for.
        options: see the keys from `floor` to `clearance`.
        shapes: of the robot file; capsules of the options replace them link by link.
        ranges: of the joints; by default the robot's.
    """
    asked = any((options.keep_in, options.keep_out, options.floor is not None))
    solids = Solids(robot, options.capsules, shapes.capsules)
    for link in set[str]().union(*map(pair_of, options.may_touch)):
        solids.check("may_touch", link)
    if not asked and not options.self_collision:
        return Kept(Clearances(robot, [], []), (), unguarded(robot, None, []))
    regions = [region_of("keep_in", text) for text in options.keep_in]
    regions += [region_of("keep_out", text) for text in options.keep_out]
    rules: list[Rule] = []
    must: list[bool] = []  # whether a rule counts although no motion changes it
    for number, region in enumerate(regions):
        rules += _of_region(solids, region, number - len(options.keep_in) + 1, options.clearance)
        must += [region.frame != ALL] * (len(rules) - len(must))
    if options.floor is not None:
        which = solids.meant("floor", ALL)
        named = [(f"{solids.all[k].name} above the floor", k) for k in which]
        rules += [AbovePlane(name, k, 2, 1.0, options.floor) for name, k in named]
    if options.self_collision:
        rules += _pairs(robot, solids, options.may_touch)
    must += [False] * (len(rules) - len(must))
    known = Ranges.of(robot) if ranges is None else ranges
    every = Clearances(robot, solids.all, rules, options.clearance, known)
    changes = every.reach().max(1) > NO_REACH
    counts = [bool(change or needed) for change, needed in zip(changes, must, strict=True)]
    check_possible(every, counts, robot, known)
    kept = [rule for rule, change in zip(rules, changes, strict=True) if change]
    result = Clearances(robot, solids.all, kept, options.clearance, known)
    notices = tuple(gaps(solids, shapes, regions, options))
    return Kept(result, notices, unguarded(robot, solids, rules))


def _of_region(solids: Solids, region: Region, number: int, clearance: float) -> Iterator[Rule]:
    for which in solids.meant(region.key, region.frame, region.radius):
        solid = solids.all[which]
        if region.key == "keep_out":
            name = f"{solid.name} outside box {number}"
            yield OutsideBox(name, which, region.lower, region.upper)
            continue
        margin = solid.radius + clearance
        for axis, letter in enumerate("xyz"):
            low, high = region.lower[axis], region.upper[axis]
            if high - low <= 2 * margin:
                said = (
                    f"keep_in of {region.frame}: the box is {high - low:g} m wide along {letter}, "
                    f"{solid.name} needs more than {2 * margin:g} m"
                )
                hint = f"twice its radius {solid.radius:g} m and the clearance {clearance:g} m"
                raise ConfigError("box-too-small", said, hint=hint)
            yield AbovePlane(f"{solid.name} at {letter} > {low:g} m", which, axis, 1.0, low)
            yield AbovePlane(f"{solid.name} at {letter} < {high:g} m", which, axis, -1.0, high)


def _pairs(robot: RobotTree, solids: Solids, may_touch: Sequence[str]) -> list[Rule]:
    """Capsules of links that are not neighbours."""
    if not solids.capsules:
        said = "self_collision needs capsules; neither the robot file nor the options have any"
        raise ConfigError("no-capsules", said, hint=GIVE)
    free = [set(pair_of(text)) for text in may_touch]
    found: list[Rule] = []
    for a in range(solids.capsules):
        for b in range(a + 1, solids.capsules):
            one, two = solids.all[a], solids.all[b]
            near = one.body == two.body or any(
                _carrier(robot, x) == y for x, y in ((one.body, two.body), (two.body, one.body))
            )
            if not near and {one.link, two.link} not in free:
                found.append(Apart(f"{one.name} - {two.name}", a, b))
    if not found:
        said = "self_collision: no two links with capsules are left that are not neighbours"
        raise ConfigError("no-pairs", said, hint=f"{GIVE}; or allow fewer to touch")
    return found


def _carrier(robot: RobotTree, body: int) -> int:
    """The neighbour that carries a body: the next one that has a mass, or the base."""
    if body < 0:
        return -2
    above = robot.parents[body]
    while above >= 0 and not robot.phi[above].any():  # a joint's empty link
        above = robot.parents[above]
    return above
