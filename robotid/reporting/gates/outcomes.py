"""Gates put to fits."""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from robotid.contracts.fit import AnyFit
from robotid.errors import ConfigError, nearest
from robotid.reporting.facts import GateOutcome
from robotid.reporting.gates.expression import Expression, parse
from robotid.reporting.gates.names import Value, value_of

_MOST_JOINTS = 3  # that are shown with their values

_APPLY: dict[str, Callable[..., Any]] = {
    "or": lambda a, b: a or b,
    "and": lambda a, b: a and b,
    "not": operator.not_,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a / b if b else None,
    "negative": operator.neg,
}


def outcomes(gates: Sequence[str], fits: Mapping[str, AnyFit]) -> list[GateOutcome]:
    """What becomes of each gate, for each fit it is for."""
    found = []
    for text in gates:
        gate = parse(text)
        if gate.fit is not None and gate.fit not in fits:
            raise ConfigError(
                "bad-gate",
                f"no fit is called {gate.fit!r}, in {text!r}",
                hint=nearest(gate.fit, fits),
            )
        chosen = [name for name in fits if gate.fit in (None, name)]
        found += [_outcome(gate, name, fits[name]) for name in chosen]
    return found


def _outcome(gate: Expression, name: str, fit: AnyFit) -> GateOutcome:
    joints: list[str | None] = [*fit.joints] if gate.for_every_joint else [None]
    failed: dict[str | None, str] = {}
    said = ""
    for joint in joints:
        values = {t.column: value_of(gate.text, t, fit, joint) for t in gate.names}
        result = _evaluated(gate, values)
        said = _plugged(gate, values, joint)
        if result is None:
            empty = [_label(t.text, joint) for t in gate.names if values[t.column] is None]
            why = (
                f"{', '.join(empty)} has no value" if empty else "a division by zero, or too large"
            )
            said = f"{said}: {why}"
        if result is not False:
            failed[joint] = said
    if gate.for_every_joint:
        said = _listed(failed, len(joints))
    return GateOutcome(
        fit=name,
        expression=gate.text,
        passed=not failed,
        joints=[joint for joint in failed if joint is not None],
        said=said,
    )


def _evaluated(gate: Expression, values: Mapping[int, Value]) -> bool | None:
    """Whether the condition holds; None where it has no value."""
    stack: list[Value] = []
    for token in gate.program:
        if token.kind == "number":
            stack.append(token.number)
        elif token.kind == "name":
            stack.append(values[token.column])
        else:
            one = token.text in ("not", "negative")
            given = [stack.pop()] if one else [stack.pop(), stack.pop()][::-1]
            result = None if None in given else _APPLY[token.text](*given)
            stack.append(None if result is None or not math.isfinite(result) else result)
    result = stack.pop()
    return None if result is None else bool(result)


def _plugged(gate: Expression, values: Mapping[int, Value], joint: str | None) -> str:
    """The expression with values in place of names."""
    said, end = "", 0
    for token in gate.names:
        value = values[token.column]
        shown = (
            "no value"
            if value is None
            else str(value).lower()
            if isinstance(value, bool)
            else f"{value:.6g}"
        )
        said += gate.text[end : token.column - 1] + shown
        end = token.column - 1 + len(token.text)
    said += gate.text[end:]
    return said if joint is None else f"{joint}: {said}"


def _label(text: str, joint: str | None) -> str:
    return text if joint is None else text.replace("[*]", f"[{joint}]")


def _listed(failed: Mapping[str | None, str], joints: int) -> str:
    if not failed:
        return f"holds for none of {joints} joints"
    shown = list(failed.values())[:_MOST_JOINTS]
    more = len(failed) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
