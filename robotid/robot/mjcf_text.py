"""MJCF reduced to its dynamics: what only draws, collides or measures is blanked out.

What is left needs no mesh, texture or other file, so MuJoCo reads nothing but the text it is given.
Blanks keep every line where it was, so MuJoCo's messages name lines of the user's file.
"""

from collections.abc import Iterator

from robotid.robot.byte_edits import ByteEdit, apply_edits, attribute_spans, blanked, whole
from robotid.robot.xml_source import Element, XmlSource

_SECTIONS = {"compiler", "option", "default", "worldbody", "actuator"}
_IN_BODIES = {"body", "frame", "inertial", "joint", "freejoint", "geom"}
_IN_DEFAULTS = {"default", "joint", "geom"} | {
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
}  # fmt: skip
_NOT_READ = {"composite", "flexcomp", "attach", "replicate"}
_WORDS = ("name", "class", "childclass", "model", "joint")
_OTHER_FILES = ("material", "mesh", "hfield")


def dynamics_only(source: XmlSource, with_shapes: bool = False) -> bytes:
    """The text of a model without anything that does not matter for its motion.

    `with_shapes` keeps all geoms that need no other file.
    """
    for element in source.root.walk():
        if element.tag == "include":
            hint = "write it as one file with MuJoCo: MjSpec.from_file(FILE).to_xml()"
            said = "a robot is one file; <include> is not followed"
            source.fail("include", said, element, hint=hint)
        for name, value in element.attributes.items():
            # MuJoCo would take it, and leave a log file in the working folder.
            if name not in _WORDS and "nan" in value.lower().split():
                source.fail("bad-number", f"<{element.tag}>: {name} is not a number", element)
    return apply_edits(source.data, _edits(source, with_shapes))


def _edits(source: XmlSource, with_shapes: bool) -> Iterator[ByteEdit]:
    compilers = source.root.all("compiler")
    from_geoms = next(
        (c.attributes["inertiafromgeom"] for c in compilers if "inertiafromgeom" in c.attributes),
        "auto",
    )
    defaults = geom_defaults(source.root)
    for section in source.root.children:
        if section.tag not in _SECTIONS:
            yield blanked(source.data, *whole(source.data, section))
        elif section.tag == "actuator":
            for child in section.children:
                if "joint" not in child.attributes or child.tag == "plugin":
                    yield blanked(source.data, *whole(source.data, child))
        elif section.tag == "default":
            yield from _default_edits(source, section)
        elif section.tag == "worldbody":
            yield from _body_edits(source, section, from_geoms, defaults, with_shapes)


def _default_edits(source: XmlSource, section: Element) -> Iterator[ByteEdit]:
    for child in section.children:
        if child.tag not in _IN_DEFAULTS:
            yield blanked(source.data, *whole(source.data, child))
        elif child.tag == "default":
            yield from _default_edits(source, child)
        elif child.tag == "geom":
            yield from _without_files(source, child)


def _body_edits(
    source: XmlSource,
    world: Element,
    from_geoms: str,
    defaults: dict[str, dict[str, str]],
    with_shapes: bool,
) -> Iterator[ByteEdit]:
    """Blank geoms that give no inertia; refuse those that need a mesh to give it."""
    # With each element: the body it belongs to, whether that takes inertia from geoms, its class.
    pending = [(child, world, False, "main") for child in world.children]
    while pending:
        element, body, needs_geoms, style = pending.pop()
        attributes = element.attributes
        if element.tag in _NOT_READ:
            said = f"<{element.tag}> is not read: a robot is the bodies that stand in its file"
            source.fail("not-read", said, element, hint="write them out, or remove them")
        if element.tag not in _IN_BODIES:
            yield blanked(source.data, *whole(source.data, element))
        elif element.tag in ("body", "frame"):
            style = attributes.get("childclass", style)
            if element.tag == "body":
                explicit = bool(element.all("inertial")) and from_geoms != "true"
                body, needs_geoms = element, not explicit and from_geoms != "false"
            pending += [(child, body, needs_geoms, style) for child in element.children]
        elif element.tag == "geom":
            known = {**defaults.get(attributes.get("class", style), {}), **attributes}
            needs_file = "mesh" in known or "hfield" in known
            weightless = "0" in (known.get("mass"), known.get("density"))
            if needs_geoms and needs_file and not weightless:
                name = body.attributes.get("name", "?")
                said = f"body {name!r} takes its inertia from a mesh, which is not read"
                hint = "give the body an <inertial>, as MjSpec.to_xml() of the compiled model does"
                source.fail("inertia-from-mesh", said, element, hint=hint)
            if (needs_geoms or with_shapes) and not needs_file:
                yield from _without_files(source, element)
            else:
                yield blanked(source.data, *whole(source.data, element))


def _without_files(source: XmlSource, element: Element) -> Iterator[ByteEdit]:
    """Blank the attributes that name an asset."""
    for name, (start, end) in attribute_spans(source.data, element).items():
        if name in _OTHER_FILES:
            begin = source.data.rindex(name.encode(), element.offset, start)
            yield blanked(source.data, begin, end + 1)


def geom_defaults(root: Element) -> dict[str, dict[str, str]]:
    """What geoms of each default class have, inherited attributes included."""
    found: dict[str, dict[str, str]] = {}
    pending: list[tuple[Element, dict[str, str]]] = [(d, {}) for d in root.all("default")]
    while pending:
        element, inherited = pending.pop()
        own = dict(inherited)
        for geom in element.all("geom"):
            own |= geom.attributes
        found[element.attributes.get("class", "main")] = own
        pending += [(child, own) for child in element.all("default")]
    return found
