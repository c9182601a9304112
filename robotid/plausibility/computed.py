"""Torques that a model computed, called measurements.

A fit to them gives back the parameters of that model, with a perfect score.
"""

import numpy as np

from robotid.plausibility.blocks import Array, Block
from robotid.plausibility.model import friction_terms
from robotid.plausibility.report import Report
from robotid.plausibility.signals import Setup
from robotid.plausibility.torque import Compared, nominal

_SAME = 0.01  # share of the nominal torque by which it may be off
_SILENT = 1e-4  # noise of one sample, share of the torque
_RIGID = 0.15  # what rigid-body dynamics may leave of a torque
_FRICTION = 0.02  # share of the variance that friction explains besides
_SAMPLES = 600
_RANK = 1e-4


def check_computed(setup: Setup, kept: list[Block], at: Compared, report: Report) -> None:
    """Torques that equal the nominal model's, or that know neither noise nor friction."""
    columns = [setup.column("tau", joint) for joint in at.joints]
    judged = [
        i
        for i, fit in enumerate(at.fits)
        if fit is not None and np.std(at.samples.q[:, i]) > 0.01 and columns[i] is not None
    ]
    if not judged:
        return
    tau = at.samples.tau[:, judged]
    off = tau - nominal(at)[:, judged]
    shares = np.sqrt(np.nanmean(off**2, 0) / np.nanmean(tau**2, 0))
    if (shares < _SAME).all():
        for i, share in zip(judged, shares.tolist(), strict=True):
            report.add(
                "computed-torque",
                f"tau is the torque of the robot file's own model to {100 * share:.2g} %, "
                "without friction: it was computed, not measured",
                "map the measured torque; a fit to this one would return the robot file",
                joint=at.joints[i],
                t=at.start,
                refused=True,
            )
        return
    noise = np.array([_noise(kept, columns[i]) for i in judged])
    if not (noise < _SILENT).all():
        return
    rigid, friction = _left(at, judged)
    if np.median(rigid) < _RIGID and np.median(rigid**2 - friction**2) < _FRICTION:
        names = ", ".join(f"tau.{setup.joints[at.joints[i]].name}" for i in judged)
        report.add(
            "computed-torque-suspected",
            f"{names}: no noise at all and no friction, as rigid bodies alone would need "
            f"(they explain all but {100 * np.median(rigid) ** 2:.2g} %): probably computed by a "
            "model, not measured",
            "map the column of the sensor or of the motor current",
            t=at.start,
        )


def _noise(kept: list[Block], column: int | None) -> float:
    """Standard deviation of the noise of one sample over that of the column."""
    values = [block.values[column] for block in kept if len(block.t) > 8]
    if not values:
        return np.inf
    thirds = np.concatenate([np.diff(x, 3) for x in values])  # noise grows by sqrt(20)
    spread = np.nanstd(np.concatenate(values))
    return float(np.nanmedian(np.abs(thirds)) / 0.6745 / np.sqrt(20) / spread) if spread else np.inf


def _left(at: Compared, judged: list[int]) -> tuple[Array, Array]:
    """What rigid bodies of any masses leave of each torque, without and with friction (rms)."""
    import torch

    from robotid.dynamics.regressor import joint_torque_regressor

    every = max(1, len(at.samples.t) // _SAMPLES)
    motion = [
        torch.from_numpy(np.ascontiguousarray(x[::every]))
        for x in (at.samples.q, at.samples.qd, at.samples.qdd)
    ]
    with torch.no_grad():
        Y = joint_torque_regressor(at.robot, *motion).numpy()[:, judged]
    tau = at.samples.tau[::every][:, judged]
    good = np.isfinite(tau).all(1)
    tau, Y = tau[good], Y[good]
    n = len(judged)
    extra = np.zeros((*tau.shape, 3 * n))
    for place, joint in enumerate(judged):
        extra[:, place, 3 * place : 3 * place + 3] = friction_terms(
            at.samples.qd[::every][good, joint]
        )
    weight = 1 / np.std(tau, 0)
    parts = []
    for columns in (Y, np.concatenate([Y, extra], 2)):
        A = (columns * weight[:, None]).reshape(tau.size, -1)
        b = (tau * weight).ravel()
        size = np.linalg.norm(A, axis=0)
        A = A[:, size > 0] / size[size > 0]
        left = b - A @ np.linalg.lstsq(A, b, rcond=_RANK)[0]
        parts.append(np.sqrt(np.mean(left.reshape(-1, n) ** 2, 0)))
    return parts[0], parts[1]
