"""Whether a recording can be what it is said to be; what cannot is refused unless accepted."""

from collections.abc import Sequence
from math import tau as turn
from typing import TYPE_CHECKING

from robotid.errors import BadDataError, Notice
from robotid.ingestion.resolve import Plan
from robotid.plausibility.base import BasePlausibility
from robotid.plausibility.finding import Finding, Interval
from robotid.plausibility.plausibility import Plausibility
from robotid.plausibility.unwrap import Unwrapper
from robotid.types import Columns

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree


class Checks:
    """Takes turns out of positions that wrap, and looks at samples as they pass by.

    Args:
        plan: what is read.
        robot: what it is a recording of, if known.
        file: for messages.
        accept: codes of findings that the user accepts.
    """

    def __init__(
        self, plan: Plan, robot: "RobotTree | None", file: str, accept: frozenset[str]
    ) -> None:
        self._plan, self._robot, self._file, self._accept = plan, robot, file, accept
        turning = [joint.name for joint in plan.joints if joint.kind == "revolute"]
        signals = {signal for stream in plan.streams for signal in stream.signals}
        wrapping = [f"q.{name}" for name in turning if f"q.{name}" in signals]
        self._unwrapper = Unwrapper(dict.fromkeys(wrapping, turn), file)
        self._plausibility: Plausibility | None = None
        self._base: BasePlausibility | None = None
        self._found: list[Finding] | None = None

    def put(self, rows: Columns) -> Columns:
        """The rows with turns taken out."""
        if "ambiguous-wrap" not in self._accept:
            rows = self._unwrapper.push(rows)
        if self._plausibility is None:
            kind = self._plan.torque.kind if self._plan.torque else "measured"
            names = [name for name in rows if name not in ("t", "segment")]
            own = [name for name in names if name.partition(".")[0] not in ("base", "contact")]
            self._plausibility = Plausibility(
                own, self._plan.joints, self._comparable(), file=self._file, torque=kind
            )
            around = [name for name in names if name not in own]
            self._base = BasePlausibility(around, self._robot, file=self._file)
        self._plausibility.push(rows)
        assert self._base is not None
        self._base.push(rows)
        return rows

    def _comparable(self) -> "RobotTree | None":
        """The robot, where its torques can be compared with those of the log."""
        torque = self._plan.torque
        taken_out = torque is not None and bool(torque.compensated)
        return None if taken_out else self._robot

    def refused(self) -> list[Notice]:
        """Findings for which the recording is refused: those that the user does not accept."""
        return [f.notice for f in self._all() if f.refused and f.notice.code not in self._accept]

    def refuse(self) -> None:
        """Refuse the recording if a finding says so that the user does not accept."""
        refused = self.refused()
        if not refused:
            return
        first, *others = refused
        said = first.message
        if others:
            more = ", ".join(f"{n.code} ({n.joint})" if n.joint else n.code for n in others[:8])
            said += f"; also {more}" + (", …" if len(others) > 8 else "")
        raise BadDataError(
            first.code,
            said,
            file=first.file,
            joint=first.joint,
            time=first.time,
            hint=f"{first.hint}; if it is right: --accept {first.code}",
        )

    def notices(self) -> list[Notice]:
        """Everything that was found and not refused."""
        found = [finding.notice for finding in self._all()]
        for column, count in self._unwrapper.counts.items():
            if count:
                found.append(
                    Notice(
                        code="unwrapped",
                        message=f"{column} jumped by a full turn {count} times: made continuous",
                        file=self._file,
                        joint=column.partition(".")[2],
                    )
                )
        return found

    def intervals(self, codes: Sequence[str]) -> list[Interval]:
        """Samples of these kinds; refused where there are too many to list."""
        assert self._plausibility is not None
        found, more = self._plausibility.intervals()
        if more:
            raise BadDataError(
                "too-many-intervals",
                "there are more samples to mask than can be listed",
                file=self._file,
                hint="leave out stretches with --exclude, or mend the log",
            )
        return [interval for interval in found if interval.code in codes]

    def _all(self) -> list[Finding]:
        if self._found is None:
            # A base first, or joints would be blamed for what is wrong with it.
            checks = (self._base, self._plausibility)
            self._found = [found for check in checks if check for found in check.findings()]
        return self._found
