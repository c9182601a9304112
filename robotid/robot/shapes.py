"""Capsules around the links of a robot, from the collision geometry in its file; meshes never.

Every primitive gets one capsule that holds all of it. Boxes and cylinders get the one of least
volume among those along one of their own axes.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from robotid.errors import Notice
from robotid.robot.geometry import pose, rotation_rpy
from robotid.robot.load import Loaded
from robotid.robot.numbers import needed, number, only, vector
from robotid.robot.shapes_mjcf import read_mjcf_shapes
from robotid.robot.solids import Capsule, Primitive, around, mesh_not_read, placed
from robotid.robot.tree import Array, RobotTree
from robotid.robot.xml_source import Element, XmlSource, parse_xml

_ZERO = (0.0, 0.0, 0.0)


class Shapes(NamedTuple):
    """Collision geometry of a robot.

    Args:
        capsules: around links, each in the frame of its link.
        unread: of links with meshes, what is to be said where nobody gives a capsule instead.
        notices: what else was found.
    """

    capsules: tuple[Capsule, ...] = ()
    unread: Mapping[str, Notice] = MappingProxyType({})
    notices: tuple[Notice, ...] = ()


def read_shapes(loaded: Loaded) -> Shapes:
    """Capsules around the links that a loaded robot has, in the frames of the links."""
    source = parse_xml(loaded.data, str(loaded.path))
    here = frozenset(link_frames(loaded.tree))
    if loaded.description.format == "mjcf":
        found, unread, notices = read_mjcf_shapes(source)
    else:
        (found, unread), notices = _urdf_shapes(source), ()
    return Shapes(
        tuple(capsule for capsule in found if capsule.link in here),
        {link: notice for link, notice in unread.items() if link in here},
        notices,
    )


def link_frames(tree: RobotTree) -> dict[str, tuple[int, Array]]:
    """Of every link of a robot: the body that carries it (-1: the base) and its pose in it."""
    frames = {name: (body, np.eye(4)) for body, name in enumerate(tree.links)}
    frames |= {link.name: (link.body, link.placement) for link in tree.fixed}
    return frames if tree.base in frames else {tree.base: (-1, np.eye(4)), **frames}


def _urdf_shapes(source: XmlSource) -> tuple[list[Capsule], dict[str, Notice]]:
    capsules: list[Capsule] = []
    unread: dict[str, Notice] = {}
    for link in source.root.all("link"):
        name = link.attributes["name"].strip()
        for collision in link.all("collision"):
            primitive = _urdf_primitive(source, needed(source, collision, "geometry"))
            if primitive is None:
                unread.setdefault(name, mesh_not_read(name, source.file, collision.line))
                continue
            origin = only(source, collision, "origin")
            rotation = rotation_rpy(*vector(source, origin, "rpy", _ZERO))
            placement = pose(rotation, vector(source, origin, "xyz", _ZERO))
            capsules.append(placed(name, around(primitive), placement))
    return capsules, unread


def _urdf_primitive(source: XmlSource, geometry: Element) -> Primitive | None:
    """The primitive of a `<geometry>`; None is a mesh."""
    if len(geometry.children) != 1:
        source.fail("bad-shape", "<geometry> needs one shape", geometry)
    shape = geometry.children[0]
    if shape.tag == "mesh":
        return None
    if shape.tag == "box":
        if "size" not in shape.attributes:
            source.fail("missing-attribute", '<box> needs size="…"', shape)
        half = tuple(side / 2 for side in vector(source, shape, "size", _ZERO))
    elif shape.tag == "sphere":
        half = (number(source, shape, "radius"),)
    elif shape.tag in ("cylinder", "capsule"):
        half = (number(source, shape, "radius"), number(source, shape, "length") / 2)
    else:
        hint = "box, cylinder, sphere, capsule and mesh are known"
        source.fail("bad-shape", f"<{shape.tag}> is no shape of a link", shape, hint=hint)
    if min(half) < 0:
        source.fail("bad-shape", f"<{shape.tag}> has a negative size", shape)
    return Primitive(shape.tag, half)
