"""What names in a gate expression stand for.

test.rmse[joint3]                     an error; without brackets the mean, [*] every joint
baselines.nominal.test.rmse           the same of a baseline
parameters.link3.m.percent            or parameters["link3.m"].percent
identified, rank, condition, …        figures of a fit of torques, as parameters are
usable, converged, consistent         true or false
"""

from collections.abc import Callable, Iterable
from typing import Literal, get_args

from robotid.contracts.fit import AnyFit, FitResult, Metrics
from robotid.contracts.forward import ForwardResult
from robotid.contracts.splits import Split
from robotid.errors import nearest
from robotid.reporting.gates.tokens import GateError, Step, Token

Value = float | bool | None
Type = Literal["number", "truth"]

EVERY_JOINT = "*"
METRICS = ("rmse", "relative", "r2", "nmse_var", "nmse_range", "nmse_sum")
SPLITS: tuple[str, ...] = get_args(Split)
FIGURES: dict[str, Callable[[FitResult], float | None]] = {
    "identified": lambda fit: sum(p.status == "identified" for p in fit.parameters),
    "rank": lambda fit: fit.identifiability.rank,
    "structural_rank": lambda fit: fit.identifiability.structural_rank,
    "condition": lambda fit: fit.identifiability.condition,
}
TRUTHS: dict[str, Callable[[AnyFit], bool | None]] = {
    "usable": lambda fit: fit.verdict.usable,
    "converged": lambda fit: fit.status.converged,
    "consistent": lambda fit: all(link.consistent for link in fit.links) if fit.links else None,
}
ATTRIBUTES = ("value", "std", "percent", "nominal")
_HEADS = (*SPLITS, "baselines", "parameters", "samples", *FIGURES, *TRUTHS)


def type_of(text: str, name: Token) -> Type:
    """Whether a name is a number or true or false; refuses what no fit can have."""
    head, *rest = name.steps
    _known(text, head, _HEADS, "value")
    if head.text in FIGURES or head.text in TRUTHS:
        if rest:
            raise GateError(text, name.column, f"{head.text} has no parts")
        return "truth" if head.text in TRUTHS else "number"
    if head.text == "parameters":
        _check_parameter(text, name)
    elif head.text == "samples":
        _check_length(text, name, 2, "samples.SPLIT")
        _known(text, rest[0], SPLITS, "split")
    else:
        _check_metric(text, name)
    return "number"


def every_joint(name: Token) -> bool:
    """Whether a name stands for each joint in turn."""
    last = name.steps[-1]
    return last.bracketed and last.text == EVERY_JOINT


def value_of(text: str, name: Token, fit: AnyFit, joint: str | None) -> Value:
    """The value a name has in a fit; None where there is none.

    Args:
        text: the expression, for messages.
        name: checked by `type_of`.
        fit: whose value.
        joint: that `[*]` stands for.
    """
    head, *rest = name.steps
    if head.text in FIGURES:
        return FIGURES[head.text](_of_torques(text, head, fit))
    if head.text in TRUTHS:
        return TRUTHS[head.text](fit)
    if head.text == "samples":
        _known(text, rest[0], fit.samples, "split of this fit")
        return fit.samples[rest[0].text]
    if head.text == "parameters":
        return _parameter(text, name, _of_torques(text, head, fit))
    if head.text == "baselines":
        _known(text, rest[0], fit.baselines, "baseline")
        return _metric(text, fit.baselines[rest[0].text], list(rest[1:]), fit, joint)
    return _metric(text, fit.metrics, [head, *rest], fit, joint)


def _of_torques(text: str, head: Step, fit: AnyFit) -> FitResult:
    """The fit, where it is one that has such figures."""
    if not isinstance(fit, FitResult):
        kind = "a fit of accelerations" if isinstance(fit, ForwardResult) else "a learned model"
        said = f"{kind} has no {head.text!r}"
        hint = f"it has errors, baselines, samples, {', '.join(TRUTHS)}"
        raise GateError(text, head.column, said, hint)
    return fit


def _metric(
    text: str, metrics: Metrics, steps: list[Step], fit: AnyFit, joint: str | None
) -> float | None:
    split, metric, *place = steps
    _known(text, split, metrics, "split of this fit")
    _known(text, metric, metrics[split.text], "metric of this fit")
    found = metrics[split.text][metric.text]
    if not place:
        return found.mean
    if place[0].text == EVERY_JOINT and joint is not None:
        return found.joints.get(joint)
    _known(text, place[0], fit.joints, "joint")
    return found.joints.get(place[0].text)


def _parameter(text: str, name: Token, fit: FitResult) -> float | None:
    *middle, attribute = name.steps[1:]
    wanted = middle[0]._replace(text=".".join(step.text for step in middle))
    by_name = {parameter.name: parameter for parameter in fit.parameters}
    _known(text, wanted, by_name, "parameter")
    value: float | None = getattr(by_name[wanted.text], attribute.text)
    return value


def _check_metric(text: str, name: Token) -> None:
    steps = list(name.steps)
    form = "SPLIT.METRIC or SPLIT.METRIC[JOINT]"
    if steps[0].text == "baselines":
        form = f"baselines.NAME.{form}"
        steps = steps[2:]
    joint = steps.pop() if steps and steps[-1].bracketed else None
    if len(steps) != 2 or any(step.bracketed for step in steps) or (joint and not joint.text):
        raise GateError(text, name.column, f"{name.text} is not of the form {form}")
    _known(text, steps[0], SPLITS, "split")
    _known(text, steps[1], METRICS, "metric")


def _check_parameter(text: str, name: Token) -> None:
    form = 'parameters.NAME.ATTRIBUTE, or parameters["NAME"].ATTRIBUTE'
    if len(name.steps) < 3 or name.steps[-1].bracketed:
        raise GateError(text, name.column, f"{name.text} is not of the form {form}")
    _known(text, name.steps[-1], ATTRIBUTES, "attribute of a parameter")


def _check_length(text: str, name: Token, length: int, form: str) -> None:
    if len(name.steps) != length or name.steps[-1].bracketed:
        raise GateError(text, name.column, f"{name.text} is not of the form {form}")


def _known(text: str, step: Step, allowed: Iterable[str], what: str) -> None:
    words = list(allowed)
    if step.text not in words:
        raise GateError(
            text, step.column, f"no {what} is called {step.text!r}", nearest(step.text, words)
        )
