"""Sweeps: the stages of a pipeline varied along axes.

[sweep.axes.seed]
keys = ["fit.seed"]                # every key gets the value
values = [0, 1, 2]

[sweep.axes.held_out]
keys = ["ingest.test"]
values = [["run1"], ["run2", "run3"]]   # a list is one value

[sweep.axes.model.choices]         # or choices with a name, each with any keys of any stages
rigid.fit = { model = "sdp" }
smooth = { filter = { cutoff_hz = 3.0 }, fit = { model = "wls" } }

A stage varies along the axes that set a key of it, and along those of the stages it takes results
from. `gathers` ends axes, `["*"]` all that reach the stage: it then takes the results of all their
choices at once.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import combinations, product
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from robotid.errors import ConfigError, nearest
from robotid.stages.configuration import TomlFile

_CHOICE = re.compile(r"[A-Za-z0-9+-][A-Za-z0-9._+-]{0,63}")
_EVERY = "*"
_AXIS = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

Tables = Mapping[str, Mapping[str, Any]]  # stages by name, as TOML has them


Value = str | int | float | bool


class Axis(BaseModel):
    """One `[sweep.axes.NAME]` table: `keys` and `values`, or `choices`."""

    model_config = ConfigDict(extra="forbid")

    keys: list[str] = Field(
        default=[], description="Keys that take the values, each as STAGE.KEY.", max_length=100
    )
    values: list[Value | list[Value]] = Field(
        default=[], description="What the keys are set to, one after the other."
    )
    choices: dict[str, dict[str, dict[str, Any]]] = Field(
        default={}, description="By the name of a choice: for each stage, keys and their values."
    )


class Sweep(BaseModel):
    """The `[sweep]` table."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(
        default=1000, ge=1, le=100_000, description="More stages than this are refused."
    )
    axes: dict[str, Axis] = Field(default={}, description="What is varied, by name.")


class Variation(NamedTuple):
    """A stage as one combination of choices has it.

    Args:
        name: of its own, such as `fit/seed=0/model=rigid`.
        origin: the table of the file it comes from.
        table: that table with the keys of the choices set and its references led to variations.
        set_by: for the keys that choices set, the axis.
    """

    name: str
    origin: str
    table: dict[str, Any]
    set_by: dict[tuple[str, ...], str]


def variations(tables: Tables, sweep: Sweep, source: TomlFile) -> list[Variation]:
    """All variations of all stages, in the order of the file."""
    return list(_Expansion(tables, sweep, source).all())


def always_set(sweep: Sweep) -> dict[tuple[str, ...], str]:
    """Keys that every choice of some axis sets, whatever their tables say, and that axis."""
    found: dict[tuple[str, ...], str] = {}
    for name, axis in sweep.axes.items():
        own = {tuple(key.split(".")) for key in axis.keys}
        choices = [set(_paths(choice)) for choice in axis.choices.values()] or [own]
        found |= dict.fromkeys(set.intersection(*choices), name)
    return found


