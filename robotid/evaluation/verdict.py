"""Whether a fit can be used: one plain sentence, and reasons with what to do about each."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from robotid.contracts.fit import (
    Choice,
    Identifiability,
    Link,
    Metrics,
    Parameter,
    Reason,
    Status,
    Verdict,
)
from robotid.errors import Notice
from robotid.evaluation.gates import GateOptions

# Beyond these a fit may still predict well, so they are said and refuse nothing; gates can.
_HIGH_CONDITION, _VERY_HIGH_CONDITION = 100.0, 1e4
_OVERFIT = 2.0  # held-out over training error
_WITHIN = 1e-9  # how much better than a baseline is no better: rounding


class Fitted(NamedTuple):
    """What is judged.

    Args:
        status: how the fit ended.
        metrics: of its parameters, by split.
        baselines: the same of each baseline.
        parameters: with their status.
        identifiability: what the data show.
        links: as rigid bodies.
        consistent: whether the model promises that all of them can exist.
        choices: widths that were chosen among candidates.
    """

    status: Status
    metrics: Metrics
    baselines: Mapping[str, Metrics]
    parameters: Sequence[Parameter]
    identifiability: Identifiability
    links: Sequence[Link] = ()
    consistent: bool = False
    choices: Sequence[Choice] = ()


def judge(fitted: Fitted, gates: GateOptions | None = None) -> Verdict:
    """The verdict on a fit.

    It is not to be used when it did not converge, when it does not beat every baseline on held-out
    data, when a model that promises possible links gives others, or when a gate fails.
    """
    gates = gates or GateOptions()
    split = held_out(fitted.metrics)
    reasons = [
        *_not_converged(fitted.status),
        *_baselines(fitted, split),
        *_links(fitted),
        *_gates(fitted, split, gates),
    ]
    if reasons:
        why = "; ".join(reason.message for reason in reasons)
        return Verdict(usable=False, sentence=f"Not to be used: {why}.", reasons=reasons)
    own = fitted.metrics[split]["rmse"].mean
    compared = ", ".join(
        f"{_shown(metrics[split]['rmse'].mean)} for {_called(name)}"
        for name, metrics in fitted.baselines.items()
    )
    known = sum(parameter.status == "identified" for parameter in fitted.parameters)
    sentence = (
        f"Error {_shown(own)} on held-out data, {compared}; "
        f"{known} of {len(fitted.parameters)} parameters are identified."
    )
    return Verdict(usable=True, sentence=sentence, reasons=[])


def remarks(fitted: Fitted) -> list[Notice]:
    """What does not forbid to use a fit and should be known all the same."""
    split = held_out(fitted.metrics)
    return [*_excitation(fitted.identifiability), *_overfit(fitted, split), *_edges(fitted.choices)]


def held_out(metrics: Metrics) -> str:
    """The split that counts: the test, else validation, else (nothing was held out) training."""
    return next((split for split in ("test", "val") if split in metrics), "train")


def _not_converged(status: Status) -> list[Reason]:
    if status.converged:
        return []
    said = f"the fit did not converge: {status.message}"
    return [Reason(code="not-converged", message=said, hint=status.remedy)]


def _baselines(fitted: Fitted, split: str) -> list[Reason]:
    """Baselines that are as good, on the mean of the joints or of any one of them.

    A joint that hardly moves is predicted as well by its mean; only the mean over all joints
    refuses a fit, and the joints are named.
    """
    if split == "train":
        said = "no data were held out, so nothing shows how it predicts others"
        hint = "record another motion, or filter with hold_out"
        return [Reason(code="nothing-held-out", message=said, hint=hint)]
    reasons = []
    for name, metrics in fitted.baselines.items():
        own, other = fitted.metrics[split]["nmse_range"], metrics[split]["nmse_range"]
        if own.mean is not None and other.mean is not None:
            beaten = own.mean < other.mean * (1 - _WITHIN)
        else:  # a torque that never changed has no range
            own, other = fitted.metrics[split]["rmse"], metrics[split]["rmse"]
            beaten = (own.mean or 0.0) < (other.mean or 0.0) * (1 - _WITHIN)
        if beaten:
            continue
        joints = worse_joints(fitted.metrics, metrics, split)
        where = f" ({'worse' if joints else 'equal'} for {', '.join(joints) or 'all joints'})"
        said = (
            f"held-out error {_shown(fitted.metrics[split]['rmse'].mean)}, "
            f"{_called(name)} gives {_shown(metrics[split]['rmse'].mean)}{where}"
        )
        hint = "check the torque signal, the terms of the joints and the excitation"
        reasons.append(Reason(code="baseline-not-beaten", message=said, hint=hint))
    return reasons


def worse_joints(metrics: Metrics, baseline: Metrics, split: str) -> list[str]:
    """Joints that a baseline predicts better."""
    own, other = (given[split]["rmse"].joints for given in (metrics, baseline))
    return [j for j in own if (own[j] or 0.0) > (other.get(j) or 0.0) * (1 + _WITHIN)]


def _links(fitted: Fitted) -> list[Reason]:
    impossible = [link.name for link in fitted.links if not link.consistent]
    if not fitted.consistent or not impossible:
        return []
    said = f"no body can have the parameters of {', '.join(impossible)}"
    hint = "use model sdp, or start from it"
    return [Reason(code="links-not-consistent", message=said, hint=hint)]


def _gates(fitted: Fitted, split: str, gates: GateOptions) -> list[Reason]:
    reasons = []
    for limit, metric in ((gates.max_rmse, "rmse"), (gates.max_relative, "relative")):
        joints = fitted.metrics[split][metric].joints
        over = {j: v for j, v in joints.items() if limit is not None and (v or 0.0) > limit}
        if over:
            reasons.append(_gate(f"max_{metric}", _listed(metric, over), limit))
    ratios = _ratios(fitted.metrics, split)
    over = {j: v for j, v in ratios.items() if gates.max_overfit and v > gates.max_overfit}
    if over:
        said = _listed("held-out over training error", over)
        reasons.append(_gate("max_overfit", said, gates.max_overfit))
    data = fitted.identifiability
    if gates.max_condition and (data.condition is None or data.condition > gates.max_condition):
        shown = "infinite" if data.condition is None else f"{data.condition:.3g}"
        reasons.append(_gate("max_condition", f"condition number {shown}", gates.max_condition))
    if gates.full_rank and data.rank < data.structural_rank:
        said = f"the data show {data.rank} of {data.structural_rank} base parameters"
        reasons.append(_gate("full_rank", said, None))
    return reasons


def _gate(name: str, said: str, limit: float | None) -> Reason:
    beyond = "" if limit is None else f", more than {limit:g}"
    hint = "improve the data or the model, or change the limit"
    return Reason(code="gate-failed", message=f"{name}: {said}{beyond}", hint=hint)


def _listed(what: str, values: Mapping[str, float | None]) -> str:
    return f"{what} " + ", ".join(f"{value:.3g} of {joint}" for joint, value in values.items())


def _ratios(metrics: Metrics, split: str) -> dict[str, float]:
    """Held-out over training error of each joint, as shares of the torques there."""
    if split == "train":
        return {}
    own, other = (metrics[given]["relative"].joints for given in (split, "train"))
    return {j: value / low for j, value in own.items() if value and (low := other.get(j))}


def _excitation(data: Identifiability) -> list[Notice]:
    if data.rank < data.structural_rank:
        said = f"the data show {data.rank} of {data.structural_rank} base parameters"
        said += f"; not determined: {data.worst}" if data.worst else ""
        hint = "predictions of other motions are not to be trusted; record a richer motion"
        return [Notice(code="rank-deficient", message=said, hint=hint)]
    if data.condition is None or data.condition > _HIGH_CONDITION:
        much = "very high" if (data.condition or 1e99) > _VERY_HIGH_CONDITION else "high"
        shown = "infinite" if data.condition is None else f"{data.condition:.3g}"
        said = f"the condition number is {much}, {shown}"
        said += f"; determined worst: {data.worst}" if data.worst else ""
        hint = "record a motion that excites it"
        return [Notice(code="high-condition", message=said, hint=hint)]
    return []


def _overfit(fitted: Fitted, split: str) -> list[Notice]:
    ratios = _ratios(fitted.metrics, split)
    hint = "record more like it for training, or compare temperatures and payloads"
    return [
        Notice(
            code="held-out-worse",
            message=f"the share of the torque that is not explained is {ratio:.2g} times that of "
            "the training data: too many parameters, or other conditions",
            joint=joint,
            hint=hint,
        )
        for joint, ratio in ratios.items()
        if ratio > _OVERFIT
    ]


def _edges(choices: Sequence[Choice]) -> list[Notice]:
    return [
        Notice(
            code="width-at-edge",
            message=f"the best width of {choice.term} is the last one tried, {choice.chosen:g}",
            joint=choice.owner,
            hint="widen the grid of candidates",
        )
        for choice in choices
        if choice.at_edge
    ]


def _called(baseline: str) -> str:
    return {
        "zero": "no torque at all",
        "mean": "the mean torque",
        "nominal": "the robot file",
    }.get(baseline, baseline)


def _shown(rmse: float | None) -> str:
    return "unknown" if rmse is None else f"{rmse:.3g} N m"
