"""Whether link parameters can belong to a rigid body, and which inequality they break if not.

A body of positive density has m > 0, principal moments J > 0 about its centre of mass, and each
moment at most the sum of the other two.
"""

from collections.abc import Mapping

import numpy as np

from robotid.errors import Notice
from robotid.robot.assembly import Assembly
from robotid.robot.geometry import centre_and_inertia
from robotid.robot.tree import Array, RobotTree

# Moments may miss an inequality by this share: rounding of a computation, not of a data sheet.
_ROUNDING = 1e-9


def violations(phi: Array) -> list[str]:
    """The inequalities that link parameters break, with numbers; none for an empty link."""
    if not phi.any():
        return []
    mass = phi[0]
    if mass <= 0:
        return [f"mass {mass:.6g} kg is not positive"]
    _, inertia = centre_and_inertia(phi)
    small, middle, large = np.linalg.eigvalsh(inertia)
    # phi holds the inertia about the origin; what is left about the centre has its rounding.
    noise = 1e-14 * np.abs(phi[4:]).max()
    moments = f"principal moments {small:.6g}, {middle:.6g}, {large:.6g} kg m²"
    if small <= noise:
        return [f"the inertia is not positive definite: {moments}"]
    if large > (small + middle) * (1 + _ROUNDING) + noise:
        return [f"the triangle inequality is broken, {large:.6g} > {small + middle:.6g}: {moments}"]
    return []


def check_links(assembly: Assembly, file: str, lines: Mapping[str, int]) -> list[Notice]:
    """A finding for each link whose own parameters cannot be those of a rigid body."""
    return [
        Notice(
            code="non-physical-link",
            message=f"link {part.link!r}: {said}",
            file=file,
            line=lines.get(part.link),
            joint=part.joint.name if part.joint else None,
            hint="correct <inertial>, or identify the parameters from a log",
        )
        for part in assembly.parts
        for said in violations(part.phi)
    ]


def check_bodies(tree: RobotTree, file: str | None = None) -> list[Notice]:
    """A finding for each joint that moves no mass at all: its acceleration is not determined.

    A body without mass is fine where it carries others, as between two crossing joints.
    """
    subtree = tree.ancestors.T.astype(float) @ tree.phi[:, 0]
    return [
        Notice(
            code="massless-body",
            message=f"joint {joint.name!r} moves no mass: link {tree.links[body]!r} has none",
            file=file,
            joint=joint.name,
            hint="give the link an <inertial>, or lock the joint",
        )
        for body, joint in enumerate(tree.joints)
        if subtree[body] == 0 and joint.rotor_inertia == 0
    ]
