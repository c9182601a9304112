"""Messages of any type by field path: `wrench.force.x`, `data[3]`, `points[0].positions[1]`."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.logs.findings import Findings
from robotid.logs.joint_state import STAMP, say_unstamped
from robotid.logs.log import Column, Kind, Numbers

MOST_ITEMS = 256  # of one array that become columns: an image is no signal
MOST_COLUMNS = 4000
_DEEPEST = 12
_CLOCKS = ("nanosec", "nsec")
_PLANS = ("trajectory_msgs/msg/JointTrajectory", "trajectory_msgs/JointTrajectory")

Leaf = tuple[str, int | float | str]


class FieldReader:
    """Reads the messages of one topic, whose first messages show which fields there are."""

    def __init__(
        self,
        topic: str,
        message_type: str,
        encoding: str,
        definition: str,
        samples: Sequence[bytes],
        findings: Findings,
        file: str,
    ) -> None:
        self._topic, self._file = topic, file
        self._type = message_type
        self._decode: Callable[[bytes], object] | None = None
        self._why_not = ""
        kinds: dict[str, Kind] = {}
        stamps: set[int | float | str] = set()
        try:
            self._decode = decoder(message_type, encoding, definition)
            for data in samples:
                for path, value in leaves(self._decode(data)):
                    kinds[path] = wider(kinds.get(path), kind_of(value))
                    if path == STAMP:
                        stamps.add(value)
                    if len(kinds) >= MOST_COLUMNS:
                        break
        except Exception as error:
            self._why_not = f"{type(error).__name__}: {error}"[:200]
            findings.add(
                "unknown-message",
                f"{topic}: messages of type {message_type} ({encoding}) cannot be decoded",
                where=topic,
            )
        if stamps == {0}:
            say_unstamped(topic, findings)
        if message_type in _PLANS:
            said = f"{topic} holds planned trajectories: their efforts are computed, not measured"
            findings.add("planned-not-measured", said, where=topic)
        self.columns = tuple(
            Column(path, kind, "ns" if path.endswith("stamp") and kind is Kind.INT else None)
            for path, kind in kinds.items()
        )

    def read(
        self,
        data: Sequence[bytes],
        columns: Sequence[Column],
        log_time: NDArray[np.int64],
        first: int,
        findings: Findings,
    ) -> tuple[NDArray[np.int64], dict[str, Numbers]]:
        """As `JointStateReader.read`; every message must hold every wanted field."""
        del findings
        rows = np.arange(len(data))
        if not columns:
            return rows, {}
        if self._decode is None:
            said = f"messages of type {self._type} cannot be decoded ({self._why_not})"
            self._refuse("unknown-message", said, int(log_time[0]), first)
        values: dict[str, list[float]] = {column.name: [] for column in columns}
        for row, raw in enumerate(data):
            place = (int(log_time[row]), first + row)
            try:
                found = dict(leaves(self._decode(raw)))
            except Exception as error:
                said = f"cannot be decoded ({type(error).__name__})"
                self._refuse("damaged-message", said, *place)
            for name, into in values.items():
                value = found.get(name)
                if value is None or isinstance(value, str):
                    self._refuse("field-missing", f"no number in field {name}", *place)
                into.append(value)
        return rows, {c.name: self._array(values[c.name], c, log_time, first) for c in columns}

    def _array(
        self, values: Sequence[float], column: Column, log_time: NDArray[np.int64], first: int
    ) -> Numbers:
        try:
            if column.kind is Kind.FLOAT:
                return np.array(values, np.float64)
            return np.array(values, np.int64)
        except (OverflowError, ValueError):
            said = f"a number in {column.name} is too large"
            self._refuse("integer-too-large", said, int(log_time[0]), first)

    def _refuse(self, code: str, said: str, log_time: int, number: int) -> NoReturn:
        raise BadDataError(
            code,
            f"{self._topic}, message {number}: {said}",
            file=self._file,
            time=log_time / 1e9,
        )


def kind_of(value: float | str) -> Kind:
    """The kind of a value."""
    if isinstance(value, str):
        return Kind.TEXT
    if isinstance(value, bool | np.bool_):
        return Kind.BOOL
    return Kind.INT if isinstance(value, int | np.integer) else Kind.FLOAT


def wider(one: Kind | None, other: Kind) -> Kind:
    """The kind of a field that is now this, now that: JSON writes 1.0 as 1."""
    if one is None or one is other:
        return other
    return Kind.FLOAT if {one, other} == {Kind.INT, Kind.FLOAT} else Kind.TEXT


def leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[Leaf]:
    """The numbers and texts inside a message, by path; stamps as ns since their origin."""
    if depth > _DEEPEST:
        return
    if isinstance(value, bool | int | float | str | np.generic):
        yield path, value  # type: ignore[misc]
        return
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        if len(value) <= MOST_ITEMS:
            for number, item in enumerate(value):
                yield from leaves(item, f"{path}[{number}]", depth + 1)
        return
    fields = value if isinstance(value, dict) else getattr(value, "__dict__", None)
    if fields is None:
        return
    fields = {name: item for name, item in fields.items() if not name.startswith("__")}
    if len(fields) == 2 and "sec" in fields:
        fraction = next((fields[name] for name in _CLOCKS if name in fields), None)
        if isinstance(fraction, int) and isinstance(fields["sec"], int):
            yield path, fields["sec"] * 1_000_000_000 + fraction
            return
    for name, item in fields.items():
        yield from leaves(item, f"{path}.{name}" if path else name, depth + 1)


def decoder(message_type: str, encoding: str, definition: str) -> Callable[[bytes], object]:
    """A function that makes an object of a message.

    Args:
        message_type: as the bag calls it.
        encoding: `cdr`, `ros1` or `json`.
        definition: the text that defines the type, or nothing for the types ROS comes with.
    """
    if encoding == "json":
        return json.loads
    if encoding not in ("cdr", "ros1"):
        raise ValueError(f"messages in {encoding}")
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    name = message_type if "/msg/" in message_type else message_type.replace("/", "/msg/")
    if definition:
        store = get_typestore(Stores.EMPTY)
        store.register(get_types_from_msg(definition, name))
    else:
        store = get_typestore(Stores.ROS1_NOETIC if encoding == "ros1" else Stores.LATEST)
    if name not in store.fielddefs:
        raise ValueError(f"the definition of {name} is not known")
    if encoding == "ros1":
        return lambda data: store.deserialize_ros1(data, name)
    return lambda data: store.deserialize_cdr(data, name)
