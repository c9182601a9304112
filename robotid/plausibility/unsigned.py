"""Torques without sign: inverse dynamics cannot be done with them."""

import numpy as np

from robotid.plausibility.blocks import Block
from robotid.plausibility.channels import moves
from robotid.plausibility.report import Report
from robotid.plausibility.signals import Setup
from robotid.plausibility.statistics import Statistics
from robotid.plausibility.torque import Compared, nominal

_NEAR_ZERO = 0.02  # of the largest value
_BOTH_WAYS = 0.1  # share of the motion that must go each way
_HINT = "log the signed torque or current; the magnitude alone does not say which way it pushes"


def check_signs(
    setup: Setup, known: Statistics, kept: list[Block], at: Compared | None, report: Report
) -> bool:
    """Whether torques are magnitudes: of all joints, or of those the robot file can tell."""
    live = [
        (column, signal.joint)
        for column, signal in enumerate(setup.signals)
        if signal.kind == "tau" and known.finite[column] and not known.constant(column)
    ]
    positive = [(column, joint) for column, joint in live if known.minimum[column] >= 0]
    touching = [
        joint
        for column, joint in positive
        if known.minimum[column] <= _NEAR_ZERO * known.maximum[column]
        and _goes_both_ways(setup, kept, joint)
    ]
    if len(positive) == len(live) and len(touching) >= max(2, len(live) / 2):
        told = positive
    else:
        told = [(c, joint) for c, joint in positive if at is not None and _folded(at, joint)]
    for column, joint in told:
        moving = "" if moves(setup, known, joint) else ", though this joint does not move"
        report.add(
            "unsigned-torque",
            f"tau is never negative (0 … {known.maximum[column]:.4g} "
            f"{setup.unit(joint, 'tau')}){moving}: it is a magnitude",
            _HINT,
            joint=joint,
            t=known.start,
            refused=True,
        )
    return bool(told)


def _goes_both_ways(setup: Setup, kept: list[Block], joint: int) -> bool:
    q = setup.column("q", joint)
    if q is None:
        return False
    steps = np.concatenate([np.diff(block.values[q]) for block in kept])
    way = np.nansum(np.abs(steps))
    up = np.nansum(steps[steps > 0])
    return bool(way > 0 and _BOTH_WAYS < up / way < 1 - _BOTH_WAYS)


def _folded(at: Compared, joint: int) -> bool:
    """Whether the magnitude of the model's torque fits better than the torque."""
    if joint not in at.joints:
        return False
    index = at.joints.index(joint)
    model, tau = nominal(at)[:, index], at.samples.tau[:, index]
    good = np.isfinite(tau)
    model, tau = model[good], tau[good]
    if model.size < 20 or np.std(model) == 0 or np.std(tau) == 0:
        return False
    negative = np.mean(model < -0.1 * np.abs(model).max())
    folded, plain = (np.corrcoef(x, tau)[0, 1] for x in (np.abs(model), model))
    return bool(negative > _BOTH_WAYS and folded > max(0.5, plain + 0.2))
