"""Findings and intervals as they are collected."""

from collections.abc import Iterable

from robotid.errors import Notice
from robotid.plausibility.finding import Finding, Interval, seconds
from robotid.plausibility.signals import Setup

_INTERVALS = 1000


class Report:
    """Everything found in one recording, in the order it was found."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.findings: list[Finding] = []
        self.intervals: list[Interval] = []
        self.more_intervals = False

    def add(
        self,
        code: str,
        message: str,
        hint: str,
        *,
        joint: int | None = None,
        t: int | None = None,
        refused: bool = False,
    ) -> None:
        """Add a finding about a joint (or all of them), first seen at a time [ns]."""
        name = None if joint is None else self._setup.joints[joint].name
        time = None if t is None else seconds(t)
        notice = Notice(
            code=code, message=message, file=self._setup.file, joint=name, time=time, hint=hint
        )
        self.findings.append(Finding(notice, refused))

    def mask(self, code: str, column: str, spans: Iterable[tuple[int, int]]) -> None:
        """Add intervals of a column [ns]; beyond a thousand they are only known to exist."""
        for first, last in spans:
            if len(self.intervals) >= _INTERVALS:
                self.more_intervals = True
                return
            self.intervals.append(Interval(code, column, first, last))

    def covers(self, first: int, last: int) -> bool:
        """Whether samples between two times [ns] are known not to be trusted."""
        return any(i.first <= last and first <= i.last for i in self.intervals)

    def refused_but(self, codes: set[str]) -> bool:
        """Whether something else than these codes was refused so far."""
        return any(f.refused and f.notice.code not in codes for f in self.findings)
