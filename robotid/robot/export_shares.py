"""Which link of a file gets which part of a body's identified parameters.

A body's φ is the sum over the links that are fixed together; only the sum can be identified. The
file wants every link. In this order:

1. The link the body is called after gets what the others leave, if that is physically consistent;
   no other link changes.
2. Otherwise the mass distribution of all the body's links is stretched by one affine map, which
   takes the old sum to the new one: with pseudo-inertias P = U Uᵀ (U upper triangular) and
   T = U_new U_old⁻¹, every link gets T P Tᵀ. All stay consistent and the sum is exact.
3. Where the new sum itself is not consistent, nothing can be: the body's link gets what the others
   leave, and a finding says so.

Links that are in the tree but not in the file, such as payloads, keep what they have.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from robotid.errors import ConfigError, Notice
from robotid.robot.assembly import own_phi
from robotid.robot.geometry import COLUMNS, ROWS, inverse, pseudo_inertia, transport
from robotid.robot.physical import violations
from robotid.robot.tree import Array, RobotTree


class Shares(NamedTuple):
    """New parameters of the links that change, each in its own frame, and findings."""

    phi: dict[str, Array]
    notices: list[Notice]


class _Member(NamedTuple):
    """A link of a body: name, pose in the body, own parameters."""

    link: str
    placement: Array
    phi: Array

    @property
    def in_body(self) -> Array:
        """The parameters in the frame of the body."""
        return transport(self.phi, self.placement)


def shares(tree: RobotTree, phi: Array, in_file: Collection[str]) -> Shares:
    """Share out new parameters of all bodies.

    Args:
        tree: the robot as read, with the parameters of the file.
        phi: new parameters, shape (bodies, 10).
        in_file: the links of the file.
    """
    found = Shares({}, [])
    own = own_phi(tree)
    for body, name in enumerate(tree.links):
        change = np.abs(phi[body] - tree.phi[body])
        if np.all(change <= 1e-14 * np.abs(tree.phi[body])):
            continue
        everyone = [
            _Member(name, np.eye(4), own[body]),
            *(_Member(x.name, x.placement, x.phi) for x in tree.fixed if x.body == body),
        ]
        members = [member for member in everyone if member.link in in_file]
        if not members:
            said = f"link {name!r} is not in the file, so its parameters cannot be written there"
            raise ConfigError("not-in-file", said, joint=tree.joints[body].name)
        foreign = [member.in_body for member in everyone if member.link not in in_file]
        target = phi[body] - sum(foreign, np.zeros(10))
        found.phi.update(_shared(members, target, found.notices))
    return found


def _shared(members: list[_Member], target: Array, notices: list[Notice]) -> dict[str, Array]:
    chief = members[0]
    others = sum((member.in_body for member in members[1:]), np.zeros(10))
    rest = transport(target - others, inverse(chief.placement))
    if not violations(rest):
        return {chief.link: rest}
    old, new = _factor(chief.in_body + others), _factor(target)
    if old is not None and new is not None:
        stretch = new @ np.linalg.inv(old)
        return {
            member.link: transport(
                _phi(stretch @ pseudo_inertia(member.in_body) @ stretch.T),
                inverse(member.placement),
            )
            for member in members
            if member.phi.any()
        }
    said = f"the new parameters of link {chief.link!r} are not physical: {violations(rest)[0]}"
    hint = "simulators may refuse the file; fit with a physically consistent model"
    notices.append(Notice(code="non-physical-link", message=said, hint=hint))
    return {chief.link: rest}


def _factor(phi: Array) -> Array | None:
    """U, upper triangular, with U Uᵀ the pseudo-inertia; None where that is not positive."""
    flipped = pseudo_inertia(phi)[::-1, ::-1]
    try:
        factor = np.linalg.cholesky(flipped)
    except np.linalg.LinAlgError:
        return None
    return np.asarray(factor[::-1, ::-1], dtype=np.float64)


def _phi(pseudo: Array) -> Array:
    """The parameters of a pseudo-inertia."""
    sigma = pseudo[:3, :3]
    inertia = np.trace(sigma) * np.eye(3) - sigma
    return np.concatenate([[pseudo[3, 3]], pseudo[:3, 3], inertia[ROWS, COLUMNS]])
