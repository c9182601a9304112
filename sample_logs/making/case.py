"""A broken log, and what robotid must say of it."""

import json
from typing import Any, NamedTuple

from making.signals import Recording, csv_lines


class Base(NamedTuple):
    """What broken logs are made from, all of a double pendulum.

    Args:
        run: 3 s at 100 Hz.
        other: another recording.
        motion: 8 s at 50 Hz, enough to compare torques with those of a model.
    """

    run: Recording
    other: Recording
    motion: Recording

    @property
    def lines(self) -> list[str]:
        """Header and 40 rows."""
        return csv_lines(self.run.first(40), digits=5)


class Case(NamedTuple):
    """One thing that is wrong, in as small a log as shows it.

    Args:
        row: the kind of damage, as docs/reliability.md numbers it.
        name: what is given to `robotid ingest`: a file, or a folder.
        wrong: what happened to it.
        files: contents by path; a single one is called as the case.
        exit: the exit code that is due.
        code: of the error or of the finding that is due; empty where nothing needs to be said.
        flags: what is given besides; a name that ends in .toml is that of one of the files.
        more: further logs that are given with it.
        at: what the answer says of the place: line, column, time, joint.
    """

    row: str
    name: str
    wrong: str
    files: dict[str, bytes] | bytes
    exit: int
    code: str
    flags: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    at: dict[str, Any] = {}  # noqa: RUF012

    def contents(self) -> dict[str, bytes]:
        """Contents by path."""
        return {self.name: self.files} if isinstance(self.files, bytes) else self.files

    def toml(self) -> str:
        """The case as a table of expected.toml."""
        values: dict[str, Any] = {"log": self.name, "row": self.row, "wrong": self.wrong}
        optional = {"flags": list(self.flags), "more": list(self.more)}
        values |= {key: value for key, value in optional.items() if value}
        values |= {"exit": self.exit, "code": self.code, **self.at}
        lines = [
            f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()
        ]
        return "\n".join(["[[log]]", *lines]) + "\n"
