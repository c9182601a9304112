"""A small design made without the optimiser: a random series at rest at its ends, with ramps."""

import numpy as np

from robotid.contracts.excitation import (
    CertificateLine,
    Criteria,
    Excitation,
    ExpectedParameter,
    JointLimits,
    JointSeries,
    PlannedTrajectory,
    Play,
    Ramp,
)
from robotid.information.layout import geometry_digest
from robotid.robot.load import load_robot
from robotid.signals.fourier import SAMPLES_PER_HARMONIC, peaks
from robotid.signals.planned import PlannedMotion
from robotid.simulation.robots import reach

ACCELERATION = 20.0


def small_design(
    robot="double_pendulum",
    *,
    seed=1,
    trajectories=1,
    speeds=(0.1, 0.4),
    period_s=4.0,
    harmonics=4,
    ramp_s=1.0,
    rate_hz=100.0,
    **changes,
):
    """A design for a shipped robot; `changes` replace fields of the result."""
    tree = load_robot(robot).tree
    lower, half, fastest = reach(tree)
    random = np.random.default_rng(seed)
    made = [
        _trajectory(tree, f"t{i + 1}", random, speeds, period_s, harmonics, ramp_s)
        for i in range(trajectories)
    ]
    sliding = {joint.name: joint.kind == "prismatic" for joint in tree.driven}
    fields = {
        "robot": tree.name,
        "geometry_sha256": geometry_digest(tree),
        "joints": list(tree.joint_names),
        "units": {name: "m" if slides else "rad" for name, slides in sliding.items()},
        "limits": {
            name: JointLimits(
                lower=lower[i],
                upper=lower[i] + 2 * half[i],
                velocity=fastest[i],
                acceleration=ACCELERATION,
                jerk=None,
                torque=None,
            )
            for i, name in enumerate(tree.joint_names)
        },
        "noise": dict.fromkeys(tree.joint_names, 0.05),
        "rate_hz": rate_hz,
        "criterion": "trace-inv",
        "goal": "mean variance of the parameters, in units of their scale",
        "trajectories": made,
        "parameters": [
            _parameter(f"{name}.{term}", scale, share, trajectories)
            for name in tree.joint_names
            for term, scale, share in (
                ("viscous", 0.1, 0.02), ("coulomb", 0.2, 0.004), ("Izz", 0.02, 0.7),
            )
        ],
        "options": {"trajectories": trajectories, "speeds": list(speeds)},
    }  # fmt: skip
    return Excitation(**{**fields, **changes})


def _trajectory(tree, name, random, speeds, period_s, harmonics, ramp_s):
    n, w = tree.n, 2 * np.pi / period_s
    h = np.arange(1, harmonics + 1)
    lower, half, fastest = reach(tree)
    a, b = random.standard_normal((2, n, harmonics))
    a -= a.mean(1, keepdims=True)  # no speed at the ends: the a sum to nothing
    b -= np.outer(b @ h, h) / (h @ h)  # no acceleration: so do the h b
    count = SAMPLES_PER_HARMONIC * harmonics
    turn = np.arange(count) * (2 * np.pi / count)
    wave = [np.zeros((count, n)) for _ in range(3)]
    for term in range(harmonics):
        sin, cos = np.sin(h[term] * turn)[:, None], np.cos(h[term] * turn)[:, None]
        p, pd = a[:, term] * sin - b[:, term] * cos, a[:, term] * cos + b[:, term] * sin
        wave[0] += p / (h[term] * w)
        wave[1] += pd
        wave[2] -= h[term] * w * p
    found = [peaks(values, harmonics)[1] for values in wave]
    scale = np.minimum.reduce(
        [0.6 * half / found[0], max(speeds) * fastest / found[1], ACCELERATION / found[2]]
    )
    centre = lower + half
    series = {
        joint: JointSeries(
            centre=centre[i],
            harmonics=h.tolist(),
            a=(scale[i] * a[i]).tolist(),
            b=(scale[i] * b[i]).tolist(),
        )
        for i, joint in enumerate(tree.joint_names)
    }
    bare = PlannedTrajectory(
        name=name, period_s=period_s, periods=1, series=series, plays=[], certificate=[],
        criteria=Criteria(logdet=3.2, cond=14.0, mineig=0.4, trace_inv=0.02),
        seed=0, start=1, iterations=40, evaluations=90, starts=[None, 0.02, 0.025],
    )  # fmt: skip
    posture = PlannedMotion(bare, tree.joint_names).series(np.zeros(1))[0][0]
    to = {
        joint: [centre[i], 0.0, 0.0, *(np.array([10.0, -15.0, 6.0]) * (posture[i] - centre[i]))]
        for i, joint in enumerate(tree.joint_names)
    }
    back = {
        joint: [posture[i], 0.0, 0.0, *(np.array([10.0, -15.0, 6.0]) * (centre[i] - posture[i]))]
        for i, joint in enumerate(tree.joint_names)
    }
    length = period_s + 2 * ramp_s
    fields = {
        "ramp_in": Ramp(duration_s=ramp_s, coefficients=to),
        "ramp_out": Ramp(duration_s=ramp_s, coefficients=back),
        "plays": [
            Play(
                name=f"{name}_{round(100 * speed):02d}",
                speed=speed,
                slower=max(speeds) / speed,
                duration_s=length * max(speeds) / speed,
            )
            for speed in speeds
        ],
        "certificate": _certificate(tree, [scale * x for x in found], lower, half, fastest),
    }
    return bare.model_copy(update=fields)


def _certificate(tree, reached, lower, half, fastest):
    lines = []
    for i, joint in enumerate(tree.joint_names):
        unit = "m" if tree.driven[i].kind == "prismatic" else "rad"
        for quantity, limit, got, per in (
            ("position", lower[i] + 2 * half[i], lower[i] + half[i] + reached[0][i], ""),
            ("velocity", fastest[i], reached[1][i], "/s"),
            ("acceleration", ACCELERATION, reached[2][i], "/s²"),
        ):
            lines.append(
                CertificateLine(
                    quantity=quantity,
                    about=joint,
                    part="series",
                    proof="for all times",
                    limit=limit,
                    reached=got,
                    margin=limit - got,
                    unit=unit + per,
                )
            )
    return lines


def _parameter(name, scale, share, trajectories):
    return ExpectedParameter(
        name=name,
        groups="",
        unit="N m s/rad",
        nominal=scale,
        scale=scale,
        std=scale * share,
        std_after=[scale * share * (trajectories - i) ** 0.5 for i in range(trajectories)],
        wanted=True,
        advice="" if share < 0.5 else "faster motions of this joint would help",
    )
