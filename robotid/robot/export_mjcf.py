"""New link parameters into the text of an MJCF file; all other bytes stay as they are.

`<inertial>` is rewritten as pos, mass and fullinertia (about the centre, in the body's axes); a
body that took its inertia from geoms gets one.
"""

from collections.abc import Mapping

from robotid.errors import ConfigError
from robotid.robot.byte_edits import ByteEdit, apply_edits, indentation, insert_inside, start_tag
from robotid.robot.export_urdf import mass_and_centre, text_of
from robotid.robot.tree import Array
from robotid.robot.xml_source import Element, XmlSource


def edited_mjcf(source: XmlSource, phi: Mapping[str, Array]) -> bytes:
    """The file with the parameters of some bodies replaced."""
    for compiler in source.root.all("compiler"):
        if compiler.attributes.get("inertiafromgeom") == "true":
            said = 'inertiafromgeom="true" makes MuJoCo ignore <inertial>'
            source.fail("inertia-from-geom", said, compiler, hint='set it to "auto"')
    bodies = {
        element.attributes["name"]: element
        for element in source.root.walk()
        if element.tag == "body" and "name" in element.attributes
    }
    for name in phi:
        if name not in bodies:
            said = f"body {name!r} does not stand in the file under this name"
            hint = "give every body a name"
            raise ConfigError("not-in-file", said, file=source.file, hint=hint)
    edits = [_edit(source.data, bodies[name], new) for name, new in phi.items()]
    return apply_edits(source.data, edits)


def _edit(data: bytes, body: Element, phi: Array) -> ByteEdit:
    mass, centre, i = mass_and_centre(body.attributes["name"], phi)
    full = text_of(i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
    text = f'<inertial pos="{text_of(*centre)}" mass="{mass}" fullinertia="{full}"'
    for inertial in body.all("inertial"):
        start, end = start_tag(data, inertial)
        close = "/>" if data[end - 2 : end] == b"/>" else ">"
        return ByteEdit(start, end, (text + close).encode())
    break_ = indentation(data, body.children[0] if body.children else body)
    return insert_inside(data, body, f"{break_}{text}/>")
