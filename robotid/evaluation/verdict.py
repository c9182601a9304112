"""Whether a fit can be used: one plain sentence, and reasons with what to do about each."""

import math
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
    held_out,
)
from robotid.contracts.words import BASELINES, DATA
from robotid.evaluation.gates import GateOptions

_ROUNDING = 1e-9  # of an error: a joint that is worse by less is not
# Of an error: what is better by less is as good. A parameter that means nothing gains or loses
# about 1 / 2N on N independent samples, so this is chance with 500, and nothing to anyone with
# more.
_GAIN = 1e-3
# A load that is tied to the right link explains what it does: most of the error without it goes, or
# what is left is that of the robot alone.
_LEFT, _OF_ALONE = 0.5, 2.0
_EXACT = 1e-3  # of the torque: errors so small need no comparing


class Fitted(NamedTuple):
    """What is judged.

    Args:
        status: how the fit ended.
        metrics: of its parameters, by split.
        baselines: the same of each baseline.
        parameters: with their status; none of a model that is learned.
        identifiability: what the data show of them.
        links: as rigid bodies.
        consistent: whether the model promises that all of them can exist.
        choices: widths that were chosen among candidates.
        units: of torque, by joint.
        asked: what was asked for besides parameters, such as a load, in words.
        reasons: not to use it that were found on the way.
        alone: of a robot with a load, the held-out error of the fit without it on its own data.
    """

    status: Status
    metrics: Metrics
    baselines: Mapping[str, Metrics]
    parameters: Sequence[Parameter] = ()
    identifiability: Identifiability | None = None
    links: Sequence[Link] = ()
    consistent: bool = False
    choices: Sequence[Choice] = ()
    units: Mapping[str, str] = {}
    asked: str = ""
    reasons: Sequence[Reason] = ()
    alone: float | None = None

    @property
    def unit(self) -> str:
        """Of errors over all joints: a mean over turning and sliding joints is of either kind."""
        return torque_unit(self.units)


def torque_unit(units: Mapping[str, str]) -> str:
    """Of errors over joints with these units."""
    found = set(units.values()) or {"N m"}
    return " or ".join(unit for unit in ("N m", "N") if unit in found)


def judge(fitted: Fitted, gates: GateOptions | None = None) -> Verdict:
    """The verdict on a fit.

    It is not to be used when it did not converge, when some baseline predicts held-out data as
    well, when a model that promises possible links gives others, when a load does not explain what
    it should, or when a gate fails.
    """
    gates = gates or GateOptions()
    split = held_out(fitted.metrics)
    reasons = [
        *fitted.reasons,
        *_not_converged(fitted.status),
        *_baselines(fitted, split),
        *_links(fitted),
        *_load(fitted, split),
        *_gates(fitted, split, gates),
    ]
    if reasons:
        why = "; ".join(reason.message for reason in reasons)
        return Verdict(usable=False, sentence=f"Not to be used: {why}.", reasons=reasons)
    own = fitted.metrics[split]["rmse"].mean
    compared = ", ".join(
        f"{_shown(metrics[split]['rmse'].mean, fitted.unit)} for {BASELINES[name]}"
        for name, metrics in fitted.baselines.items()
    )
    begin = f"{fitted.asked}; error" if fitted.asked else "Error"
    sentence = f"{begin} {_shown(own, fitted.unit)} on {DATA[split]}, {compared}"
    if fitted.parameters:
        known = sum(parameter.status == "identified" for parameter in fitted.parameters)
        sentence += f"; {known} of {len(fitted.parameters)} parameters are identified"
    return Verdict(usable=True, sentence=f"{sentence}.", reasons=[])


def _not_converged(status: Status) -> list[Reason]:
    if status.converged:
        return []
    said = f"the fit did not converge: {status.message}"
    return [Reason(code="not-converged", message=said, hint=status.remedy)]


def _baselines(fitted: Fitted, split: str) -> list[Reason]:
    """Baselines that predict as well over all joints, in torque or with each in units of its range.

    Strong joints decide the one mean, all alike the other. A joint that hardly moves is predicted
    as well by its mean; it alone does not refuse a fit.
    """
    own, reasons = _means(fitted.metrics, split, fitted.unit), []
    for name, metrics in fitted.baselines.items():
        other = _means(metrics, split, fitted.unit)
        if own.better_than(other):
            continue
        joints = worse_joints(fitted.metrics, metrics, split)
        where = f"worse for {', '.join(joints)}" if joints else "not better by as much as 0.1 %"
        said = f"error {own} on {DATA[split]}, {BASELINES[name]} gives {other}; {where}"
        hint = "check the torque signal, the terms of the joints and the excitation"
        reasons.append(Reason(code="baseline-not-beaten", message=said, hint=hint))
    return reasons


class _Means(NamedTuple):
    """Error over all joints with its unit, and as a share of the range of the training data."""

    rmse: float
    of_range: float
    unit: str

    def better_than(self, other: "_Means") -> bool:
        within = 1 - _GAIN
        return self.rmse < other.rmse * within and self.of_range < other.of_range * within

    def __str__(self) -> str:
        return f"{self.rmse:.3g} {self.unit} ({100 * self.of_range:.3g} % of the range)"


