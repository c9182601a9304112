"""What each part of a learned model adds, and whether its rigid part stayed right."""

from typing import NamedTuple

from robotid.contracts.learned import Apart, LearnedParameter
from robotid.contracts.words import DATA
from robotid.reporting.view import LearnedView

_NAMES = {"body": "body", "joints": "friction and other terms", "residual": "network"}


class JointRow(NamedTuple):
    """A joint: shares of each part, and errors of the whole and of what is no network.

    Args:
        joint: its name.
        unit: of its errors.
        shares: of the measured torque, by part [%].
        error: root mean square.
        without: the same without the network; None where there is no other part.
        sdp: the same of a rigid body.
    """

    joint: str
    unit: str
    shares: list[float | None]
    error: float | None
    without: float | None
    sdp: float | None


class RigidRow(NamedTuple):
    """A parameter of the rigid part, and how far it is from that of an SDP [%]."""

    found: LearnedParameter
    percent: float | None


class Parts(NamedTuple):
    """The section.

    Args:
        data: that shares and errors are of, in words.
        names: of the parts.
        joints: rows.
        rigid: parameters of the rigid part beside an SDP.
        apart: how far links are from those of the SDP.
        frozen: whether the rigid part is that of the SDP.
        has_network: whether errors without it are stated.
    """

    data: str
    names: list[str]
    joints: list[JointRow]
    rigid: list[RigidRow]
    apart: Apart | None
    frozen: bool
    has_network: bool


def section(view: LearnedView) -> Parts | None:
    """What the template shows; None of a network alone."""
    fit = view.fit
    if fit.architecture.body == "none":
        return None
    split = view.held_out
    bare = fit.without_residual.get(split, {}).get("rmse")
    sdp = fit.baselines.get("sdp", {}).get(split, {}).get("rmse")
    rows = [
        JointRow(
            joint=joint,
            unit=view.units[joint],
            shares=[_percent(part.share.get(joint)) for part in fit.parts.values()],
            error=fit.metrics[split]["rmse"].joints.get(joint),
            without=None if bare is None else bare.joints.get(joint),
            sdp=None if sdp is None else sdp.joints.get(joint),
        )
        for joint in fit.joints
    ]
    return Parts(
        data=DATA[split],
        names=[_NAMES[name] for name in fit.parts],
        joints=rows,
        rigid=[RigidRow(one, _apart(one)) for one in fit.rigid],
        apart=fit.rigid_apart,
        frozen=bool(fit.architecture.frozen),
        has_network="residual" in fit.parts,
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _apart(one: LearnedParameter) -> float | None:
    return 100 * (one.value - one.sdp) / abs(one.sdp) if one.sdp else None
