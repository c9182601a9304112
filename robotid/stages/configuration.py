"""Reading configurations: TOML files and flags into one pydantic model, with useful errors."""

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from robotid.errors import ConfigError, InputMissingError, RobotidError, from_os_error, nearest

MAX_BYTES = 1 << 20
_MAX_DEPTH = 20
_SHOWN = 5

Model = TypeVar("Model", bound=BaseModel)


class TomlFile:
    """A TOML file with its text, so that an error can name the line of a key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path.exists() and not path.is_file():
                raise ConfigError("not-a-file", "only regular files can be read", file=str(path))
            with path.open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
        except FileNotFoundError as error:
            raise InputMissingError(
                "not-found", "no such file", file=str(path), hint=_neighbour(path)
            ) from error
        except OSError as error:
            raise from_os_error(error, "reading the configuration") from error
        if len(raw) > MAX_BYTES:
            raise ConfigError("toml-too-large", f"more than {MAX_BYTES} bytes", file=str(path))
        try:
            self.text = raw.decode("utf-8")
            self.values: dict[str, Any] = parsed_toml(self.text)
        except UnicodeDecodeError as error:
            line = raw[: error.start].count(b"\n") + 1
            raise ConfigError("toml-encoding", "not UTF-8", file=str(path), line=line) from error
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(error) from error

    def line_of(self, keys: tuple[str, ...]) -> int | None:
        """The line a key is set in, or the table around it, as far as a look at the text tells."""
        table: tuple[str, ...] = ()
        best: tuple[int, int] | None = None  # (number of matching parts, line)
        for number, text in enumerate(self.text.splitlines(), start=1):
            line = text.strip()
            header = re.match(r"\[+([^\[\]]+)\]+", line)
            if header:
                table = _key_parts(header[1])
                found = table
            elif "=" in line and not line.startswith("#"):
                found = table + _key_parts(line.split("=", 1)[0])
            else:
                continue
            depth = min(len(found), len(keys))
            if found[:depth] == keys[:depth] and (best is None or depth > best[0]):
                best = depth, number
        return best[1] if best else None

    def _syntax_error(self, error: tomllib.TOMLDecodeError) -> ConfigError:
        said = str(error)
        place = re.search(r"\(at line (\d+), column (\d+)\)", said)
        line = int(place[1]) if place else None
        if said.endswith("(at end of document)"):
            line = self.text.count("\n") + 1
        column = int(place[2]) if place else None
        message = re.sub(r" \(at .*\)$", "", said)
        return ConfigError("toml-syntax", message, file=str(self.path), line=line, column=column)


def parsed_toml(text: str) -> dict[str, Any]:
    """The values of a TOML text; whatever is wrong with it is a `TOMLDecodeError`."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise tomllib.TOMLDecodeError("nested too deeply") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise tomllib.TOMLDecodeError("a number has too many digits") from error
    level: list[Any] = [values]
    for _ in range(_MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return values
    raise tomllib.TOMLDecodeError(f"nested more than {_MAX_DEPTH} deep")


def parse_config(
    model: type[Model],
    values: Mapping[str, Any],
    *,
    prefix: tuple[str, ...] = (),
    source: TomlFile | None = None,
    flags: frozenset[str] = frozenset(),
) -> Model:
    """A validated configuration from plain values.

    Args:
        model: the configuration class.
        values: its keys, as TOML or flags give them.
        prefix: where the values stand in `source`, for messages.
        source: the file they come from.
        flags: the keys among them that come from the command line instead.
    """

    def fail(
        code: str, keys: tuple[str, ...], message: str, hint: str | None = None
    ) -> ConfigError:
        path = prefix + keys
        said = f"{'.'.join(path)}: {message}" if path else message
        if source is None or flags.intersection(keys[:1]):
            return ConfigError(code, said, hint=hint)
        file, line = str(source.path), source.line_of(path)
        return ConfigError(code, said, file=file, line=line, hint=hint)

    for keys, value in _leaves(values):
        if isinstance(value, float) and not math.isfinite(value):
            raise fail("bad-value", keys, f"{value} is not a finite number")
        if not isinstance(value, str | int | float | bool | None):
            raise fail("bad-value", keys, f"a {type(value).__name__} is not allowed here")
    try:
        # Through JSON, because strictness there is about types (no "5" for 5), not about
        # Python's containers (a list may fill a tuple).
        return model.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        # A misspelt key comes before the complaint that the right one is missing.
        problems = sorted(
            error.errors(include_url=False), key=lambda p: p["type"] != "extra_forbidden"
        )
        first = problems[0]
        keys = tuple(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            known = _fields_at(model, keys[:-1])
            raise fail("unknown-key", keys, "unknown key", nearest(keys[-1], known)) from error
        own = first.get("ctx", {}).get("error")
        if isinstance(own, RobotidError):  # of a value that has a syntax of its own
            raise fail(own.notice.code, keys, own.notice.message, own.notice.hint) from error
        others = len(problems) - 1
        more = f"{others} more: {_listed(problems[1:])}" if others else None
        raise fail("bad-value", keys, _said(first), more) from error


def _said(problem: Any) -> str:
    given = problem.get("input")
    message = str(problem["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    if not isinstance(given, str | int | float | bool) or repr(given) in message:
        return message
    return f"{message}, not {given!r}"


def _listed(problems: list[Any]) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {_said(problem)}"
        for problem in problems[:_SHOWN]
    )


def _leaves(values: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(values, Mapping):
        for key, value in values.items():
            yield from _leaves(value, (*keys, str(key)))
    elif isinstance(values, list | tuple):
        for position, value in enumerate(values):
            yield from _leaves(value, (*keys, str(position)))
    else:
        yield keys, values


def _fields_at(model: type[BaseModel], keys: tuple[str, ...]) -> list[str]:
    """Field names of the (nested) model that `keys` lead to."""
    left = iter(keys)
    for key in left:
        field = model.model_fields.get(key)
        if field and get_origin(field.annotation) is dict:
            next(left, None)  # the name of a table among others
        kinds = (field.annotation, *get_args(field.annotation)) if field else ()
        inner = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if not inner:
            return []
        model = inner[0]
    return list(model.model_fields)


def _key_parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in text.split("."))


def _neighbour(path: Path) -> str | None:
    """A hint naming the file that was probably meant."""
    try:
        names = [child.name for child in path.absolute().parent.iterdir() if child.is_file()]
    except OSError:
        return f"the folder {path.parent} does not exist"
    close = nearest(path.name, names)
    return close if close.startswith("did you") else None
