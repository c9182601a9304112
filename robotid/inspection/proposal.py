"""A map proposed for a log: what its columns seem to be, why, and what a user must check."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from robotid.ingestion.column_map import BaseMap, ColumnMap
from robotid.inspection.base_columns import base_maps
from robotid.inspection.column_groups import Group, groups_of
from robotid.inspection.derivative_check import Series, ratios
from robotid.inspection.joint_choice import JointChoice, joint_choice
from robotid.inspection.ready_groups import ready_groups
from robotid.inspection.remarks import Passed, Remark
from robotid.inspection.signal_choice import Choice
from robotid.inspection.survey import StreamFacts
from robotid.inspection.time_choice import TimeChoice
from robotid.inspection.torque_choice import torque_of
from robotid.inspection.unit_choice import Limits, current_unit, motion_units, stated_unit

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree

_SIDE_SIGNALS = ("current", "temperature")
_SI = (None, "rad", "m", "rad/s", "m/s", "Nm", "A", "C")


@dataclass(frozen=True)
class Proposal:
    """A map, and all there is to say of it.

    Args:
        columns: the map.
        remarks: reasons and what to check, by table.
        passed: columns that would have been the same signal.
        needed: whether the log cannot be read without a map.
        joints: of the robot that columns of positions belong to, in their order.
    """

    columns: ColumnMap
    remarks: tuple[Remark, ...] = ()
    passed: tuple[Passed, ...] = ()
    needed: bool = True
    joints: tuple[str, ...] = ()

    @property
    def checks(self) -> list[Remark]:
        """What a user has to look at."""
        return [remark for remark in self.remarks if remark.check]


@dataclass
class _Draft:
    """A map as it grows."""

    tables: dict[str, Any] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    passed: list[Passed] = field(default_factory=list)


def propose(
    streams: Sequence[StreamFacts],
    robot: "RobotTree | None",
    ready: ColumnMap | None,
    *,
    folder: bool,
) -> Proposal:
    """Propose a map.

    Args:
        streams: what was seen of each.
        robot: what it is a log of, if known.
        ready: the map that the log would be read with, where it needs none.
        folder: whether the log is a folder of files that belong together.
    """
    names = robot.joint_names if robot else ()
    draft = _Draft()
    groups = [g for stream in streams for g in groups_of(stream, folder=folder, robot=names)]
    if ready is None:
        chosen = _chosen(groups, draft)
    else:
        chosen = ready_groups(streams, ready)
        if "tau" not in chosen:
            chosen |= _torques_of_other_names(groups, chosen["q"])
    if "q" not in chosen:
        said = "no column looks like a position: name those of the joints"
        remark = Remark("q", said, True, 'columns = "…{n}"')
        time = TimeChoice([max(streams, key=lambda stream: stream.rows)], "")
        return Proposal(ColumnMap(time=time.map), (remark, *time.remarks), tuple(time.passed))
    chosen, time = _timed(chosen, ready, draft)
    joints = joint_choice(chosen["q"], robot)
    draft.remarks += joints.remarks
    several = len({s.place.stream.name for s in streams}) > 1
    _fill(draft, chosen, time, joints, robot, several=several)
    if robot is None or robot.floating:
        _fill_base(draft, ready, base_maps(streams, chosen["q"], several=several), robot)
    columns = ColumnMap.model_validate({"joints": joints.table, "time": time.map, **draft.tables})
    needed = (
        ready is None
        or bool(columns.signals().keys() - ready.signals().keys())
        or bool(joints.table)
        or time.map != ready.time
        or any(mapped.unit not in _SI for mapped in columns.signals().values())
        or any(remark.check and remark.line for remark in draft.remarks)
    )
    known = tuple(joint for joint in joints.of_columns if joint is not None)
    return Proposal(columns, tuple(draft.remarks), tuple(draft.passed), needed, known)


def _chosen(groups: Sequence[Group], draft: _Draft) -> dict[str, Group]:
    """The best group of each signal."""
    choice = Choice(groups)
    q = choice.best("q", None)
    if q is None:
        return {}
    found = {"q": q, "qd": choice.best("qd", q), "tau": choice.best("tau", q)}
    asked = choice.best("tau", q, commanded=True)
    if asked is not None and asked is not found["tau"]:
        found["tau_cmd"] = asked
        choice.passed = [p for p in choice.passed if p.columns != asked.shown]
    found |= {name: choice.best(name, q) for name in _SIDE_SIGNALS}
    draft.passed += choice.passed
    for mark, text in (("commanded", "asked for, not measured"), ("computed", "computed")):
        if mark in q.facts.marks:
            draft.remarks.append(Remark("q", f"these positions are {text}", True))
    return {name: group for name, group in found.items() if group is not None}


def _torques_of_other_names(groups: Sequence[Group], q: Group) -> dict[str, Group]:
    """Torques, or currents, beside motions whose names need no map."""
    choice = Choice(groups)
    found = {name: choice.best(name, q) for name in ("tau", "current")}
    return {name: group for name, group in found.items() if group is not None}


def _timed(
    chosen: dict[str, Group], ready: ColumnMap | None, draft: _Draft
) -> tuple[dict[str, Group], TimeChoice]:
    """The groups that have times in a column of the same name, and these times."""
    near = chosen["q"].names[0]
    streams = list({id(g.stream): g.stream for g in chosen.values()}.values())
    stated = ready.time if ready is not None else None
    time = TimeChoice(streams, near, stated)
    if time.map.column is None and len(streams) > 1:
        own = TimeChoice([chosen["q"].stream], near, stated)
        if own.map.column is not None:
            time = own
            for name, group in list(chosen.items()):
                if not any(c.name == time.map.column for c in group.stream.columns):
                    said = f"no column {time.map.column} beside it"
                    draft.passed.append(Passed(name, group.shown, said))
                    del chosen[name]
    draft.remarks += time.remarks
    draft.passed += time.passed
    return chosen, time


def _fill(
    draft: _Draft,
    chosen: dict[str, Group],
    time: TimeChoice,
    joints: JointChoice,
    robot: "RobotTree | None",
    *,
    several: bool,
) -> None:
    """The tables of all signals."""

    def table(group: Group, unit: str | None) -> dict[str, Any]:
        return {
            "columns": joints.columns(group),
            "file": group.file,
            "stream": group.stream.place.stream.name if several else None,
            "unit": unit,
        }

    q, qd = chosen["q"], chosen.get("qd")
    limits = _limits(joints, robot)
    mixed = limits is not None and limits.mixed
    units = motion_units(q, qd, _ratios(q, qd, time), limits)
    draft.tables["q"] = table(q, units[0])
    if qd is not None:
        draft.tables["qd"] = table(qd, units[1])
    draft.remarks += units[2]
    if "tau" in chosen or "current" in chosen:
        torque = torque_of(chosen.get("tau"), chosen.get("current"), qd, mixed=mixed)
        draft.tables["tau"] = {**table(torque.group, torque.unit), **torque.more}
        draft.remarks += torque.remarks
        if torque.group is chosen.get("current"):
            del chosen["current"]
    else:
        said = "no column looks like a torque or a current: only motions can be read"
        draft.remarks.append(Remark("tau", said, True, 'columns = "…{n}"'))
    if "tau_cmd" in chosen:
        unit = stated_unit(chosen["tau_cmd"]) or (None if mixed else "Nm")
        asked = table(chosen["tau_cmd"], unit)
        draft.tables["tau_cmd"] = {**asked, "kind": "commanded"}
    if "current" in chosen:
        draft.tables["current"] = table(chosen["current"], current_unit(chosen["current"]))
    if "temperature" in chosen:
        group = chosen["temperature"]
        draft.tables["temperature"] = table(group, stated_unit(group) or "C")


def _fill_base(
    draft: _Draft, ready: ColumnMap | None, found: BaseMap, robot: "RobotTree | None"
) -> None:
    """The tables of a base and of contacts: those of robotid's own names, or by their words."""
    if ready is not None and (ready.base.items() or ready.contact):
        draft.tables |= {"base": ready.base, "contact": ready.contact}
        return
    if found.items():
        draft.tables["base"] = found
        draft.remarks.append(Remark("base", "by names: is this the base?", True))
        if found.vel is not None:
            said = "are velocities in coordinates of the base, or of the world?"
            draft.remarks.append(Remark("base", said, True))
    if robot is not None:
        said = "where something touches the robot: force, and moment where it is measured"
        line = '[contact.LINK] columns = ["…", "…", "…"], frame = "world" or "local"'
        draft.remarks.append(Remark("contact", said, True, line))


def _ratios(q: Group, qd: Group | None, time: TimeChoice) -> list[float | None]:
    clock = time.clock
    if qd is None or clock is None or len(qd.names) != len(q.names):
        return []
    first = Series(q.stream.place, clock, q.names, q.stream.rows)
    return ratios(first, Series(qd.stream.place, clock, _ordered(qd, q), qd.stream.rows))


def _ordered(group: Group, q: Group) -> tuple[str, ...]:
    """Columns of a group in the order of the joints of the positions."""
    if set(group.labels) != set(q.labels):
        return group.names
    by_label = dict(zip(group.labels, group.names, strict=True))
    return tuple(by_label[label] for label in q.labels)


def _limits(joints: JointChoice, robot: "RobotTree | None") -> Limits | None:
    """Limits of the joints in the order of columns; None unless all are known."""
    if robot is None or not joints.of_columns or None in joints.of_columns:
        return None
    by_name = {joint.name: joint for joint in robot.driven}
    found = [by_name[name] for name in joints.of_columns if name is not None]
    kinds = ["prismatic" if joint.kind == "prismatic" else "revolute" for joint in found]
    return Limits([j.limits.lower for j in found], [j.limits.upper for j in found], kinds)
