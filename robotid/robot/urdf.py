"""URDF, read without any robotics library: links, joints, inertias, limits; meshes never.

Parts come depth first, the joints of a link in the order of the file. `<inertia>` is about the
centre of mass, in the axes of the inertial `<origin>`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast, get_args

import numpy as np

from robotid.errors import BadDataError, Notice, RobotidError, nearest
from robotid.robot.assembly import Assembly, Part
from robotid.robot.description import Description
from robotid.robot.geometry import phi_from, pose, rotation_rpy
from robotid.robot.numbers import name_of, needed, number, only, vector
from robotid.robot.tree import STANDARD_GRAVITY, Array, Joint, JointKind, Limits
from robotid.robot.xml_source import Element, XmlSource

MAX_LINKS = 1000
_MOVING = get_args(JointKind)
_ZERO = (0.0, 0.0, 0.0)


def read_urdf(source: XmlSource) -> Description:
    """The robot that a URDF file describes."""
    _refuse_xacro(source)
    links = _by_name(source, "link")
    joints = _by_name(source, "joint")
    if not links:
        source.fail("empty-robot", "there is no <link>", source.root)
    if len(links) > MAX_LINKS or len(joints) > MAX_LINKS:
        source.fail("too-large", f"more than {MAX_LINKS} links or joints", source.root)
    notices: list[Notice] = []
    _add_world(source, links, joints, notices)
    parents = _parents(source, links, joints)
    base = _base(source, links, parents)
    children: dict[str, list[str]] = {link: [] for link in links}
    for above, via in parents.values():
        children[above].append(via)
    parts = [Part(base, -1, np.eye(4), None, _phi(source, links[base]))]
    pending = [(0, joint) for joint in reversed(children[base])]
    while pending:  # a stack: depth first
        parent, name = pending.pop()
        element = joints[name]
        child = needed(source, element, "child").attributes["link"].strip()
        joint = _joint(source, name, element, notices)
        alone = parent == 0 and len(children[base]) == 1 and not parts[0].phi.any()
        if joint is not None and joint.kind == "floating" and not alone:
            said = f"joint {name!r} floats, but its parent is not an empty link with no other child"
            hint = "only the whole robot may float: on a link without <inertial>"
            source.fail("floating-joint", said, element, joint=name, hint=hint)
        placement = _pose(source, only(source, element, "origin"))
        pending += [(len(parts), below) for below in reversed(children[child])]
        parts.append(Part(child, parent, placement, joint, _phi(source, links[child])))
    robot = source.root.attributes.get("name", "").strip() or "robot"
    return Description(
        file=source.file,
        format="urdf",
        assembly=Assembly(robot, tuple(parts), np.array(STANDARD_GRAVITY)),
        link_lines={name: link.line for name, link in links.items()},
        not_modelled=_mimics(source, joints),
        notices=tuple(notices),
    )


def _refuse_xacro(source: XmlSource) -> None:
    """A leftover `xmlns:xacro` of an expanded file is fine; what is not expanded is not."""
    for element in source.root.walk():
        values = element.attributes.values()
        if element.tag.startswith("xacro:") or any("${" in v or "$(" in v for v in values):
            refuse_xacro(source.file, element.line)


def refuse_xacro(file: str, line: int | None = None) -> None:
    """Say how a xacro file becomes a URDF."""
    hint = "expand it first: xacro FILE.xacro > FILE.urdf"
    raise BadDataError("xacro", "this is xacro, not yet URDF", file=file, line=line, hint=hint)


def _by_name(source: XmlSource, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in source.root.all(tag):
        name = name_of(source, element)
        if name in found:
            said = f"{tag} {name!r} is already defined in line {found[name].line}"
            source.fail("duplicate-name", said, element)
        found[name] = element
    return found


def _add_world(
    source: XmlSource,
    links: dict[str, Element],
    joints: Mapping[str, Element],
    notices: list[Notice],
) -> None:
    """Some tools hang robots on a link `world` that no file defines: it is what does not move."""
    for name, element in joints.items():
        parent = only(source, element, "parent")
        if "world" in links or parent is None or parent.attributes.get("link") != "world":
            continue
        links["world"] = Element(
            "link", {"name": "world"}, parent.line, parent.column, parent.offset
        )
        said = f"joint {name!r} hangs on a link 'world' that is not defined: taken as what is fixed"
        place = Notice(code="implicit-world", message=said, file=source.file, line=parent.line)
        notices.append(replace(place, joint=name))


def _parents(
    source: XmlSource, links: Mapping[str, Element], joints: Mapping[str, Element]
) -> dict[str, tuple[str, str]]:
    """Of each link that has one: the parent link and the joint between them."""
    parents: dict[str, tuple[str, str]] = {}
    for name, element in joints.items():
        ends = []
        for tag in ("parent", "child"):
            end = needed(source, element, tag)
            link = name_of(source, end, "link")
            if link not in links:
                said = f"the {tag} of joint {name!r}, link {link!r}, is not defined"
                source.fail("missing-link", said, end, joint=name, hint=nearest(link, links))
            ends.append(link)
        parent, child = ends
        if child in parents:
            said = f"link {child!r} has two parents: joints {parents[child][1]!r} and {name!r}"
            source.fail("two-parents", said, element, joint=name)
        parents[child] = parent, name
    return parents


def _base(
    source: XmlSource, links: Mapping[str, Element], parents: Mapping[str, tuple[str, str]]
) -> str:
    """The one link without a parent, from which all others can be reached."""
    settled: set[str] = set()
    for start in links:
        path = [start]
        while path[-1] in parents and path[-1] not in settled:
            above = parents[path[-1]][0]
            if above in path:
                loop = [*path[path.index(above) :], above][::-1]
                said = f"links hang on each other in a circle: {' -> '.join(loop[:20])}"
                source.fail("cycle", said, links[above])
            path.append(above)
        settled.update(path)
    roots = [link for link in links if link not in parents]
    if len(roots) > 1:
        said = f"{len(roots)} links have no parent: {', '.join(roots[:5])}"
        hint = "join them with a fixed joint, or remove what does not belong to the robot"
        source.fail("several-roots", said, links[roots[1]], hint=hint)
    return roots[0]


def _joint(source: XmlSource, name: str, element: Element, notices: list[Notice]) -> Joint | None:
    kind = element.attributes.get("type", "").strip()
    if kind == "fixed":
        return None
    if kind not in _MOVING:
        said = f"joint {name!r} is of type {kind!r}"
        hint = f"robotid models {', '.join(_MOVING)} and fixed"
        source.fail("joint-type", said, element, joint=name, hint=hint)
    if kind == "floating":
        return Joint(name, "floating", _ZERO)
    axis_element = only(source, element, "axis")
    axis = np.array(vector(source, axis_element, "xyz", (1.0, 0.0, 0.0)))
    length = np.linalg.norm(axis)
    if length < 1e-9:
        said = f"the axis of joint {name!r} has no direction"
        source.fail("zero-axis", said, axis_element, joint=name)
    x, y, z = (float(share) for share in axis / length)
    dynamics = only(source, element, "dynamics")
    loss = [vector(source, dynamics, which, [0.0])[0] for which in ("damping", "friction")]
    if min(loss) < 0:
        said = f"damping or friction of joint {name!r} is negative"
        source.fail("negative-friction", said, dynamics, joint=name)
    return Joint(
        name=name,
        kind=cast("JointKind", kind),
        axis=(x, y, z),
        limits=_limits(source, name, kind, element, notices),
        damping=loss[0],
        friction=loss[1],
    )


def _limits(
    source: XmlSource, name: str, kind: str, joint: Element, notices: list[Notice]
) -> Limits:
    """Limits of a joint; what a file leaves out is no limit.

    An effort of 0 is a joint without a motor; a speed of 0 is one that nobody filled in.
    """
    element = only(source, joint, "limit")
    if element is None:
        return Limits()
    lower, upper = -np.inf, np.inf
    if kind != "continuous" and {"lower", "upper"} & element.attributes.keys():
        lower, upper = (
            number(source, element, which, 0.0, largest=np.inf) for which in ("lower", "upper")
        )
    if lower > upper:
        said = f"joint {name!r}: lower limit {lower:g} is above the upper, {upper:g}"
        source.fail("bad-limits", said, element, joint=name)
    most = []
    for which in ("velocity", "effort"):
        value = number(source, element, which, np.inf, largest=np.inf)
        if value < 0:
            said = f"joint {name!r}: {which} limit {value:g} is negative"
            source.fail("bad-limits", said, element, joint=name)
        most.append(value)
    if most[0] == 0:
        said = "velocity limit 0 is taken as no limit"
        place = Notice(code="zero-limit", message=said, file=source.file, line=element.line)
        notices.append(replace(place, joint=name))
        most[0] = np.inf
    return Limits(lower, upper, *most)


def _mimics(source: XmlSource, joints: Mapping[str, Element]) -> dict[str, RobotidError]:
    errors: dict[str, RobotidError] = {}
    for name, element in joints.items():
        mimic = only(source, element, "mimic")
        if mimic is not None:
            errors[name] = BadDataError(
                "mimic-joint",
                f"joint {name!r} mimics {mimic.attributes.get('joint', '?')!r}; "
                "robotid models independent joints",
                file=source.file,
                line=mimic.line,
                column=mimic.column,
                joint=name,
                hint=f"lock it at a value ({name}=0), choose a chain without it, or remove <mimic>",
            )
    return errors


def _pose(source: XmlSource, origin: Element | None) -> Array:
    rotation = rotation_rpy(*vector(source, origin, "rpy", _ZERO))
    return pose(rotation, vector(source, origin, "xyz", _ZERO))


def _phi(source: XmlSource, link: Element) -> Array:
    """Parameters of a link about its origin; zeros where there is no `<inertial>`."""
    inertial = only(source, link, "inertial")
    if inertial is None:
        return np.zeros(10)
    mass = number(source, needed(source, inertial, "mass"), "value")
    element = needed(source, inertial, "inertia")
    xx, xy, xz, yy, yz, zz = (
        number(source, element, which) for which in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    placement = _pose(source, only(source, inertial, "origin"))
    rotation = placement[:3, :3]
    return phi_from(mass, placement[:3, 3], rotation @ inertia @ rotation.T)
