"""Whether a recording holds at least one period of motion, and whether torques follow commands."""

import numpy as np

from robotid.plausibility.blocks import Array, Block
from robotid.plausibility.channels import moves
from robotid.plausibility.finding import duration
from robotid.plausibility.report import Report
from robotid.plausibility.signals import Setup
from robotid.plausibility.statistics import Statistics
from robotid.plausibility.velocity import cosine, shifted

_POINTS = 2000
_TURN = 0.05  # of a joint's range: smaller reversals are noise
_SAME = 0.999  # share of samples in which command and torque are equal
_LAGS, _ALIKE = 25, 0.9


def check_period(setup: Setup, known: Statistics, kept: list[Block], report: Report) -> None:
    """A motion that never comes back says little of friction, and cannot be cut for a test."""
    moving = [joint for joint in range(len(setup.joints)) if moves(setup, known, joint)]
    reversals = [_reversals(setup, kept, joint) for joint in moving]
    if not reversals or max(reversals) >= 2:
        return
    report.add(
        "less-than-a-period",
        f"in {duration(known.end - known.start)} no joint reverses more than once",
        "record at least one whole period of an excitation",
        t=known.start,
    )


def _reversals(setup: Setup, kept: list[Block], joint: int) -> int:
    q = setup.column("q", joint)
    if q is None:
        return 2  # not known, so not blamed
    values = np.concatenate([block.values[q] for block in kept])
    values = values[np.isfinite(values)][:: max(1, len(values) // _POINTS)]
    if values.size < 2:
        return 0
    least, count, way, extreme = _TURN * np.ptp(values), 0, 0, values[0]
    for value in values.tolist():
        if way * (value - extreme) > 0 or (way == 0 and abs(value - extreme) > least):
            way, extreme = way or (1 if value > extreme else -1), value
        elif way and abs(value - extreme) > least:
            way, extreme, count = -way, value, count + 1
    return count


def check_commands(setup: Setup, known: Statistics, kept: list[Block], report: Report) -> None:
    """A measured torque is not the command, and does not come before it."""
    if setup.torque != "measured":
        return
    for joint in range(len(setup.joints)):
        tau, command = setup.column("tau", joint), setup.column("tau_cmd", joint)
        if tau is None or command is None or known.constant(tau) or known.constant(command):
            continue
        measured = np.concatenate([block.values[tau] for block in kept])
        wanted = np.concatenate([block.values[command] for block in kept])
        if np.mean(measured == wanted) > _SAME:
            report.add(
                "torque-is-command",
                "tau and tau_cmd are the same numbers: the command, not a measurement",
                'map the measured torque, or say torque = "commanded"',
                joint=joint,
                t=known.start,
            )
        elif (early := _earlier(measured, wanted)) is not None:
            report.add(
                "torque-before-command",
                f"tau comes {early} samples before tau_cmd",
                "the two columns are probably exchanged in the map",
                joint=joint,
                t=known.start,
            )


def _earlier(measured: Array, wanted: Array) -> int | None:
    """By how many samples a torque clearly comes before its command; None if it does not."""
    measured, wanted = measured - np.nanmean(measured), wanted - np.nanmean(wanted)
    longest = min(_LAGS, len(measured) // 8)
    alike = [cosine(*shifted(measured, wanted, lag)) for lag in range(-longest, longest + 1)]
    if not np.isfinite(alike).all():
        return None
    best = int(np.argmax(alike))
    clear = 1 - alike[best] < 0.5 * (1 - alike[longest])
    if best - longest < 2 or alike[best] < _ALIKE or not clear or best == 2 * longest:
        return None
    return best - longest
