"""Errors of accelerations beside baselines, and whether a model is to be used."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.fit import Metrics, Reason, Status, Verdict, held_out
from robotid.contracts.splits import Split
from robotid.contracts.words import ACCELERATION_BASELINES as BASELINES
from robotid.contracts.words import DATA
from robotid.dynamics.aba import aba
from robotid.evaluation.scores import Predict, has_physical_links, scores_of_samples
from robotid.identification.forward.samples import read
from robotid.identification.request import Request
from robotid.models.forward_models import ForwardModel
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_BETTER = 0.999  # of a baseline's error: what counts as better
_TRIVIAL = ("zero", "mean")  # baselines that a model has to beat


def scored(request: Request, model: ForwardModel) -> tuple[Metrics, dict[str, Metrics]]:
    """Metrics of a model and of its baselines, by split, in passes over the samples."""
    robot = request.ready.data.layout.robot
    accelerations = partial(_accelerations, request)
    means = np.mean(np.concatenate([batch[-robot.n :] for batch in accelerations("train")], 1), 1)
    predictions: dict[str, Predict] = {
        "zero": lambda *given: np.zeros_like(given[0]),
        "mean": lambda *given: np.broadcast_to(means, given[0].shape),
    }
    if has_physical_links(robot):
        predictions["nominal"] = partial(_by_file, robot)
    own = scores_of_samples(accelerations, robot, partial(_by_model, model))
    return own, {
        name: scores_of_samples(accelerations, robot, predict)
        for name, predict in predictions.items()
    }


def _accelerations(request: Request, split: Split) -> Iterator[Array]:
    """Batches of q, qd, tau and qdd: what is predicted comes last."""
    n = request.ready.data.layout.robot.n
    for batch in read(request, split):
        yield np.concatenate([batch[: 2 * n], batch[3 * n :], batch[2 * n : 3 * n]])


def _by_model(model: ForwardModel, q: Array, qd: Array, tau: Array) -> Array:
    with torch.no_grad():
        found: Array = model(*(torch.from_numpy(x.copy()) for x in (tau, q, qd))).numpy()
    return found


def _by_file(robot: RobotTree, q: Array, qd: Array, tau: Array) -> Array:
    damping = np.array([joint.damping for joint in robot.driven])
    dry = np.array([abs(joint.friction) for joint in robot.driven])
    torque = tau - damping * qd - dry * np.sign(qd)
    return aba(robot, *(torch.from_numpy(x.copy()) for x in (q, qd, torque))).numpy()


def judged(status: Status, metrics: Metrics, baselines: Mapping[str, Metrics]) -> Verdict:
    """Whether to use a model, in one sentence, and why not."""
    split = held_out(metrics)
    error = metrics[split]["nmse_var"].mean
    reasons = []
    if not status.converged:
        said = f"the training did not converge: {status.message}"
        reasons.append(Reason(code="not-converged", message=said, hint=status.remedy))
    if error is None or not np.isfinite(error):
        said = f"accelerations of {DATA[split]} have no finite error"
        reasons.append(Reason(code="no-error", message=said, hint="look at the data"))
    else:
        for name in _TRIVIAL:
            other = baselines[name][split]["nmse_var"].mean
            if other is not None and not error < _BETTER * other:
                said = f"{BASELINES[name]} predicts {DATA[split]} as well"
                hint = "more or better data, another model, or more training"
                reasons.append(Reason(code="no-better", message=said, hint=hint))
    return Verdict(
        usable=not reasons, sentence=_sentence(metrics, baselines, split), reasons=reasons
    )


def _sentence(metrics: Metrics, baselines: Mapping[str, Metrics], split: str) -> str:
    share = metrics[split]["nmse_var"].mean
    said = "no value" if share is None else f"{100 * share:.3g} %"
    sentence = f"{said} of the variance of the accelerations is unexplained on {DATA[split]}"
    nominal = baselines.get("nominal", {}).get(split)
    if nominal is not None and nominal["nmse_var"].mean is not None:
        sentence += f", {100 * nominal['nmse_var'].mean:.3g} % by {BASELINES['nominal']}"
    return f"{sentence}."
