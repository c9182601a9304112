"""Checks of each channel by itself: missing, dead, stuck, saturated, held, coarse, spiky."""

import numpy as np

from robotid.plausibility.blocks import Array, Block
from robotid.plausibility.finding import duration, percent
from robotid.plausibility.report import Report
from robotid.plausibility.runs import Run
from robotid.plausibility.signals import Setup, Signal
from robotid.plausibility.statistics import Statistics

STILL = {"revolute": 0.01, "prismatic": 0.001}  # [rad, m]: less than this is no motion
_MISSING, _TOO_MANY_MISSING = 0.01, 0.2
_STUCK_SAMPLES, _STUCK_TIMES, _STUCK_NS = 20, 5, 20_000_000
_MOVED = 0.02  # share of the joint's range
_FLAT, _SATURATED_SAMPLES, _SATURATED_SHARE = 5, 10, 0.001
_HELD_RUNS, _HELD_SHARE = 50, 0.8
_LEVELS = 20
_SPIKE = 0.25  # share of the channel's range
_ZEROS, _ZERO_CHANGES = 0.6, 20


def moves(setup: Setup, known: Statistics, joint: int) -> bool:
    """Whether a joint moves at all; one without positions is taken to."""
    q = setup.column("q", joint)
    if q is None or known.finite[q] == 0:
        return True
    return bool(known.maximum[q] - known.minimum[q] > STILL[setup.joints[joint].kind])


def check_channels(setup: Setup, known: Statistics, kept: list[Block], report: Report) -> None:
    """Look at every channel."""
    for joint in range(len(setup.joints)):
        _check_motion(setup, known, joint, report)
    for column, signal in enumerate(setup.signals):
        if _is_missing(known, column):
            continue
        if _is_dead(setup, known, column, kept, report):
            continue
        values = np.concatenate([block.values[column] for block in kept])
        values = values[np.isfinite(values)]
        _check_stuck(setup, known, column, report)
        _check_saturated(setup, known, column, report)
        _check_held(known, column, signal, report)
        if moves(setup, known, signal.joint):
            _check_steps(values, signal, report)
            _check_spikes(known, column, signal, values, report)


def _check_motion(setup: Setup, known: Statistics, joint: int, report: Report) -> None:
    q, qd = setup.column("q", joint), setup.column("qd", joint)
    if q is None or moves(setup, known, joint):
        return
    unit, span = setup.unit(joint), known.maximum[q] - known.minimum[q]
    speed = 0.0
    if qd is not None and known.finite[qd]:
        speed = float(max(abs(known.minimum[qd]), abs(known.maximum[qd])))
    if known.constant(q) and speed > 10 * STILL[setup.joints[joint].kind]:
        report.add(
            "dead-channel",
            f"q is {known.minimum[q]:.6g} {unit} throughout, while qd reaches {speed:.3g} {unit}/s",
            "the position sensor or its column is dead; map another column",
            joint=joint,
            t=known.start,
            refused=True,
        )
        return
    report.add(
        "not-moving",
        f"the joint stays within {span:.2g} {unit} throughout",
        "its inertia and friction cannot be identified; move it, or lock it with --lock",
        joint=joint,
        t=known.start,
    )


def _is_missing(known: Statistics, column: int) -> bool:
    """Whether there is nothing to judge; what is missing is said where values are read."""
    return bool(known.finite[column] == 0)


def _is_dead(
    setup: Setup, known: Statistics, column: int, kept: list[Block], report: Report
) -> bool:
    signal = setup.signals[column]
    if signal.kind not in ("qd", "tau", "tau_cmd", "current"):
        return known.constant(column)
    moving = moves(setup, known, signal.joint)
    passive = setup.limits["effort"][signal.joint] == 0
    if passive and signal.kind != "qd":
        return True  # a joint without a motor has no torque
    if known.constant(column):
        if signal.kind == "qd" and not moving:
            return True
        said = f"{signal.name} is {known.minimum[column]:.6g} throughout"
    else:
        share = _zeros_while_moving(setup, signal, kept, column)
        if signal.kind == "qd" or share < _ZEROS:
            return False
        said = f"{signal.name} is exactly 0 in {percent(share)} of the samples in which it moves"
    if moving and signal.kind != "qd":
        said += ", while the joint moves" if known.constant(column) else ""
    hint = "the channel is dead; map another column"
    hint += ", or leave it out" if signal.kind != "tau" else ", or lock the joint (--lock)"
    report.add(
        "dead-channel",
        said,
        hint,
        joint=signal.joint,
        t=known.start,
        refused=moving and signal.kind in ("qd", "tau"),
    )
    return True


def _zeros_while_moving(setup: Setup, signal: Signal, kept: list[Block], column: int) -> float:
    """Share of exact zeros among samples in which the joint is faster than a tenth of its peak."""
    q = setup.column("q", signal.joint)
    if q is None:
        return 0.0
    zeros, speeds = [], []
    for block in kept:
        width = min(8, len(block.t) - 1)
        if width < 1:
            continue
        steps = block.values[q, width:] - block.values[q, :-width]
        speeds.append(np.abs(steps) / (block.t[width:] - block.t[:-width]))
        zeros.append(block.values[column, : len(steps)] == 0)
    speed, zero = np.concatenate(speeds or [np.zeros(0)]), np.concatenate(zeros or [np.zeros(0)])
    fast = speed > 0.1 * np.nanmax(speed, initial=0.0)
    if not fast.any() or np.count_nonzero(np.diff(zero[fast])) < _ZERO_CHANGES:
        return 0.0  # a motor that is off for a while is not dead
    return float(zero[fast].mean())


