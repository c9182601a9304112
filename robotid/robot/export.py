"""Identified parameters back into the user's robot file, proved before it is written.

The edited text is read again with the same changes (locks, chain, payloads). Torques agree if every
body then has the new parameters and the kinematics are the same; only then is the file written: to
a temporary one beside it, synced, renamed.
"""

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from robotid.errors import BadDataError, ConfigError, Notice, UsageError, from_os_error
from robotid.robot.description import Format
from robotid.robot.export_mjcf import edited_mjcf
from robotid.robot.export_shares import Shares, shares
from robotid.robot.export_urdf import edited_urdf
from robotid.robot.load import Loaded, reload_robot
from robotid.robot.tree import Array, RobotTree
from robotid.robot.xml_source import XmlSource, parse_xml

EDITORS: dict[Format, Callable[[XmlSource, Mapping[str, Array]], bytes]] = {
    "urdf": edited_urdf,
    "mjcf": edited_mjcf,
}
# Relative; reading numbers back and moving them between frames costs a few units of 1e-16, and
# the centre of a body far from its frame some digits more.
TOLERANCE = 1e-9


def export_robot(
    loaded: Loaded, phi: Array, out: Path, *, overwrite: bool = False
) -> tuple[Notice, ...]:
    """Write a robot file with new parameters; returns findings.

    Args:
        loaded: the robot as read.
        phi: new parameters of all bodies, shape (bodies, 10).
        out: the file to write.
        overwrite: replace a file that is there, the robot's own among others.
    """
    if not overwrite and os.path.lexists(out):
        hint = "choose another name, or ask for it to be replaced"
        raise UsageError("output-exists", "there already is a file", file=str(out), hint=hint)
    text, notices = exported(loaded, phi)
    _write(out, text)
    return notices


def exported(loaded: Loaded, phi: Array) -> tuple[bytes, tuple[Notice, ...]]:
    """The text of the file with new parameters, checked, and findings."""
    tree, shared = loaded.tree.with_phi(phi), file_shares(loaded, phi)
    source = parse_xml(loaded.data, str(loaded.path))
    text = EDITORS[loaded.description.format](source, shared.phi)
    _check(tree, reload_robot(text, loaded).tree, str(loaded.path))
    return text, tuple(shared.impossible.values())


def file_shares(loaded: Loaded, phi: Array) -> Shares:
    """What the links of the file get of new parameters, and which of them cannot exist then."""
    tree = loaded.tree.with_phi(phi)
    if not np.all(np.isfinite(tree.phi)):
        raise ConfigError("bad-number", "parameters that are not finite cannot be written")
    # A payload may have the name of a link that the chain has left out.
    in_file = loaded.description.link_lines.keys() - {p.name for p in loaded.changes.payloads}
    return shares(loaded.tree, tree.phi, in_file)


def _check(wanted: RobotTree, found: RobotTree, file: str) -> None:
    """Prove that two robots have the same torques: the same frames, joints and parameters."""
    same = (
        wanted.joints == found.joints
        and wanted.parents == found.parents
        and np.array_equal(wanted.placements, found.placements)
        and np.array_equal(wanted.gravity, found.gravity)
    )
    if not same:
        raise BadDataError("export-differs", "the edited file is another robot", file=file)
    for body, link in enumerate(wanted.links):
        miss = _relative(wanted.phi[body], found.phi[body])
        if miss > TOLERANCE:
            said = f"link {link!r} comes back with other parameters (relative error {miss:.2g})"
            hint = "nothing was written; settings such as boundmass or balanceinertia change them"
            raise BadDataError("export-differs", said, file=file, hint=hint)


def _relative(wanted: Array, found: Array) -> float:
    """The largest error of mass, first moment and inertia, each by its own size.

    The size of a first moment is at least √(m I): it may well be zero itself.
    """
    error = np.abs(found - wanted)
    mass, inertia = abs(wanted[0]), np.abs(wanted[4:]).max()
    moment = max(np.abs(wanted[1:4]).max(), np.sqrt(mass * inertia))
    pairs = ((error[0], mass), (error[1:4].max(), moment), (error[4:].max(), inertia))
    return max(float(miss / size) if size > 0 else float(miss > 0) for miss, size in pairs)


def _write(path: Path, text: bytes) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise from_os_error(error, "writing a robot file") from error
