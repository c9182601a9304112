"""Which joints of the robot the columns of a log belong to, as a table for the map."""

from typing import TYPE_CHECKING, NamedTuple

from robotid.inspection.column_groups import Group
from robotid.inspection.joint_matching import matched
from robotid.inspection.remarks import Remark

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree


class JointChoice(NamedTuple):
    """Joints for a map.

    Args:
        table: for the key `joints`; empty where it is not needed.
        labels: what the log calls the joints that are used, in the order of the table.
        of_columns: the joint of the robot for each column of positions; None if it has none.
        remarks: what to say of it.
    """

    table: dict[str, str] | tuple[str, ...]
    labels: tuple[str, ...]
    of_columns: tuple[str | None, ...]
    remarks: list[Remark]

    def columns(self, group: Group) -> str | tuple[str, ...]:
        """The columns of a group for a map: its pattern where that gives just these joints."""
        names = dict(zip(group.labels, group.names, strict=True))
        whole = len(self.labels) == len(group.labels)
        if group.pattern is not None and (whole or "{joint}" in group.pattern):
            return group.pattern
        if set(self.labels) <= set(names):
            return tuple(names[label] for label in self.labels)
        return group.names[: len(self.labels)]


def joint_choice(q: Group, robot: "RobotTree | None") -> JointChoice:
    """The joints of a log, from its positions."""
    if robot is None:
        return JointChoice((), q.labels, (), [])
    joints = robot.joint_names
    named = q.pattern is not None and "{joint}" in q.pattern
    pairs, how = _pairs(q.labels, joints)
    said: list[Remark] = []
    if not pairs:
        text = f"{len(q.labels)} columns, robot {robot.name} has {', '.join(joints[:12])}"
        line = "joints = [" + ", ".join('"…"' for _ in q.labels) + "]"
        return JointChoice((), q.labels, (), [Remark("joints", text, True, line)])
    by_label = {label: joint for joint, label in pairs.items()}
    of_columns = tuple(by_label.get(label) for label in q.labels)
    missing = [joint for joint in joints if joint not in pairs]
    if missing:
        shown = ", ".join(missing[:6]) + (", …" if len(missing) > 6 else "")
        text = f"not in the log, and to be held with --lock NAME=VALUE: {shown}"
        said.append(Remark("joints", text, check=True))
    unused = [label for label in q.labels if label not in by_label]
    if unused:
        said.append(Remark("joints", f"the robot has no {', '.join(unused[:6])}"))
    if how == "in order":
        said.append(Remark("joints", "names say nothing: in the order of columns", len(joints) > 1))
    elif how != "by name":
        said.append(Remark("joints", f"matched {how}", named))
    labels = tuple(label for label in q.labels if label in by_label)
    if named and all(joint == label for joint, label in pairs.items()):
        table: dict[str, str] | tuple[str, ...] = tuple(pairs) if missing else ()
        return JointChoice(table, labels, of_columns, said)
    if named:
        return JointChoice(pairs, labels, of_columns, said)
    return JointChoice(tuple(by_label[label] for label in labels), labels, of_columns, said)


def _pairs(labels: tuple[str, ...], joints: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """Names in the robot to those in the log, whichever of both has more."""
    found = matched(labels, joints)
    if found is None and len(labels) > len(joints):
        other = matched(joints, labels)
        if other is not None:
            inverse = {joint: label for label, joint in other[0].items()}
            found = {joint: inverse[joint] for joint in joints}, other[1]
    return found or ({}, "")