def _means(metrics: Metrics, split: str, unit: str) -> _Means:
    """Without a value they are infinite: a torque that never changed shows nothing."""
    rmse, of_range = (metrics[split][name].mean for name in ("rmse", "nmse_range"))
    return _Means(
        math.inf if rmse is None else rmse,
        math.inf if of_range is None else math.sqrt(of_range),
        unit,
    )


def worse_joints(metrics: Metrics, baseline: Metrics, split: str) -> list[str]:
    """Joints that a baseline predicts better, beyond the rounding of the largest torque."""
    own, other = (given[split]["rmse"].joints for given in (metrics, baseline))
    # A joint without a motor has no torque at all: a baseline is exact, a model nearly so.
    nothing = _ROUNDING * max((error or 0.0 for error in other.values()), default=0.0)
    return [j for j in own if (own[j] or 0.0) > max((other[j] or 0.0) * (1 + _ROUNDING), nothing)]


def impossible_links(fitted: Fitted) -> list[str]:
    """Names of links that no body can be."""
    return [link.name for link in fitted.links if not link.consistent]


def _links(fitted: Fitted) -> list[Reason]:
    impossible = impossible_links(fitted)
    if not fitted.consistent or not impossible:
        return []
    said = f"no body can have the parameters of {', '.join(impossible)}"
    hint = "use model sdp, or start from it"
    return [Reason(code="links-not-consistent", message=said, hint=hint)]


def _load(fitted: Fitted, split: str) -> list[Reason]:
    """A load at the wrong link, or next to something else that has changed, explains little."""
    if fitted.alone is None:
        return []
    own, without = (
        metrics[split]["rmse"].mean or 0.0
        for metrics in (fitted.metrics, fitted.baselines["unloaded"])
    )
    if own <= max(_LEFT * without, _OF_ALONE * fitted.alone):
        return []
    with_it, bare, alone = (_shown(x, fitted.unit) for x in (own, without, fitted.alone))
    said = (
        f"the load explains little: error {with_it} on {DATA[split]}, {bare} without it, "
        f"{alone} for the robot alone"
    )
    hint = "check the link of the load, and what else changed in between (anew)"
    return [Reason(code="load-not-explained", message=said, hint=hint)]


def _gates(fitted: Fitted, split: str, gates: GateOptions) -> list[Reason]:
    """Limits that are exceeded, and those of which nobody can say whether they are."""
    reasons = []
    own = fitted.metrics[split]
    for limit, metric in ((gates.max_rmse, "rmse"), (gates.max_relative, "relative")):
        if limit is not None:
            reasons += _beyond(f"max_{metric}", metric, own[metric].joints, limit)
    if gates.max_overfit is not None and split == "train":
        reasons.append(_gate("max_overfit", "no data were held out to compare with", None))
    elif gates.max_overfit is not None:
        ratios, said = error_ratios(fitted.metrics, split), "held-out over training error"
        reasons += _beyond("max_overfit", said, ratios, gates.max_overfit)
    data = fitted.identifiability
    if data is None:
        return reasons
    if gates.max_condition and (data.condition is None or data.condition > gates.max_condition):
        shown = "infinite" if data.condition is None else f"{data.condition:.3g}"
        reasons.append(_gate("max_condition", f"condition number {shown}", gates.max_condition))
    if gates.full_rank and data.rank < data.structural_rank:
        said = f"the data show {data.rank} of {data.structural_rank} base parameters"
        reasons.append(_gate("full_rank", said, None))
    return reasons


def _beyond(gate: str, what: str, values: Mapping[str, float | None], limit: float) -> list[Reason]:
    """Values above a limit; one that is not there may be, so the gate is not met."""
    unknown = [joint for joint, value in values.items() if value is None or math.isnan(value)]
    over = {j: v for j, v in values.items() if j not in unknown and v is not None and v > limit}
    reasons = [_gate(gate, _listed(what, over), limit)] if over else []
    if unknown:
        reasons.append(_gate(gate, f"{what} of {', '.join(unknown)} has no value", None))
    return reasons


def _gate(name: str, said: str, limit: float | None) -> Reason:
    beyond = "" if limit is None else f", more than {limit:g}"
    hint = "improve the data or the model, or change the limit"
    return Reason(code="gate-failed", message=f"{name}: {said}{beyond}", hint=hint)


def _listed(what: str, values: Mapping[str, float]) -> str:
    return f"{what} " + ", ".join(f"{value:.3g} of {joint}" for joint, value in values.items())


def error_ratios(metrics: Metrics, split: str) -> dict[str, float | None]:
    """Held-out over training error of each joint, as shares of the torques there.

    None where one of them has no value. Joints whose held-out error is below a thousandth of their
    torque are left out.
    """
    if split == "train":
        return {}
    own, other = (metrics[given]["relative"].joints for given in (split, "train"))
    return {
        joint: _ratio(value, other[joint])
        for joint, value in own.items()
        if value is None or not value <= _EXACT
    }


def _ratio(value: float | None, training: float | None) -> float | None:
    if value is None or training is None:
        return None
    return value / training if training > 0 else math.inf


def _shown(rmse: float | None, unit: str) -> str:
    return "unknown" if rmse is None else f"{rmse:.3g} {unit}"