def _check_stuck(setup: Setup, known: Statistics, column: int, report: Report) -> None:
    signal, runs = setup.signals[column], known.runs[column]
    q = setup.column("q", signal.joint)
    if q is None or signal.kind not in ("q", "qd", "tau", "current"):
        return
    span = known.maximum[q] - known.minimum[q]
    least = max(_STUCK_SAMPLES, _STUCK_TIMES * runs.typical(0.99))
    stuck = [
        run
        for run in runs.notable()
        if run.length >= least
        and run.last - run.first >= _STUCK_NS
        and _frozen(signal, run, _MOVED * span)
    ]
    if not stuck or not moves(setup, known, signal.joint):
        return
    first, longest = stuck[0], max(stuck, key=lambda run: run.last - run.first)
    report.add(
        "stuck",
        f"{signal.name} keeps one value while the joint moves, {len(stuck)} times, "
        f"{duration(longest.last - longest.first)} at most; first at {first.value:.6g}",
        "the sensor or the driver froze; leave these samples out (--mask stuck, --exclude)",
        joint=signal.joint,
        t=first.first,
    )
    report.mask("stuck", signal.name, [(run.first, run.last) for run in stuck])


def _frozen(signal: Signal, run: Run, far: float) -> bool:
    """Whether a run is a fault: the joint went far meanwhile, by what another column says."""
    if signal.kind == "qd":
        said = abs(run.value) * (run.last - run.first) / 1e9
        return abs(run.moved - said) > max(far, 0.2 * max(run.moved, said))
    if np.isfinite(run.moved):
        return run.moved > far
    return signal.kind == "q" and run.jump > far


def _check_saturated(setup: Setup, known: Statistics, column: int, report: Report) -> None:
    signal, runs = setup.signals[column], known.runs[column]
    q = setup.column("q", signal.joint)
    if signal.kind not in ("tau", "tau_cmd", "current") or q is None:
        return
    span = known.maximum[q] - known.minimum[q]
    for upper, found in runs.at_bound.items():
        bound = (known.maximum if upper else known.minimum)[column]
        if not found or found[0].value != bound or bound == 0:
            continue
        long = [run for run in found if run.length >= max(_FLAT, 3 * runs.typical(0.9))]
        moved = sum(run.moved for run in long)
        share = runs.samples_at_bound[upper] / known.rows
        many = runs.samples_at_bound[upper] >= _SATURATED_SAMPLES and share >= _SATURATED_SHARE
        if not long or not many or not moved > 0.5 * _MOVED * span:
            continue
        report.add(
            "saturated",
            f"{signal.name} lies flat at its {'highest' if upper else 'lowest'} value "
            f"{bound:.6g} {setup.unit(signal.joint, signal.kind)} in "
            f"{runs.samples_at_bound[upper]} samples ({percent(share)})",
            "the true value is not known there; leave these samples out (--mask saturated)",
            joint=signal.joint,
            t=long[0].first,
        )
        report.mask("saturated", signal.name, [(run.first, run.last) for run in found])


def _check_held(known: Statistics, column: int, signal: Signal, report: Report) -> None:
    counts = known.runs[column].counts.astype(float)
    total = counts.sum()
    if total < _HELD_RUNS or signal.kind not in ("q", "qd", "tau"):
        return
    near = counts[1:-2] + counts[2:-1] + counts[3:]  # runs of n-1, n, n+1 samples, n from 2
    length = int(np.argmax(counts[2:-1])) + 2
    if near[length - 2] < _HELD_SHARE * total or counts[1] > 0.1 * total:
        return
    mean = float((counts * np.arange(len(counts))).sum() / total)
    rate = (known.rows - 1) / max((known.end - known.start) / 1e9, 1e-9)
    report.add(
        "held-values",
        f"{signal.name} repeats each value about {mean:.3g} times: its true rate is "
        f"{rate / mean:.3g} Hz, the log has {rate:.4g} Hz",
        "a slow driver in a fast log; choose a cut-off well below half the true rate",
        joint=signal.joint,
        t=known.start,
    )


def _check_steps(values: Array, signal: Signal, report: Report) -> None:
    if signal.kind not in ("q", "qd", "tau"):
        return
    low, high = np.percentile(values, [1, 99])
    levels = np.unique(values[(values >= low) & (values <= high)])
    if levels.size < 2 or levels.size >= _LEVELS or values.size < 10 * _LEVELS:
        return
    step = float(np.median(np.diff(levels)))
    report.add(
        "coarse-steps",
        f"{signal.name} takes only {levels.size} values, {step:.3g} apart",
        "the resolution is coarse against the motion: expect large uncertainties",
        joint=signal.joint,
    )


def _check_spikes(
    known: Statistics, column: int, signal: Signal, values: Array, report: Report
) -> None:
    if signal.kind == "temperature":
        return
    low, high = np.percentile(values, [0.5, 99.5])
    large = [s for s in known.spikes.found[column] if s.size > _SPIKE * (high - low) > 0]
    if not large:
        return
    report.add(
        "spike",
        f"{signal.name} has {len(large)} single samples far from their neighbours, "
        f"up to {max(spike.size for spike in large):.3g} off",
        "outliers pull the fit; leave them out (--mask spike) or fit robustly",
        joint=signal.joint,
        t=large[0].t,
    )
    report.mask("spike", signal.name, [(spike.t, spike.t) for spike in large])
