"""The checks of a recording: batches in, findings out."""

from collections.abc import Sequence

from robotid.contracts.recording import Joint
from robotid.plausibility.blocks import Blocks, Kept
from robotid.plausibility.channels import check_channels
from robotid.plausibility.computed import check_computed
from robotid.plausibility.excitation import check_commands, check_period
from robotid.plausibility.finding import Finding, Interval
from robotid.plausibility.limits import check_limits, check_units
from robotid.plausibility.report import Report
from robotid.plausibility.signals import setup
from robotid.plausibility.statistics import Statistics
from robotid.plausibility.torque import check_torque, compare
from robotid.plausibility.unexplained import check_unexplained
from robotid.plausibility.unsigned import check_signs
from robotid.plausibility.velocity import check_velocity
from robotid.robot.tree import RobotTree
from robotid.types import Columns

# Of one joint's torque: the others can still be judged.
_TORQUE_CODES = {"dead-channel"}


class Plausibility:
    """Looks at a recording while it passes by, in bounded memory.

    Counts and extremes are those of all samples. What needs motion and dynamics is judged by
    stretches that lie evenly over the recording: all of it up to some 100 000 samples.

    Args:
        names: the columns, `<signal>.<joint>`, in SI units; signals are q, qd, tau, tau_cmd,
            current and temperature.
        joints: in the order of the recording.
        robot: the robot file with the same joints; without it only the recording itself is judged.
        file: the log, for notices.
        torque: what tau is said to be, `measured` or `commanded`.
    """

    def __init__(
        self,
        names: Sequence[str],
        joints: Sequence[Joint],
        robot: RobotTree | None = None,
        *,
        file: str | None = None,
        torque: str = "measured",
    ) -> None:
        self._setup = setup(names, joints, robot, file, torque)
        self._robot = robot
        self._blocks = Blocks([signal.name for signal in self._setup.signals])
        self._statistics = Statistics(self._setup)
        self._kept = Kept()
        self._report: Report | None = None

    def push(self, columns: Columns) -> None:
        """Add rows: `t` [ns], `segment`, and the columns, in order of time; NaN where missing."""
        for block in self._blocks.push(columns):
            self._statistics.add(block)
            self._kept.add(block)

    def findings(self) -> list[Finding]:
        """What was found; nothing can be added afterwards."""
        return list(self._finished().findings)

    def intervals(self) -> tuple[list[Interval], bool]:
        """Samples not to be trusted (saturated, stuck, spike), and whether there are more."""
        report = self._finished()
        return list(report.intervals), report.more_intervals

    def _finished(self) -> Report:
        if self._report is None:
            for block in self._blocks.rest():
                self._statistics.add(block)
                self._kept.add(block)
            self._statistics.finish()
            self._report = Report(self._setup)
            if self._statistics.rows > 0:
                self._check(self._report)
        return self._report

    def _check(self, report: Report) -> None:
        """All checks; motion first, or torques would be blamed for what is wrong with it."""
        setup, known, kept = self._setup, self._statistics, self._kept.stretches()
        check_channels(setup, known, kept, report)
        check_units(setup, known, kept, report)
        check_velocity(setup, known, kept, report)
        check_limits(setup, known, report)
        check_commands(setup, known, kept, report)
        if self._kept.complete:
            check_period(setup, known, kept, report)
        motion_is_wrong = report.refused_but(_TORQUE_CODES)
        robot = None if motion_is_wrong else self._robot
        compared = None if robot is None else compare(setup, known, kept, robot)
        unsigned = check_signs(setup, known, kept, compared, report)
        if compared is not None and not unsigned:
            check_torque(setup, compared, report)
            check_computed(setup, kept, compared, report)
            check_unexplained(compared, report)
