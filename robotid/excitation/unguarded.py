"""What nothing keeps apart: links that the distances of a design leave out, in words."""

from collections.abc import Iterator, Sequence

from robotid.errors import Notice
from robotid.excitation.capsules import Solids
from robotid.excitation.clearance import Apart, Rule
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.regions import ALL, Region
from robotid.robot.shapes import Shapes
from robotid.robot.tree import RobotTree

GIVE = "give some: capsules = LINK:X0,Y0,Z0,X1,Y1,Z1,RADIUS"


def unguarded(robot: RobotTree, solids: Solids | None, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Moving links with a mass that no distance is about."""
    about: set[int] = set()
    if solids is not None:
        for rule in rules:
            about.add(solids.all[rule.which].body)
            if isinstance(rule, Apart):
                about.add(solids.all[rule.other].body)
    heavy = robot.phi[:, 0] > 0
    return tuple(n for b, n in enumerate(robot.links) if heavy[b] and b not in about)


def left_out(links: Sequence[str]) -> Iterator[Notice]:
    """The same in a sentence, for who runs the motion."""
    if links:
        said = f"no distance is kept of {', '.join(links)}: neither floor, boxes nor other links"
        hint = "see floor, keep_in, keep_out and self_collision; or clear the cell"
        yield Notice(code="not-guarded", message=said, hint=hint)


def gaps(
    solids: Solids, shapes: Shapes, regions: Sequence[Region], options: ExcitationOptions
) -> Iterator[Notice]:
    """Where less is kept apart than was asked for, because links have no capsules."""
    everywhere = options.floor is not None or any(region.frame == ALL for region in regions)
    if everywhere or options.self_collision:
        yield from _of_all(solids, shapes, everywhere, options.self_collision)
    for region in regions:
        bare = region.radius is None and region.frame not in (ALL, *solids.of_link)
        if region.key == "keep_out" and bare:
            said = f"keep_out of {region.frame}: it has no capsule, only its origin stays outside"
            hint = f"add a radius, or {GIVE}"
            yield Notice(code="origin-only", message=said, hint=hint)


def _of_all(
    solids: Solids, shapes: Shapes, everywhere: bool, self_collision: bool
) -> Iterator[Notice]:
    yield from shapes.notices
    yield from (said for link, said in shapes.unread.items() if link not in solids.given)
    bare = solids.bare()
    if not solids.capsules:
        said = "no link has a capsule: floor and boxes hold for the origins of links only"
        yield Notice(code="frames-only", message=said, hint=GIVE)
    elif bare:
        kept = "floor and boxes hold for their origins only" if everywhere else ""
        free = "nothing keeps them from other links" if self_collision else ""
        said = f"there is no capsule around {', '.join(bare)}: "
        yield Notice(
            code="no-capsule", message=said + ", ".join(filter(None, (kept, free))), hint=GIVE
        )
