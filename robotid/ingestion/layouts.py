"""Logs that need no map: robotid's own header, and ROS joint states."""

from collections.abc import Callable, Collection

from robotid.errors import BadDataError
from robotid.ingestion.column_map import (
    BASE_PARTS,
    SIGNALS,
    WRENCH,
    ColumnMap,
    SignalMap,
    TimeMap,
    TorqueMap,
)
from robotid.ingestion.sources import Place, Sources
from robotid.logs.joint_state import JOINT_STATE, STAMP

# What recordings are in, so that their own names need no map.
_STATED = {"vel": {"frame": "base"}, "acc": {"frame": "base", "kind": "rate"}}
_ROS_SIGNALS = {"q": "position", "qd": "velocity", "tau": "effort"}


def map_of(sources: Sources, stream: str | None = None) -> ColumnMap:
    """The map of a log that needs none to be written; any other log is refused.

    Args:
        sources: the open log.
        stream: the only one to look at.
    """
    places = sources.places()
    if stream is not None:
        places = [sources.place(None, stream, ())]
    for recognise in LAYOUTS:
        found = recognise(places)
        if found is not None:
            return found
    _refuse_plans(places)
    shown = ", ".join(column.name for place in places[:1] for column in place.stream.columns[:6])
    raise BadDataError(
        "no-map",
        f"which column is what? (found: {shown}, …)",
        file=str(sources.path),
        hint=f"write a map with: robotid inspect {sources.path}",
    )


def _own_header(places: list[Place]) -> ColumnMap | None:
    """`t` [s] and `q.<joint>`, `qd.<joint>`, `tau.<joint>`, `base.*`, `contact.*` in SI units.

    Where `t` is missing the names still say what is what; flags may say the rest (B52).
    """
    timed_first = sorted(places, key=lambda place: place.stream.column("t") is None)
    for _, stream in timed_first:
        names = {column.name for column in stream.columns}
        if not any(name.startswith("q.") for name in names):
            continue
        maps = {
            signal: {"columns": f"{signal}.{{joint}}", "stream": stream.name}
            for signal in SIGNALS
            if any(name.startswith(f"{signal}.") for name in names)
        }
        column = stream.column("t")
        time = TimeMap(column="t", unit=column.unit or "s") if column else TimeMap()
        parts = {"base": _base(names, stream.name), "contact": _contacts(names, stream.name)}
        return ColumnMap.model_validate({"time": time, **maps, **parts})
    return None


def _base(names: Collection[str], stream: str) -> dict[str, dict[str, object]]:
    """What there is of a base, in the frames of recordings; parts that are not whole are none."""
    found: dict[str, dict[str, object]] = {}
    for part, ends in BASE_PARTS.items():
        columns = [f"base.{part}.{end}" for end in ends]
        if all(name in names for name in columns):
            found[part] = {"columns": columns, "stream": stream, **_STATED.get(part, {})}
    return found


def _contacts(names: Collection[str], stream: str) -> dict[str, dict[str, object]]:
    """Links that contacts are recorded of, in world coordinates; moments only if all three are."""
    links = [name.rpartition(".")[0] for name in names if name.startswith("contact.")]
    found: dict[str, dict[str, object]] = {}
    for prefix in sorted(set(links)):
        link = prefix.partition(".")[2]
        for count in (6, 3):
            columns = [f"{prefix}.{end}" for end in WRENCH[:count]]
            if all(name in names for name in columns):
                found[link] = {"columns": columns, "stream": stream, "frame": "world"}
                break
        if f"{prefix}.on" in names:
            found[link] = {"stream": stream, **found.get(link, {}), "on": f"{prefix}.on"}
    return found


def _joint_states(places: list[Place]) -> ColumnMap | None:
    """A topic of `sensor_msgs/JointState` with positions."""
    found = [p for p in places if is_joint_state(p) and _has(p, "position")]
    if not found:
        return None
    if len(found) > 1:
        log = found[0].log
        names = ", ".join(place.stream.name for place in found)
        raise BadDataError(
            "several-streams",
            f"several topics hold joint states: {names}",
            file=str(log.path),
            hint="name one: --stream TOPIC, or in a map",
        )
    return joint_state_map(found[0])


def joint_state_map(place: Place) -> ColumnMap:
    """The map of a topic of joint states."""
    maps: dict[str, SignalMap] = {}
    for signal, field in _ROS_SIGNALS.items():
        if _has(place, field):
            kind = TorqueMap if signal == "tau" else SignalMap
            maps[signal] = kind(columns=f"{field}.{{joint}}", stream=place.stream.name)
    return ColumnMap.model_validate({"time": TimeMap(column=STAMP, unit="ns"), **maps})


def is_joint_state(place: Place) -> bool:
    """Whether a stream is a topic of joint states."""
    return place.stream.message_type.replace("/msg/", "/") == JOINT_STATE


def _has(place: Place, field: str) -> bool:
    return any(column.name.startswith(f"{field}.") for column in place.stream.columns)


def _refuse_plans(places: list[Place]) -> None:
    """A trajectory is what was planned: its efforts come from a model, not from a robot."""
    for log, stream in places:
        if stream.message_type.replace("/msg/", "/") == "trajectory_msgs/JointTrajectory":
            raise BadDataError(
                "planned-trajectory",
                f"{stream.name} ({stream.message_type}) holds a planned trajectory: its efforts "
                "are computed by a model, not measured",
                file=str(log.path),
                hint="record sensor_msgs/JointState while the robot moves",
            )


LAYOUTS: tuple[Callable[[list[Place]], ColumnMap | None], ...] = (_own_header, _joint_states)
