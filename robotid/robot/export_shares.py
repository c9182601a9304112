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

Links that are in the tree but not in the file, payloads, keep what they have. What they leave may
be no body though the sum is one: the finding then is about the payload.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from robotid.errors import ConfigError, Notice
from robotid.robot.assembly import own_phi
from robotid.robot.geometry import COLUMNS, ROWS, inverse, pseudo_inertia, transport
from robotid.robot.physical import violations
from robotid.robot.tree import Array, RobotTree

PAYLOAD_TOO_LARGE = "payload-too-large"


class Shares(NamedTuple):
    """New parameters of the links that change, each in its own frame.

    Args:
        phi: by link.
        impossible: findings about links that cannot exist then, by link of the tree.
    """

    phi: dict[str, Array]
    impossible: dict[str, Notice]


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
    found = Shares({}, {})
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
        foreign = [member for member in everyone if member.link not in in_file]
        target = phi[body] - sum((member.in_body for member in foreign), np.zeros(10))
        shared = _shared(members, target)
        if shared is None:
            rest = _rest(members, target)
            shared = {members[0].link: rest}
            found.impossible[name] = _impossible(members, phi[body], target, rest, foreign)
        found.phi.update(shared)
    return found


def _shared(members: list[_Member], target: Array) -> dict[str, Array] | None:
    """The links that change, all of them consistent; None where they cannot be."""
    chief, rest = members[0], _rest(members, target)
    if not violations(rest):
        return {chief.link: rest}
    old, new = _factor(sum((x.in_body for x in members), np.zeros(10))), _factor(target)
    if old is None or new is None:
        return None
    stretch = new @ np.linalg.inv(old)
    return {
        member.link: transport(
            _phi(stretch @ pseudo_inertia(member.in_body) @ stretch.T),
            inverse(member.placement),
        )
        for member in members
        if member.phi.any()
    }


def _rest(members: list[_Member], target: Array) -> Array:
    """What the first link gets if the others keep what they have."""
    others = sum((member.in_body for member in members[1:]), np.zeros(10))
    return transport(target - others, inverse(members[0].placement))


def _impossible(
    members: list[_Member], body: Array, target: Array, rest: Array, foreign: list[_Member]
) -> Notice:
    """Why the first link cannot exist.

    Args:
        members: links of the body that are in the file.
        body: parameters of the whole.
        target: of what is in the file.
        rest: of the first link.
        foreign: links that are not in the file.
    """
    code, taken = "non-physical-link", ""
    if violations(body):
        hint = "simulators may refuse the file; fit with a physically consistent model"
    elif foreign and _factor(target) is None:
        code, taken = PAYLOAD_TOO_LARGE, f", once {foreign[0].link!r} is taken from it"
        hint = "the given payload takes more than the link has: check its mass, centre and inertia"
    else:
        hint = "correct <inertial> of the links that are fixed to it: they take more than there is"
    said = f"link {members[0].link!r}{taken}: {violations(rest)[0]}"
    return Notice(code=code, message=said, hint=hint)


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
