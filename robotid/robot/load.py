"""A robot from a file or from the catalogue, changed as asked for, checked, as a tree."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from robotid.errors import BadDataError, Notice
from robotid.robot import edit
from robotid.robot.assembly import Assembly, tree_of
from robotid.robot.catalog import robot_path
from robotid.robot.description import Description
from robotid.robot.edit import Payload
from robotid.robot.mjcf import read_mjcf
from robotid.robot.physical import check_bodies, check_links
from robotid.robot.tree import RobotTree
from robotid.robot.urdf import read_urdf, refuse_xacro
from robotid.robot.xml_source import XmlSource, parse_xml, read_xml

# Formats by the outermost element of the file.
READERS: dict[str, Callable[[XmlSource], Description]] = {"robot": read_urdf, "mujoco": read_mjcf}


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What to change in a robot once it is read, in this order.

    Args:
        lock: joints to hold, and where [rad or m].
        chain: keep what lies between these two links, named from the root outward.
        base: `floating` lets the root move freely, `fixed` holds it; None leaves it as in the file.
        payloads: tools and loads to tie to links.
        gravity: in the axes of the base [m/s²]; None leaves it as in the file.
        mount: roll, pitch, yaw [rad] by which the base is tilted.
    """

    lock: Mapping[str, float] = field(default_factory=dict)
    chain: tuple[str, str] | None = None
    base: Literal["fixed", "floating"] | None = None
    payloads: tuple[Payload, ...] = ()
    gravity: tuple[float, float, float] | None = None
    mount: tuple[float, float, float] | None = None

    def applied(self, assembly: Assembly) -> Assembly:
        """The changed robot."""
        assembly = edit.lock(assembly, self.lock)
        if self.chain is not None:
            assembly = edit.chain(assembly, *self.chain)
        if self.base is not None:
            assembly = (
                edit.float_base(assembly) if self.base == "floating" else edit.fix_base(assembly)
            )
        for payload in self.payloads:
            assembly = edit.add_payload(assembly, payload)
        if self.gravity is not None:
            assembly = edit.with_gravity(assembly, self.gravity)
        return assembly if self.mount is None else edit.mount(assembly, self.mount)


@dataclass(frozen=True, eq=False)
class Loaded:
    """A robot, what was found while reading it, and where it came from."""

    tree: RobotTree
    notices: tuple[Notice, ...]
    path: Path
    data: bytes
    description: Description
    changes: Changes


def load_robot(
    source: str | Path,
    *,
    lock: Mapping[str, float] | None = None,
    chain: tuple[str, str] | None = None,
    base: Literal["fixed", "floating"] | None = None,
    payloads: tuple[Payload, ...] = (),
    gravity: tuple[float, float, float] | None = None,
    mount: tuple[float, float, float] | None = None,
) -> Loaded:
    """Read a robot, and change it as `Changes` says.

    `source` is a path (URDF or MJCF, told apart by content) or the name of a shipped robot; a bare
    word is a name, see `catalog`.
    """
    changes = Changes(
        lock=lock or {}, chain=chain, base=base, payloads=payloads, gravity=gravity, mount=mount
    )
    path = robot_path(source)
    if path.suffix == ".xacro":
        refuse_xacro(str(path))
    return loaded_from(read_xml(path), path, changes)


def reload_robot(data: bytes, loaded: Loaded) -> Loaded:
    """The same robot with the same changes from other bytes."""
    return loaded_from(parse_xml(data, str(loaded.path)), loaded.path, loaded.changes)


def loaded_from(source: XmlSource, path: Path, changes: Changes) -> Loaded:
    """The robot of a parsed file."""
    tag = source.root.tag
    if tag not in READERS:
        said = f"the outermost element is <{tag}>, not <robot> (URDF) or <mujoco> (MJCF)"
        source.fail("unknown-format", said, source.root, hint="convert it to URDF")
    description = READERS[tag](source)
    assembly = changes.applied(description.assembly)
    for part in assembly.parts:
        if part.joint is not None and part.joint.name in description.not_modelled:
            raise description.not_modelled[part.joint.name]
    if all(part.joint is None for part in assembly.parts):
        said = "no joint moves"
        raise BadDataError("no-moving-joint", said, file=source.file, line=source.root.line)
    tree = tree_of(assembly)
    findings = check_links(assembly, source.file, description.link_lines)
    notices = (*description.notices, *findings, *check_bodies(tree, source.file))
    return Loaded(tree, notices, path, source.data, description, changes)
