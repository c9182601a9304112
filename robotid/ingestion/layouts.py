"""Logs that need no map: robotid's own header, and ROS joint states."""

from collections.abc import Callable

from robotid.errors import BadDataError
from robotid.ingestion.column_map import SIGNALS, ColumnMap, SignalMap, TimeMap, TorqueMap
from robotid.ingestion.sources import Place, Sources
from robotid.logs.joint_state import JOINT_STATE, STAMP

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
    """`t` [s] and `q.<joint>`, `qd.<joint>`, `tau.<joint>` in SI units."""
    for _, stream in places:
        names = {column.name for column in stream.columns}
        if "t" not in names or not any(name.startswith("q.") for name in names):
            continue
        time = stream.column("t")
        maps = {
            signal: {"columns": f"{signal}.{{joint}}", "stream": stream.name}
            for signal in SIGNALS
            if any(name.startswith(f"{signal}.") for name in names)
        }
        unit = (time.unit if time else None) or "s"
        return ColumnMap.model_validate({"time": TimeMap(column="t", unit=unit), **maps})
    return None


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
