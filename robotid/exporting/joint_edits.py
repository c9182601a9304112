"""Friction and rotor inertia of joints into the text of a robot file; all other bytes stay."""

from collections.abc import Iterator, Mapping

from robotid.errors import ConfigError
from robotid.robot.byte_edits import (
    ByteEdit,
    apply_edits,
    indentation,
    insert_inside,
    set_attributes,
)
from robotid.robot.description import Format
from robotid.robot.export_urdf import text_of
from robotid.robot.numbers import only
from robotid.robot.xml_source import Element, XmlSource

# The attribute that each of these fields of `Joint` is read from.
ATTRIBUTES: Mapping[Format, Mapping[str, str]] = {
    "urdf": {"damping": "damping", "friction": "friction"},
    "mjcf": {"damping": "damping", "friction": "frictionloss", "rotor_inertia": "armature"},
}


def edited_joints(
    source: XmlSource, kind: Format, values: Mapping[str, Mapping[str, float]]
) -> bytes:
    """The file with attributes of some joints set.

    Args:
        source: the robot file.
        kind: its format.
        values: by joint and attribute.
    """
    joints = {
        element.attributes["name"].strip(): element
        for element in _joints(source, kind)
        if "name" in element.attributes
    }
    edits: list[ByteEdit] = []
    for name, attributes in values.items():
        if name not in joints:
            said = f"joint {name!r} does not stand in the file under this name"
            hint = "give every joint a name"
            raise ConfigError("not-in-file", said, file=source.file, joint=name, hint=hint)
        texts = {attribute: text_of(value) for attribute, value in attributes.items()}
        edits += _edits(source, kind, joints[name], texts)
    return apply_edits(source.data, edits)


def _joints(source: XmlSource, kind: Format) -> Iterator[Element]:
    if kind == "urdf":
        yield from source.root.all("joint")
        return
    for world in source.root.all("worldbody"):  # elsewhere <joint> means something else
        yield from (element for element in world.walk() if element.tag == "joint")


def _edits(
    source: XmlSource, kind: Format, joint: Element, texts: Mapping[str, str]
) -> list[ByteEdit]:
    data = source.data
    if kind == "mjcf":
        return set_attributes(data, joint, texts)
    dynamics = only(source, joint, "dynamics")
    if dynamics is not None:
        return set_attributes(data, dynamics, texts)
    break_ = indentation(data, joint.children[0])  # a joint has a parent and a child
    words = " ".join(f'{name}="{text}"' for name, text in texts.items())
    return [insert_inside(data, joint, f"{break_}<dynamics {words}/>")]
