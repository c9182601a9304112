"""What a reader found: each kind counted, with the first places, as one notice."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from robotid.errors import Effect, Notice

SHOWN_PLACES = 5  # a million bad lines are one notice


@dataclass(slots=True)
class Finding:
    """One kind of finding in one file: how often, where first, what it means."""

    code: str
    message: str
    effect: Effect
    hint: str | None
    line: int | None
    count: int = 0
    first: list[str] = field(default_factory=list)


class Findings:
    """The findings of one file in the order they were first met."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._found: dict[str, Finding] = {}

    def add(
        self,
        code: str,
        message: str,
        *,
        where: str = "",
        count: int = 1,
        line: int | None = None,
        effect: Effect = Effect.NONE,
        hint: str | None = None,
    ) -> None:
        """Count a finding; message, hint and line are those of the first of its kind."""
        found = self._found.setdefault(code, Finding(code, message, effect, hint, line))
        found.count += count
        where = where or (f"line {line}" if line is not None else "")
        if where and where not in found.first and len(found.first) < SHOWN_PLACES:
            found.first.append(where)

    @contextmanager
    def one_pass(self) -> Iterator["Findings"]:
        """The findings of one pass over the file; a second pass does not count them twice."""
        own = Findings(self._file)
        try:
            yield own
        finally:
            for code, found in own._found.items():
                known = self._found.get(code)
                if known is None or known.count < found.count:
                    self._found[code] = found

    def all(self) -> list[Finding]:
        """Every kind once."""
        return list(self._found.values())

    def notices(self) -> list[Notice]:
        """One notice per kind; counts above one and places are in the text."""
        return [self._notice(found) for found in self._found.values()]

    def _notice(self, found: Finding) -> Notice:
        said = found.message
        if found.count > 1:
            said += f" ({found.count} times)"
        elsewhere = [place for place in found.first if place != f"line {found.line}"]
        if elsewhere:
            said += f", first at {', '.join(found.first)}"
        return Notice(
            code=found.code,
            message=said,
            file=self._file,
            line=found.line,
            hint=found.hint,
            effect=found.effect,
        )
