"""Map, open files and robot into a plan: which columns make which signals, and how."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.recording import Joint
from robotid.errors import BadDataError, ConfigError, nearest
from robotid.ingestion.column_map import ColumnMap, SignalMap, TorqueMap
from robotid.ingestion.conversion_factors import each, joint_unit, motor_ratio, part_factor
from robotid.ingestion.convert import Block
from robotid.ingestion.frames import check_frames
from robotid.ingestion.sources import Place, Sources
from robotid.ingestion.units import time_unit_named
from robotid.logs.bag import LOG_TIME
from robotid.logs.joint_state import STAMP
from robotid.logs.log import Kind

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_NAME_PLACE = re.compile(r"\{(n|i|joint)\}")


class StreamPlan(NamedTuple):
    """What is taken from one stream at one lag.

    Args:
        place: the stream.
        time: the column of times; None where samples are counted.
        unit_ns: nanoseconds in a unit of time, or from sample to sample.
        lag_s: how much later samples were stamped than measured.
        blocks: of signals.
    """

    place: Place
    time: str | None
    unit_ns: float
    lag_s: float
    blocks: tuple[Block, ...]

    @property
    def columns(self) -> list[str]:
        """Every column that is read, each once."""
        times = [] if self.time is None else [self.time]
        return list(dict.fromkeys([*times, *(c for block in self.blocks for c in block.columns)]))

    @property
    def signals(self) -> list[str]:
        """Every signal that comes from it."""
        return [signal for block in self.blocks for signal in block.signals]


class Plan(NamedTuple):
    """What to read; the first stream is the one whose times the recording has."""

    joints: tuple[Joint, ...]
    streams: tuple[StreamPlan, ...]
    torque: TorqueMap | None
    unused: tuple[str, ...]


def resolve(columns: ColumnMap, sources: Sources, robot: "RobotTree | None") -> Plan:
    """The plan for a recording; what the map names and the files do not hold is refused."""
    signals = columns.signals()
    if "q" not in signals and "qd" not in signals:
        said = "the map names no positions: [q] columns = …"
        raise ConfigError("no-positions", said, hint="robotid inspect writes a map to edit")
    joints, called = _joints(columns, sources, robot)
    groups: dict[tuple[str, str, float], tuple[Place, list[Block]]] = {}

    def add(signal: SignalMap, place: Place, block: Block) -> None:
        key = (str(place.log.path), place.stream.name, signal.lag_s)
        groups.setdefault(key, (place, []))[1].append(block)

    for name, signal in signals.items():
        chosen = _present(name, signal, called, sources, known=robot is not None)
        place = sources.place(signal.file, signal.stream, chosen)
        _must_be_numbers(place, chosen)
        block = _block(name, signal, chosen, joints, columns, place)
        add(signal, place, block)
    for prefix, (signal, ends) in columns.parts().items():
        chosen = _list_of(prefix, signal, ends)
        place = sources.place(signal.file, signal.stream, chosen)
        _must_be_numbers(place, chosen)
        names = tuple(f"{prefix}.{end}" for end in ends)
        scale = each(signal.scale, len(ends), f"{prefix}.scale")
        scale *= [
            part_factor(prefix, signal, end, place, column)
            for end, column in zip(ends, chosen, strict=True)
        ]
        offset = each(signal.offset, len(ends), f"{prefix}.offset")
        block = Block(names, chosen, np.diag(scale), offset, signal.bits)
        add(signal, place, block)
    for link, contact in columns.contact.items():
        if contact.on is not None:
            place = sources.place(contact.file, contact.stream, (contact.on,))
            _must_be_numbers(place, (contact.on,))
            names = (f"contact.{link}.on",)
            add(contact, place, Block(names, (contact.on,), np.eye(1), np.zeros(1)))
    check_frames(columns, robot)
    _must_serve_once(groups.values())
    streams = tuple(
        _stream(place, lag, blocks, columns) for (*_, lag), (place, blocks) in groups.items()
    )
    used = {LOG_TIME, STAMP, *(name for stream in streams for name in stream.columns)}
    unused = [c.name for s in streams for c in s.place.stream.columns if c.name not in used]
    return Plan(joints, streams, columns.tau, tuple(unused))


def _must_serve_once(groups: Iterable[tuple[Place, list[Block]]]) -> None:
    """One column for two signals is a slip; only torques may be made of logged currents."""
    users: dict[tuple[str, str, str], str] = {}
    for place, blocks in groups:
        for block in blocks:
            user = block.signals[0].partition(".")[0]
            for column in block.columns:
                key = (str(place.log.path), place.stream.name, column)
                other = users.setdefault(key, user)
                made = {user, other} in ({"tau", "current"}, {"tau_cmd", "current"})
                if other != user and not made:
                    said = f"[{other}] and [{user}] both name column {column!r}"
                    raise ConfigError("column-twice", said)


def _joints(
    columns: ColumnMap, sources: Sources, robot: "RobotTree | None"
) -> tuple[tuple[Joint, ...], tuple[str, ...]]:
    """The joints of the recording, and what the log calls them."""
    wanted = {name: name for name in robot.joint_names} if robot else {}
    if isinstance(columns.joints, dict):
        wanted = _merged(columns.joints, wanted)
    elif columns.joints:
        wanted = _merged({name: name for name in columns.joints}, wanted)
    elif not wanted:
        wanted = {name: name for name in _found_in_log(columns, sources)}
    kinds = {joint.name: joint.kind for joint in robot.driven} if robot else {}
    if robot is not None:
        unknown = next((name for name in wanted if name not in kinds), None)
        if unknown is not None:
            said = f"the map names joint {unknown!r}, which robot {robot.name} does not have"
            raise ConfigError("unknown-joint", said, hint=nearest(unknown, kinds))
    joints = tuple(
        Joint(name=name, kind="prismatic" if kinds.get(name) == "prismatic" else "revolute")
        for name in wanted
    )
    return joints, tuple(wanted.values())


def _merged(named: Mapping[str, str], robot: Mapping[str, str]) -> dict[str, str]:
    """The joints a map names; those of the robot it leaves out are missing from the log (B81)."""
    missing = [name for name in robot if name not in named]
    if missing:
        raise ConfigError(
            "joint-missing",
            f"the map names no {', '.join(missing[:8])}, which the robot has",
            hint=f"if they do not move, hold them: --lock {missing[0]}=0",
        )
    return dict(named)


def _found_in_log(columns: ColumnMap, sources: Sources) -> list[str]:
    """Names of joints by the columns that the pattern of positions fits."""
    signal = columns.q or columns.qd
    assert signal is not None
    if isinstance(signal.columns, tuple):
        return [f"joint{n}" for n in range(1, len(signal.columns) + 1)]
    if not _NAME_PLACE.search(signal.columns):
        return ["joint1"]
    pattern = _NAME_PLACE.split(signal.columns)
    kinds = pattern[1::2]
    parts = [re.escape(part) for part in pattern]
    groups = {"n": r"(\d+)", "i": r"(\d+)", "joint": r"(.+)"}
    parts[1::2] = [groups[kind] for kind in kinds]
    shape = re.compile("".join(parts))
    found: dict[str, None] = {}
    for log, stream in sources.places():
        if signal.stream not in (None, stream.name) or signal.file not in (None, log.path.name):
            continue
        for column in stream.columns:
            match = shape.fullmatch(column.name)
            if match:
                number = f"joint{len(found) + 1}"
                found[match[kinds.index("joint") + 1] if "joint" in kinds else number] = None
    if not found:
        have = ", ".join(c.name for p in sources.places() for c in p.stream.columns[:8])
        said = f"no column fits {signal.columns!r}"
        raise BadDataError("no-such-column", said, file=str(sources.path), hint=f"found: {have}")
    return list(found)


def _refuse_joints(
    sources: Sources, signal: str, found: Sequence[str], wanted: Sequence[str], *, known: bool
) -> None:
    """Names that differ: say how they may belong together (B49, B81, B82)."""
    missing = [name for name in wanted if name not in found]
    both = [name for name in wanted if name in found]
    names = ", ".join(f"{name!r}" for name in both)
    hint = f"to read only those that have it, write into a map: joints = [{names}]"
    raise BadDataError(
        "joints-differ",
        f"no {signal} of {', '.join(missing[:6])} in the log; it has that of "
        f"{', '.join(found[:8])}",
        file=str(sources.path),
        hint=_suggestion(found, wanted) if known or not both else hint,
    )


def _suggestion(found: Sequence[str], wanted: Sequence[str]) -> str:
    """How names of the log may belong to those of the robot."""
    if len(found) == len(wanted):
        pairs = ", ".join(f"{w} = {f!r}" for w, f in zip(wanted, found, strict=True))
        return f"if they belong together in this order, write into a map: [joints] {pairs}"
    return "write [joints] NAME_IN_ROBOT = 'NAME_IN_LOG' into a map, or hold joints with --lock"


def _present(
    name: str, signal: SignalMap, called: tuple[str, ...], sources: Sources, *, known: bool
) -> tuple[str, ...]:
    """The columns of a signal, one per joint; names the log does not know are refused."""
    chosen = signal.column_names(called)
    if len(chosen) != len(called):
        said = f"[{name}] names {len(chosen)} columns for {len(called)} joints"
        raise ConfigError("wrong-count", said, hint=f"joints: {', '.join(called)}")
    if len(set(chosen)) < len(chosen):
        said = f"[{name}] names one column, {chosen[0]!r}, for {len(called)} joints"
        raise ConfigError("wrong-count", said, hint=f"joints: {', '.join(called)}")
    if isinstance(signal.columns, str) and "{joint}" in signal.columns:
        there = {c.name for p in sources.places() for c in p.stream.columns}
        missing = [joint for joint, c in zip(called, chosen, strict=True) if c not in there]
        if missing:
            mapped = ColumnMap(
                q=SignalMap(**signal.model_dump(include={"columns", "stream", "file"}))
            )
            found = _found_in_log(mapped, sources)
            _refuse_joints(sources, name, found, called, known=known)
    return chosen


def _list_of(prefix: str, signal: SignalMap, ends: tuple[str, ...]) -> tuple[str, ...]:
    chosen = signal.column_names(ends)
    if len(chosen) != len(ends):
        said = f"[{prefix}] names {len(chosen)} columns, {len(ends)} are needed: {', '.join(ends)}"
        raise ConfigError("wrong-count", said)
    if len(set(chosen)) < len(chosen):
        raise ConfigError("wrong-count", f"[{prefix}] names one column, {chosen[0]!r}, for all")
    return chosen


def _must_be_numbers(place: Place, columns: Sequence[str]) -> None:
    for name in columns:
        column = place.stream.column(name)
        if column is None:
            said = f"{place.name} has no column {name!r}"
            names = [c.name for c in place.stream.columns]
            raise BadDataError(
                "no-such-column", said, file=str(place.log.path), hint=nearest(name, names)
            )
        if column.kind is Kind.TEXT:
            said = f"column {name!r} holds text, not numbers"
            raise BadDataError("text-column", said, file=str(place.log.path))


def _block(
    name: str,
    signal: SignalMap,
    chosen: tuple[str, ...],
    joints: tuple[Joint, ...],
    columns: ColumnMap,
    place: Place,
) -> Block:
    """How columns become one signal of all joints."""
    n = len(joints)
    scale = each(signal.scale, n, f"{name}.scale")
    shift = np.zeros(n)
    for i, (joint, column) in enumerate(zip(joints, chosen, strict=True)):
        factor, shift[i] = joint_unit(name, signal, joint, i, n, place, column)
        scale[i] *= factor
    matrix = np.diag(scale)
    if (
        signal.side == "motor"
        and columns.motor is not None
        and name in ("q", "qd", "tau", "tau_cmd")
    ):
        ratio = motor_ratio(columns, n)
        matrix = (np.linalg.inv(ratio) if name in ("q", "qd") else ratio.T) @ matrix
    offset = each(signal.offset, n, f"{name}.offset") + shift
    names = tuple(f"{name}.{joint.name}" for joint in joints)
    return Block(names, chosen, matrix, offset, signal.bits)


def _stream(place: Place, lag_s: float, blocks: Sequence[Block], columns: ColumnMap) -> StreamPlan:
    """Where the times of a stream are."""
    time = columns.time
    if time.rate_hz is not None:
        return StreamPlan(place, None, 1e9 / time.rate_hz, lag_s, tuple(blocks))
    if time.column is None:
        raise BadDataError(
            "no-time",
            "no column of times is named",
            file=str(place.log.path),
            hint="name it ([time] column = …, or --time-column), or say how fast: --rate-hz",
        )
    column = place.stream.column(time.column)
    if column is None:
        raise BadDataError(
            "no-such-column",
            f"{place.name} has no column of times {time.column!r}",
            file=str(place.log.path),
            hint=nearest(time.column, [c.name for c in place.stream.columns]),
        )
    if column.kind is Kind.TEXT:
        raise BadDataError(
            "time-is-text",
            f"the times in {time.column!r} are text: an hour may be missing or occur twice in them",
            file=str(place.log.path),
            hint="write them as seconds since the start, or as UTC seconds",
        )
    unit = time.unit or column.unit
    if unit is None:
        raise BadDataError(
            "no-time-unit",
            f"in which unit are the times in {time.column!r}?",
            file=str(place.log.path),
            hint="say so: --time-unit s, ms, us or ns; robotid inspect shows what would fit",
        )
    return StreamPlan(place, time.column, time_unit_named(unit), lag_s, tuple(blocks))
