"""New link parameters into the text of a URDF; all other bytes stay as they are.

The orientation of each inertial `<origin>` is kept and the inertia is written in its axes.
"""

from collections.abc import Mapping

import numpy as np

from robotid.errors import ConfigError
from robotid.robot.byte_edits import (
    ByteEdit,
    apply_edits,
    indentation,
    insert_inside,
    set_attributes,
)
from robotid.robot.geometry import centre_and_inertia, rotation_rpy
from robotid.robot.numbers import needed, only, vector
from robotid.robot.tree import Array
from robotid.robot.xml_source import Element, XmlSource

_ENTRIES = {
    "ixx": (0, 0),
    "ixy": (0, 1),
    "ixz": (0, 2),
    "iyy": (1, 1),
    "iyz": (1, 2),
    "izz": (2, 2),
}


def edited_urdf(source: XmlSource, phi: Mapping[str, Array]) -> bytes:
    """The file with the parameters of some links replaced."""
    links = {link.attributes["name"].strip(): link for link in source.root.all("link")}
    edits = [edit for name, new in phi.items() for edit in _edits(source, links[name], new)]
    return apply_edits(source.data, edits)


def mass_and_centre(link: str, phi: Array) -> tuple[str, Array, Array]:
    """Mass as text, centre of mass, inertia about it, of parameters that a file can hold."""
    if phi[0] == 0 and phi.any():
        said = f"link {link!r}: a first moment or inertia without mass cannot be written"
        raise ConfigError("not-writable", said)
    centre, inertia = centre_and_inertia(phi)
    return text_of(phi[0]), centre, inertia


def text_of(*values: float) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def _edits(source: XmlSource, link: Element, phi: Array) -> list[ByteEdit]:
    mass, centre, inertia = mass_and_centre(link.attributes["name"], phi)
    data = source.data
    inertial = only(source, link, "inertial")
    if inertial is None:
        return [_new_inertial(data, link, mass, centre, inertia)]
    origin = only(source, inertial, "origin")
    rotation = rotation_rpy(*vector(source, origin, "rpy", (0.0, 0.0, 0.0)))
    turned = rotation.T @ inertia @ rotation
    moments = needed(source, inertial, "inertia")
    edits = set_attributes(data, needed(source, inertial, "mass"), {"value": mass})
    edits += set_attributes(data, moments, _attributes(turned))
    if origin is not None:
        return edits + set_attributes(data, origin, {"xyz": text_of(*centre)})
    first = inertial.children[0]
    text = f'{indentation(data, first)}<origin xyz="{text_of(*centre)}"/>'
    return [*edits, insert_inside(data, inertial, text)] if centre.any() else edits


def _new_inertial(data: bytes, link: Element, mass: str, centre: Array, inertia: Array) -> ByteEdit:
    break_ = indentation(data, link.children[0] if link.children else link)
    inner = break_ + "  " if break_ else ""
    moments = " ".join(f'{name}="{text}"' for name, text in _attributes(inertia).items())
    lines = [
        f'<origin xyz="{text_of(*centre)}"/>',
        f'<mass value="{mass}"/>',
        f"<inertia {moments}/>",
    ]
    body = "".join(inner + line for line in lines)
    return insert_inside(data, link, f"{break_}<inertial>{body}{break_}</inertial>")


def _attributes(inertia: Array) -> dict[str, str]:
    symmetric = 0.5 * (inertia + np.transpose(inertia))
    return {name: text_of(symmetric[place]) for name, place in _ENTRIES.items()}
