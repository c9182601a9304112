"""Reading a gate expression into a list of steps for a stack, without recursion and without eval.

Each operator waits on a stack until what follows binds less tightly (Dijkstra's shunting yard), so
nesting costs memory in proportion to the text and nothing else. Types are followed along: what is
compared must be numbers, what `and`, `or` and `not` join must be true or false.
"""

from dataclasses import dataclass
from typing import NamedTuple

from robotid.reporting.gates.names import Type, every_joint, type_of
from robotid.reporting.gates.tokens import GateError, Token, tokens


class Operator(NamedTuple):
    """How tightly an operator binds, how many values it takes, and of which type."""

    binds: int
    takes: int
    of: Type
    gives: Type


_COMPARES = 4
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
OPERATORS = {
    "or": Operator(1, 2, "truth", "truth"),
    "and": Operator(2, 2, "truth", "truth"),
    "not": Operator(3, 1, "truth", "truth"),
    **dict.fromkeys(_COMPARISONS, Operator(_COMPARES, 2, "number", "truth")),
    "+": Operator(5, 2, "number", "number"),
    "-": Operator(5, 2, "number", "number"),
    "*": Operator(6, 2, "number", "number"),
    "/": Operator(6, 2, "number", "number"),
    "negative": Operator(7, 1, "number", "number"),
}


@dataclass(frozen=True)
class Expression:
    """A gate.

    Args:
        text: as it was given, without the name of a fit.
        fit: the fit it is for; None for all.
        program: numbers, names and operators, operands first (reverse Polish notation).
    """

    text: str
    fit: str | None
    program: tuple[Token, ...]

    @property
    def names(self) -> list[Token]:
        """The names in it, in the order they stand there."""
        return sorted((t for t in self.program if t.kind == "name"), key=lambda t: t.column)

    @property
    def for_every_joint(self) -> bool:
        """Whether it is about each joint in turn."""
        return any(every_joint(name) for name in self.names)


def parse(text: str) -> Expression:
    """Read a gate: `EXPRESSION`, or `FIT: EXPRESSION`."""
    fit, own = _fit_and_rest(text)
    words = tokens(own)
    if not words:
        raise GateError(text, 1, "an expression is missing", "as in 'test.rmse > 0.1'")
    program = _ordered(own, words)
    _check_types(own, program)
    if not any(token.kind == "name" for token in program):
        raise GateError(own, 1, "it says nothing about a fit", "as in 'test.rmse > 0.1'")
    return Expression(own, fit, program)


def _fit_and_rest(text: str) -> tuple[str | None, str]:
    """The name before a colon that stands outside brackets, and the expression."""
    inside = False
    for place, character in enumerate(text):
        inside = character == "[" or (inside and character != "]")
        if character == ":" and not inside:
            fit = text[:place].strip()
            if not fit:
                raise GateError(text, place + 1, "the name of a fit is missing before ':'")
            return fit, text[place + 1 :].strip()
    return None, text.strip()


def _ordered(text: str, words: list[Token]) -> tuple[Token, ...]:
    program: list[Token] = []
    waiting: list[Token] = []
    value_next = True
    for token in words:
        if value_next:
            value_next = _take_operand(text, token, program, waiting)
        elif token.kind == "close":
            _close(text, token, program, waiting)
        elif token.kind == "operator" and token.text != "not":
            _release(text, token, program, waiting)
            waiting.append(token)
            value_next = True
        else:
            hint = "'not' stands before a condition" if token.text == "not" else None
            raise GateError(
                text, token.column, f"an operator is missing before {token.text!r}", hint
            )
    if value_next:
        raise GateError(text, len(text) + 1, "a value is missing")
    while waiting:
        token = waiting.pop()
        if token.kind == "open":
            raise GateError(text, token.column, "this parenthesis is never closed")
        program.append(token)
    return tuple(program)


def _take_operand(text: str, token: Token, program: list[Token], waiting: list[Token]) -> bool:
    """Take what may stand where a value is wanted; returns whether one still is."""
    if token.kind in ("number", "name"):
        program.append(token)
        return False
    if token.text == "-":
        token = token._replace(text="negative")
    if token.kind == "open" or token.text in ("not", "negative"):
        waiting.append(token)
        return True
    raise GateError(text, token.column, f"a value is missing before {token.text!r}")


def _release(text: str, token: Token, program: list[Token], waiting: list[Token]) -> None:
    """Apply the waiting operators that bind at least as tightly."""
    binds = OPERATORS[token.text].binds
    while waiting and waiting[-1].kind != "open" and OPERATORS[waiting[-1].text].binds >= binds:
        if binds == _COMPARES == OPERATORS[waiting[-1].text].binds:
            hint = "join two comparisons with 'and'"
            raise GateError(text, token.column, "comparisons cannot be chained", hint)
        program.append(waiting.pop())


def _close(text: str, token: Token, program: list[Token], waiting: list[Token]) -> None:
    while waiting and waiting[-1].kind != "open":
        program.append(waiting.pop())
    if not waiting:
        raise GateError(text, token.column, "this parenthesis was never opened")
    waiting.pop()


def _check_types(text: str, program: tuple[Token, ...]) -> None:
    """Follow the types of values through the program."""
    stack: list[Type] = []
    for token in program:
        if token.kind != "operator":
            stack.append("number" if token.kind == "number" else type_of(text, token))
            continue
        operator = OPERATORS[token.text]
        given = [stack.pop() for _ in range(operator.takes)]
        if any(kind != operator.of for kind in given):
            wanted = "numbers" if operator.of == "number" else "conditions, true or false"
            shown = "-" if token.text == "negative" else token.text
            raise GateError(text, token.column, f"{shown!r} takes {wanted}")
        stack.append(operator.gives)
    if stack != ["truth"]:
        hint = "compare it, as in 'test.rmse > 0.1'"
        raise GateError(text, 1, "this is a number, not a condition", hint)
