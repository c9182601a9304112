"""The words of a gate expression, with their places."""

import math
import re
from typing import Literal, NamedTuple

from robotid.errors import ConfigError

LONGEST = 100_000  # characters; more is a mistake

Kind = Literal["number", "name", "operator", "open", "close"]

_TOKEN = re.compile(
    r"""(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\W\d]\w*(?:\.\w+|\[(?:"[^"]*"|[^\[\]"]*)\])*)
    |(?P<operator><=|>=|==|!=|[<>+\-*/])
    |(?P<open>\()
    |(?P<close>\))""",
    re.VERBOSE,
)
_STEP = re.compile(r'\.?(?P<word>\w+)|\[\s*(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\[\]"]*))\s*\]')
_WORDS = ("and", "or", "not")
_ELSEWHERE = {"=": "==", "&": "and", "|": "or", "!": "not"}


class GateError(ConfigError, ValueError):
    """An expression that cannot be read; a ValueError too, so that pydantic names the key."""

    def __init__(self, text: str, column: int, message: str, hint: str | None = None) -> None:
        shown = text if len(text) <= 200 else text[:199] + "…"
        super().__init__("bad-gate", f"{message}, at column {column} of {shown!r}", hint=hint)
        self.at = column


class Step(NamedTuple):
    """A part of a name: a word behind a dot, or what stands in brackets; and its column."""

    text: str
    bracketed: bool
    column: int


class Token(NamedTuple):
    """A word of an expression.

    Args:
        kind: what it is.
        text: as it stands there.
        column: of its first character, from 1.
        number: its value, if it is one.
        steps: its parts, if it is a name.
    """

    kind: Kind
    text: str
    column: int
    number: float = 0.0
    steps: tuple[Step, ...] = ()


def tokens(text: str) -> list[Token]:
    """The words of an expression."""
    if len(text) > LONGEST:
        raise GateError(text, LONGEST, "too long")
    found = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unknown(text, place)
        found.append(_token(text, match))
        place = match.end()
    return found


def _token(text: str, match: re.Match[str]) -> Token:
    word, column = match[0], match.start() + 1
    if match["number"]:
        number = float(word)
        if not math.isfinite(number):
            raise GateError(text, column, f"{word} is too large a number")
        return Token("number", word, column, number=number)
    if match["name"] and word in _WORDS:
        return Token("operator", word, column)
    if match["name"]:
        steps = [
            Step(part["word"], False, column + part.start("word"))
            if part["word"] is not None
            else Step((part["quoted"] or part["bare"] or "").strip(), True, column + part.start())
            for part in _STEP.finditer(word)
        ]
        return Token("name", word, column, steps=tuple(steps))
    kind: Kind = "operator" if match["operator"] else "open" if match["open"] else "close"
    return Token(kind, word, column)


def _unknown(text: str, place: int) -> GateError:
    character = text[place]
    instead = _ELSEWHERE.get(character)
    if character in "[]":
        return GateError(
            text,
            place + 1,
            "a bracket without its partner",
            'as in test.rmse[joint3] or ["odd]name"]',
        )
    hint = f"write {instead!r}" if instead else None
    return GateError(text, place + 1, f"{character!r} means nothing here", hint)
