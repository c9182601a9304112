"""Values against the robot file's limits; far beyond them a unit is wrong."""

import numpy as np

from robotid.plausibility.blocks import Block
from robotid.plausibility.finding import percent
from robotid.plausibility.report import Report
from robotid.plausibility.signals import Setup
from robotid.plausibility.statistics import Statistics

_FAR = 3.0  # times the limit: not a matter of limits any more
_FAR_SHARE = 0.05
_TURNS = 2 * np.pi  # what most joints of an arm stay within


def check_units(setup: Setup, known: Statistics, kept: list[Block], report: Report) -> None:
    """Positions far beyond the limits are in degrees or millimetres."""
    far = []
    for joint in range(len(setup.joints)):
        q = setup.column("q", joint)
        bounds = np.array([setup.limits["lower"][joint], setup.limits["upper"][joint]])
        if q is None or not np.isfinite(bounds).all() or bounds[0] >= bounds[1]:
            continue
        limit = _FAR * np.abs(bounds).max()
        values = np.abs(np.concatenate([block.values[q] for block in kept]))
        if np.mean(values > limit) > _FAR_SHARE:
            far.append(joint)
            _far(setup, known, joint, q, report)
    if not far:
        _check_turns(setup, known, kept, report)


def _far(setup: Setup, known: Statistics, joint: int, q: int, report: Report) -> None:
    slides = setup.joints[joint].kind == "prismatic"
    unit, name = ("mm", "millimetres") if slides else ("deg", "degrees")
    report.add(
        "looks-like-degrees" if not slides else "looks-like-millimetres",
        f"q runs from {known.minimum[q]:.4g} to {known.maximum[q]:.4g} {setup.unit(joint)}; the "
        f"robot file allows {setup.limits['lower'][joint]:.4g} to "
        f"{setup.limits['upper'][joint]:.4g}: it looks like {name}",
        f'set the unit "{unit}" (and of qd "{unit}/s") in the map',
        joint=joint,
        t=known.start,
        refused=True,
    )


def _check_turns(setup: Setup, known: Statistics, kept: list[Block], report: Report) -> None:
    """Without limits: most joints that move go beyond a full turn."""
    beyond, moving, fastest = 0, 0, 0.0
    for joint, kind in enumerate(joint.kind for joint in setup.joints):
        q = setup.column("q", joint)
        if q is None or kind == "prismatic" or known.constant(q) or known.finite[q] == 0:
            continue
        bounds = setup.limits["lower"][joint], setup.limits["upper"][joint]
        if np.isfinite(bounds).all():
            return  # known, and not far beyond
        values = np.concatenate([block.values[q] for block in kept])
        moving += 1
        beyond += bool(np.nanquantile(np.abs(values), 0.9) > _TURNS)
        fastest = max(fastest, float(known.maximum[q] - known.minimum[q]))
    if moving >= 2 and beyond > moving / 2 and fastest > 2 * _TURNS:
        report.add(
            "looks-like-degrees",
            f"{beyond} of {moving} moving joints go more than a turn away from zero, "
            f"one over {fastest:.3g} rad: q looks like degrees",
            'set the unit "deg" (and of qd "deg/s") in the map; wheels may well turn that far',
            t=known.start,
        )


def check_limits(setup: Setup, known: Statistics, report: Report) -> None:
    """Values outside the limits; what is in another unit was reported as that."""
    explained = {"looks-like-degrees", "looks-like-millimetres", "velocity-unit"}
    for column, signal in enumerate(setup.signals):
        count = int(known.beyond[column])
        if count < 3 or explained & {finding.notice.code for finding in report.findings}:
            continue
        what = {"q": "range", "qd": "speed limit"}.get(signal.kind, "effort limit")
        report.add(
            "beyond-limits",
            f"{signal.name} leaves the robot file's {what} in {count} samples "
            f"({percent(count / known.rows)}): {known.minimum[column]:.4g} … "
            f"{known.maximum[column]:.4g}, allowed with a little room "
            f"{known.lower[column]:.4g} … {known.upper[column]:.4g}",
            "another robot, tool or zero than in the file? check the map",
            joint=signal.joint,
            t=int(known.first_beyond[column]),
        )
