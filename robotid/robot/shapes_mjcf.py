"""Collision geometry of MJCF files: geoms that can touch something, compiled by MuJoCo."""

import numpy as np

from robotid.errors import Notice
from robotid.robot.geometry import pose
from robotid.robot.mjcf import body_names, compiled_mjcf, rotation_of
from robotid.robot.mjcf_text import geom_defaults
from robotid.robot.numbers import LARGEST
from robotid.robot.solids import Capsule, Primitive, around, mesh_not_read, placed
from robotid.robot.xml_source import Element, XmlSource

# mjtGeom, and which of the three sizes of a geom make the half sizes of a primitive.
_PRIMITIVES = {
    2: ("sphere", 1),
    3: ("capsule", 2),
    4: ("ellipsoid", 3),
    5: ("cylinder", 2),
    6: ("box", 3),
}


def read_mjcf_shapes(
    source: XmlSource,
) -> tuple[list[Capsule], dict[str, Notice], tuple[Notice, ...]]:
    """Capsules around links, meshes by link, and what else there is to say.

    What stands in the world is not the robot's.
    """
    model = compiled_mjcf(source, with_shapes=True)
    names = body_names(source, model)
    capsules: list[Capsule] = []
    in_world = False
    for geom in range(model.ngeom):
        body, kind = int(model.geom_bodyid[geom]), int(model.geom_type[geom])
        touches = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        in_world |= touches and body == 0
        if not touches or body == 0 or kind not in _PRIMITIVES:
            continue
        name, sizes = _PRIMITIVES[kind]
        half = tuple(float(size) for size in model.geom_size[geom, :sizes])
        placement = pose(rotation_of(model.geom_quat[geom]), model.geom_pos[geom])
        if not (np.all(np.abs(placement) <= LARGEST) and max(half) <= LARGEST):
            said = f"a geom of body {names[body]!r} is not finite or beyond {LARGEST:g}"
            source.fail("bad-number", said)
        capsules.append(placed(names[body], around(Primitive(name, half)), placement))
    notices: tuple[Notice, ...] = ()
    if in_world:
        said = "geoms of the world are not part of the robot, and nothing is kept away from them"
        hint = "give what matters as keep_out and floor"
        notices = (Notice(code="world-shapes", message=said, file=source.file, hint=hint),)
    return capsules, _meshes(source, names), notices


def _meshes(source: XmlSource, names: list[str]) -> dict[str, Notice]:
    """Findings about geoms that are not read, by link."""
    found: dict[str, Notice] = {}
    defaults = geom_defaults(source.root)
    body = 0  # MuJoCo numbers bodies depth first, in file order
    for world in source.root.all("worldbody"):
        pending: list[tuple[Element, int, str]] = [
            (child, 0, "main") for child in reversed(world.children)
        ]
        while pending:
            element, owner, style = pending.pop()
            if element.tag == "body":
                body += 1
                owner = body
            if element.tag in ("body", "frame"):
                style = element.attributes.get("childclass", style)
                pending += [(child, owner, style) for child in reversed(element.children)]
            if element.tag != "geom" or owner == 0:
                continue
            own = element.attributes
            known = {**defaults.get(own.get("class", style), {}), **own}
            unseen = known.get("contype", "1") == "0" == known.get("conaffinity", "1")
            if ("mesh" in known or "hfield" in known) and not unseen:
                name = names[owner]
                found.setdefault(name, mesh_not_read(name, source.file, element.line))
    return found