class _Expansion:
    def __init__(self, tables: Tables, sweep: Sweep, source: TomlFile) -> None:
        self._tables, self._source, self._names = tables, source, tuple(sweep.axes)
        # By axis and choice: for each stage, the keys that are set.
        self._axes = {name: self._choices(name, axis) for name, axis in sweep.axes.items()}
        self._check_keys()
        self._along = self._axes_of_stages()
        self._check_size(sweep.limit)

    def all(self) -> Iterator[Variation]:
        for origin in self._tables:
            for chosen in self._combinations(self._along[origin]):
                yield self._variation(origin, chosen)

    def _choices(self, name: str, axis: Axis) -> dict[str, dict[str, dict[str, Any]]]:
        where = ("sweep", "axes", name)
        if not _AXIS.fullmatch(name):
            raise self._fail("bad-name", where, "not lower-case letters, digits, '-' and '_'")
        if bool(axis.choices) == bool(axis.keys or axis.values):
            said = "an axis has either keys and values, or choices"
            raise self._fail("bad-value", where, said)
        if axis.choices:
            found: dict[str, dict[str, dict[str, Any]]] = dict(axis.choices)
        else:
            if not axis.values or not axis.keys:
                others = [other for other in self._names if other != name]
                hint = nearest(name, others) if others else None
                raise self._fail("bad-value", where, "keys and values are given together", hint)
            found = {_word(value): self._set(where, axis.keys, value) for value in axis.values}
            alike = any(a == b and type(a) is not bool for a, b in combinations(axis.values, 2))
            if len(found) < len(axis.values) or alike:
                raise self._fail("bad-value", (*where, "values"), "a value is given twice")
            if "" in found:
                raise self._fail("bad-value", (*where, "values"), "an empty list has no name")
        for choice, settings in found.items():
            if not _CHOICE.fullmatch(choice):
                said = f"{choice!r} cannot be the name of a choice"
                hint = "letters, digits and . _ + - only; choices = {…} can name any value"
                raise self._fail("bad-name", where, said, hint)
            for stage, keys in settings.items():
                if stage not in self._tables:
                    said = f"{choice}: no stage is called {stage!r}"
                    raise self._fail("unknown-stage", where, said, nearest(stage, self._tables))
                if "gathers" in keys:
                    said = f"{choice}: what {stage} gathers cannot be varied"
                    raise self._fail("bad-value", where, said, f"stages.{stage}.gathers says it")
        return found

    def _set(
        self, where: tuple[str, ...], keys: Sequence[str], value: Any
    ) -> dict[str, dict[str, Any]]:
        settings: dict[str, dict[str, Any]] = {}
        for key in keys:
            stage, dot, rest = key.partition(".")
            if not (dot and stage and rest):
                raise self._fail("bad-value", (*where, "keys"), f"{key!r} is not STAGE.KEY")
            *outer, last = rest.split(".")
            table = settings.setdefault(stage, {})
            for part in outer:
                table = table.setdefault(part, {})
                if not isinstance(table, dict):
                    said = f"{key!r}: {part!r} is a value, and holds no keys"
                    raise self._fail("bad-value", (*where, "keys"), said)
            table[last] = value
        return settings

    def _check_keys(self) -> None:
        """No two axes set the same key: which one would count?"""
        owners: dict[tuple[str, ...], str] = {}
        for axis, choices in self._axes.items():
            for settings in choices.values():
                for key in _paths(settings):
                    other = owners.setdefault(key, axis)
                    if other != axis:
                        said = f"{'.'.join(key)} is set by {other} as well"
                        raise self._fail("bad-value", ("sweep", "axes", axis), said)

    def _axes_of_stages(self) -> dict[str, list[str]]:
        """The axes that each stage varies along, in the order of the file."""
        own = {
            stage: {
                axis
                for axis, choices in self._axes.items()
                if any(stage in settings for settings in choices.values())
            }
            for stage in self._tables
        }
        ended = {stage: self._gathered(stage, own[stage]) for stage in self._tables}
        needs = {stage: self._needs(stage) for stage in self._tables}
        found = {stage: own[stage] - ended[stage] for stage in self._tables}
        for _ in self._tables:  # as often as the longest way through the graph could need
            for stage in self._tables:
                found[stage] |= {axis for other in needs[stage] for axis in found[other]}
                found[stage] -= ended[stage]
        for stage, own_needs in needs.items():
            self._check_gathered(stage, {axis for other in own_needs for axis in found[other]})
        return {stage: [axis for axis in self._axes if axis in found[stage]] for stage in found}

    def _gathered(self, stage: str, own: set[str]) -> set[str]:
        ended = self._tables[stage].get("gathers", [])
        where = ("stages", stage, "gathers")
        if ended == [_EVERY]:
            return set(self._axes) - own
        for axis in ended:
            if axis not in self._axes:
                said = f"the sweep has no axis {axis!r}"
                raise self._fail("bad-value", where, said, nearest(axis, self._axes))
            if axis in own:
                raise self._fail("bad-value", where, f"{axis} sets keys of {stage} itself")
        return set(ended)

    def _check_gathered(self, stage: str, reaching: set[str]) -> None:
        """An axis that ends nowhere was meant to be of something else."""
        for axis in self._tables[stage].get("gathers", []):
            if axis != _EVERY and axis not in reaching:
                said = f"nothing that {stage} takes results from varies along {axis}"
                raise self._fail("bad-value", ("stages", stage, "gathers"), said)

    def _needs(self, stage: str) -> set[str]:
        """Stages that a stage takes results from, in any of its variations."""
        tables = [self._tables[stage]] + [
            settings[stage]
            for choices in self._axes.values()
            for settings in choices.values()
            if stage in settings
        ]
        given = [one for table in tables for one in _as_dict(table.get("inputs")).values()]
        names = {ref[1:] for one in given for ref in _as_list(one) if ref.startswith("@")}
        return names & set(self._tables)

    def _check_size(self, limit: int) -> None:
        count = 0
        for axes in self._along.values():
            size = 1
            for axis in axes:
                size *= len(self._axes[axis])
            count += size
        if count > limit:
            said = f"the sweep has {count} stages, more than its limit of {limit}"
            hint = "fewer values, or a higher limit (sweep.limit)"
            raise self._fail("sweep-too-large", ("sweep",), said, hint)

    def _combinations(self, axes: Sequence[str]) -> Iterator[dict[str, str]]:
        for chosen in product(*(self._axes[axis] for axis in axes)):
            yield dict(zip(axes, chosen, strict=True))

    def _variation(self, origin: str, chosen: Mapping[str, str]) -> Variation:
        table = deepcopy(dict(self._tables[origin]))
        set_by: dict[tuple[str, ...], str] = {}
        for axis, choice in chosen.items():
            settings = self._axes[axis][choice].get(origin, {})
            _put(table, settings)
            set_by |= dict.fromkeys(_paths(settings), axis)
        if isinstance(table.get("inputs"), dict):
            table["inputs"] = {
                role: self._led(given, chosen) for role, given in table["inputs"].items()
            }
        return Variation(name=_name(origin, chosen), origin=origin, table=table, set_by=set_by)

    def _led(self, given: Any, chosen: Mapping[str, str]) -> Any:
        """References of an input, each to the variations that belong to these choices."""
        if isinstance(given, str):
            found = self._matching(given, chosen)
            return found[0] if len(found) == 1 else found
        if isinstance(given, list):
            return [name for one in _as_list(given) for name in self._matching(one, chosen)]
        return given

    def _matching(self, given: str, chosen: Mapping[str, str]) -> list[str]:
        name = given[1:]
        if not given.startswith("@") or name not in self._tables:
            return [given]
        axes = self._along[name]
        open_ = [axis for axis in axes if axis not in chosen]
        return [
            "@" + _name(name, {axis: {**chosen, **free}[axis] for axis in axes})
            for free in self._combinations(open_)
        ]

    def _fail(
        self, code: str, where: tuple[str, ...], said: str, hint: str | None = None
    ) -> ConfigError:
        file, line = str(self._source.path), self._source.line_of(where)
        return ConfigError(code, f"{'.'.join(where)}: {said}", file=file, line=line, hint=hint)


def _name(origin: str, chosen: Mapping[str, str]) -> str:
    return "/".join([origin, *(f"{axis}={choice}" for axis, choice in chosen.items())])


def _word(value: Value | list[Value]) -> str:
    """The name of a value; that of a list has a plus between its parts."""
    if isinstance(value, list):
        return "+".join(map(_word, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_list(given: Any) -> list[str]:
    """What is given for an input; what is no text is left to the check of the table."""
    return [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, str)]


def _as_dict(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, dict) else {}


def _put(table: dict[str, Any], settings: Mapping[str, Any]) -> None:
    """Set keys in a table; those of inner tables one by one."""
    for key, value in settings.items():
        if isinstance(value, dict) and isinstance(table.get(key), dict):
            _put(table[key], value)
        else:
            table[key] = deepcopy(value)


def _paths(settings: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _paths(value, (*above, key))
        else:
            yield (*above, key)
