"""Columns of a floating base: position, orientation, velocity, acceleration by their last words."""

from collections.abc import Sequence

from robotid.ingestion.column_map import BaseMap
from robotid.inspection.column_groups import Group
from robotid.inspection.column_words import words_of
from robotid.inspection.survey import StreamFacts
from robotid.logs.log import Kind

_PLACES = ("base", "body", "pelvis", "trunk", "torso", "odom", "root", "floating", "imu", "pose")
# Part of the base, words that name it, axes that its columns end with.
_XYZ = ("x", "y", "z")
_VECTORS: tuple[tuple[str, frozenset[str], tuple[str, ...]], ...] = (
    ("quat", frozenset(("orientation", "quat", "quaternion", "rotation")), (*_XYZ, "w")),
    ("pos", frozenset(("position", "pos", "translation")), _XYZ),
    ("linear", frozenset(("linear", "vel", "velocity")), _XYZ),
    ("angular", frozenset(("angular", "gyro", "omega")), _XYZ),
)
_SPELLED = {"qx": "x", "qy": "y", "qz": "z", "qw": "w"}


def base_maps(streams: Sequence[StreamFacts], q: Group, *, several: bool) -> BaseMap:
    """What a log holds of a floating base; velocities are taken to be in its own coordinates.

    Args:
        streams: all of them.
        q: the positions of joints, to know the file.
        several: whether streams have to be named.
    """
    found: dict[str, dict[str, object]] = {}
    vectors: dict[str, tuple[StreamFacts, tuple[str, ...]]] = {}
    for stream in streams:
        for part, columns in _vectors(stream).items():
            vectors.setdefault(part, (stream, columns))
    for part in ("pos", "quat"):
        if part in vectors:
            stream, columns = vectors[part]
            found[part] = _map(stream, columns, q, several=several)
    if "linear" in vectors and "angular" in vectors:
        (stream, linear), (other, angular) = vectors["linear"], vectors["angular"]
        if stream is other:
            both = _map(stream, (*linear, *angular), q, several=several)
            found["vel"] = {**both, "frame": "base"}
    return BaseMap.model_validate(found)


def _map(
    stream: StreamFacts, columns: tuple[str, ...], q: Group, *, several: bool
) -> dict[str, object]:
    return {
        "columns": columns,
        "file": stream.place.log.path.name if q.file is not None else None,
        "stream": stream.place.stream.name if several else None,
    }


def _vectors(stream: StreamFacts) -> dict[str, tuple[str, ...]]:
    """Vectors of the base in a stream: which part, and the columns of its axes."""
    by_prefix: dict[str, dict[str, str]] = {}
    for column in stream.columns:
        words = words_of(column.name)
        if column.kind is Kind.TEXT or not words:
            continue
        axis = _SPELLED.get(words[-1].text, words[-1].text)
        if axis in (*_XYZ, "w"):
            by_prefix.setdefault(column.name[: words[-1].start], {})[axis] = column.name
    found: dict[str, tuple[str, ...]] = {}
    around = {word.text for word in words_of(stream.place.stream.name)}
    for prefix, axes in by_prefix.items():
        words_before = {word.text for word in words_of(prefix)} | around
        if not words_before & set(_PLACES):
            continue
        for part, names, wanted in _VECTORS:
            if words_before & names and all(axis in axes for axis in wanted):
                if {"linear", "acceleration"} <= words_before:
                    continue
                found.setdefault(part, tuple(axes[axis] for axis in wanted))
                break
    return found
