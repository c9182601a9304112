"""Errors of a learned model and of its parts, stretch by stretch of time, beside baselines."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import BlockErrors, Metrics, held_out
from robotid.contracts.learned import Beyond, PartOfTorque
from robotid.contracts.splits import Split
from robotid.evaluation.metrics import ErrorSums
from robotid.evaluation.scores import (
    baselines,
    has_physical_links,
    metrics_of_sums,
    scores,
)
from robotid.identification.learned.started import RigidFit
from robotid.identification.request import Request
from robotid.information.sizes import nominal
from robotid.models.learned.inverse import InverseModel
from robotid.models.rigid_body import RigidBodyModel
from robotid.models.trained_range import TOLERANCE
from robotid.training.motions import Stretch, torque_of

Array = NDArray[np.float64]
_PARTS = ("body", "joints", "residual")
_HAIR = 1e-9  # [s]: times are counted in nanoseconds


class Scored(NamedTuple):
    """What a result states of errors; see `LearnedResult`."""

    metrics: Metrics
    without_residual: Metrics
    parts: dict[str, PartOfTorque]
    beyond: Beyond
    blocks: list[BlockErrors]


class _Predicted(NamedTuple):
    """A stretch with what a model gives for it, (T, n) each."""

    stretch: Stretch
    tau: Array
    total: Array
    parts: dict[str, Array]


def scored(
    request: Request,
    model: InverseModel,
    data: Mapping[Split, Sequence[Stretch]],
    rigid: RigidFit,
) -> Scored:
    """Errors of all splits, each stretch predicted as a whole."""
    joints = request.ready.data.layout.robot.rows
    found = {split: _predicted(model, own) for split, own in data.items()}
    metrics = _metrics(found, joints, residual=True)
    split = held_out(metrics)
    held = next(own for name, own in found.items() if name == split)
    body = RigidBodyModel(request.ready.data.layout, rigid.whole)
    return Scored(
        metrics=metrics,
        without_residual=_metrics(found, joints, residual=False) if model.body else {},
        parts=_shares(held, joints),
        beyond=_beyond(found["train"], held, body),
        blocks=_blocks(request, found, joints),
    )


def compared(request: Request, rigid: RigidFit) -> dict[str, Metrics]:
    """Errors of what anybody could predict without learning, and of a rigid body."""
    data, layout = request.ready.data.by_split(), request.ready.data.layout
    file = nominal(layout) if has_physical_links(layout.robot) else None
    return {**baselines(data, file), "sdp": scores(data, rigid.whole)}


def _predicted(model: InverseModel, stretches: Sequence[Stretch]) -> list[_Predicted]:
    found = []
    for own, torque in zip(stretches, torque_of(model, stretches), strict=True):
        parts = {name: part.numpy() for name, part in torque._asdict().items() if part is not None}
        found.append(_Predicted(own, own.tau.numpy(), torque.total().numpy(), parts))
    return found


def _metrics(
    found: Mapping[Split, Sequence[_Predicted]], joints: Sequence[str], *, residual: bool
) -> Metrics:
    train = np.concatenate([own.tau for own in found["train"]])
    extents = dict(zip(joints, np.ptp(train, axis=0).tolist(), strict=True))
    sums: dict[Split, dict[str, ErrorSums]] = {}
    for split, stretches in found.items():
        tau = np.concatenate([own.tau for own in stretches])
        given = np.concatenate(
            [own.total - (0.0 if residual else own.parts.get("residual", 0.0)) for own in stretches]
        )
        rows = zip(((tau - given) ** 2).sum(0), tau.sum(0), (tau**2).sum(0), strict=True)
        sums[split] = {
            joint: ErrorSums(len(tau), *map(float, row))
            for joint, row in zip(joints, rows, strict=True)
        }
    return metrics_of_sums(sums, extents)


def _shares(found: Sequence[_Predicted], joints: Sequence[str]) -> dict[str, PartOfTorque]:
    size = _rms([own.tau for own in found])
    result = {}
    for name in _PARTS:
        if name not in found[0].parts:
            continue
        rms = _rms([own.parts[name] for own in found])
        share = [own / whole if whole > 0 else None for own, whole in zip(rms, size, strict=True)]
        result[name] = PartOfTorque(
            rms=dict(zip(joints, rms, strict=True)), share=dict(zip(joints, share, strict=True))
        )
    return result


def _beyond(
    train: Sequence[_Predicted], held: Sequence[_Predicted], rigid: RigidBodyModel
) -> Beyond:
    """Errors of held-out samples inside and beyond the training motions, beside a rigid body."""
    seen = np.concatenate([_motion(own) for own in train])
    low, high = seen.min(0), seen.max(0)
    room = TOLERANCE * (high - low)
    motion = np.concatenate([_motion(own) for own in held])
    outside = ((motion < low - room) | (motion > high + room)).any(1)
    tau = np.concatenate([own.tau for own in held])
    own = tau - np.concatenate([one.total for one in held])
    other = tau - np.concatenate([_torque(rigid, one) for one in held])

    def error(e: Array, chosen: NDArray[np.bool_]) -> float | None:
        return float(np.sqrt(np.mean(e[chosen] ** 2, axis=0)).mean()) if chosen.any() else None

    return Beyond(
        share=float(outside.mean()),
        inside=error(own, ~outside),
        beyond=error(own, outside),
        sdp_inside=error(other, ~outside),
        sdp_beyond=error(other, outside),
    )


def _torque(rigid: RigidBodyModel, own: _Predicted) -> Array:
    q, qd, qdd, _ = own.stretch.motion
    return rigid.torque(q.numpy(), qd.numpy(), qdd.numpy())


def _motion(own: _Predicted) -> Array:
    return np.concatenate([x.numpy() for x in own.stretch.motion[:3]], axis=1)


def _rms(values: Sequence[Array]) -> list[float]:
    found: list[float] = np.sqrt(np.mean(np.concatenate(values) ** 2, axis=0)).tolist()
    return found


def _blocks(
    request: Request, found: Mapping[Split, Sequence[_Predicted]], joints: Sequence[str]
) -> list[BlockErrors]:
    """Of the same stretches of time as fits on factors state."""
    by_name: dict[tuple[str, Split], list[_Predicted]] = {}
    for split, stretches in found.items():
        for own in stretches:
            by_name.setdefault((own.stretch.recording, split), []).append(own)
    result = []
    for block in request.ready.data.blocks:
        errors = [
            (own.tau - own.total)[(t >= block.start_s - _HAIR) & (t <= block.end_s + _HAIR)]
            for own in by_name[block.recording, block.split]
            for t in [own.stretch.t.numpy()]
        ]
        e = np.concatenate(errors)
        result.append(
            BlockErrors(
                recording=block.recording,
                split=block.split,
                start_s=block.start_s,
                end_s=block.end_s,
                rmse=dict(zip(joints, np.sqrt(np.mean(e**2, axis=0)).tolist(), strict=True)),
                mean=dict(zip(joints, np.mean(e, axis=0).tolist(), strict=True)),
            )
        )
    return result
