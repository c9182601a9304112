"""Holding data out: by recording where there are several, else by a stretch of time with a gap."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.recording import RecordingFacts, Segment
from robotid.contracts.splits import Interval, Split
from robotid.types import Columns

SHORTEST_GAP_S = 1.0

Intervals = Mapping[str, list[Interval]]


def hold_out(
    recordings: Mapping[str, RecordingFacts], splits: Mapping[str, Split], share: float
) -> Intervals:
    """Where no recording is for the test: the last training one, cut in two.

    The gap between the two is twice the filter's memory, so that no sample of the log has a part
    in both.

    Args:
        recordings: facts by name.
        splits: the split of each recording.
        share: of the samples of that recording, to be held out; 0 holds nothing out.

    Returns:
        Stretches of time by recording; nothing when no cut is needed, or when what would be left
        for the training is nothing.
    """
    training = [name for name in recordings if splits[name] == "train"]
    if not training or not share or "test" in splits.values():
        return {}
    facts = recordings[training[-1]]
    gap_s = gap_of(facts)
    segments = [Segment(start_s=0.0, end_s=facts.duration_s, samples=facts.samples)]
    if facts.filter is not None and facts.filter.segments:
        segments = facts.filter.segments
    start, end = segments[0].start_s, segments[-1].end_s
    border = _border(segments, 1 - share)
    if border - gap_s <= start:
        return {}
    return {
        training[-1]: [
            Interval(split="train", start_s=start, end_s=border - gap_s),
            Interval(split="test", start_s=border, end_s=end),
        ]
    }


def gap_of(facts: RecordingFacts) -> float:
    """Time between samples of a recording that have no sample of the log in common [s], at least.

    A filter reaches to both sides, so it is twice its memory.
    """
    memory_s = 0.0 if facts.filter is None else facts.filter.memory_s
    return max(SHORTEST_GAP_S, 2 * memory_s)


def _border(segments: Sequence[Segment], share: float) -> float:
    """The time before which a share of the samples lies [s]."""
    left = share * sum(segment.samples for segment in segments)
    for segment in segments:
        if left <= segment.samples:
            part = left / segment.samples
            return segment.start_s + part * (segment.end_s - segment.start_s)
        left -= segment.samples
    return segments[-1].end_s


def by_split(
    recordings: Mapping[str, Columns], splits: Mapping[str, Split], intervals: Intervals
) -> dict[str, list[Columns]]:
    """Recordings by split; those that are cut give their parts.

    Args:
        recordings: columns with `t` [ns], by name.
        splits: the split of each recording.
        intervals: stretches of time of the recordings that are cut.
    """
    chosen: dict[str, list[Columns]] = {}
    for name, columns in recordings.items():
        if name not in intervals:
            chosen.setdefault(splits[name], []).append(columns)
            continue
        t = columns["t"] / 1e9
        for part in intervals[name]:
            inside = (t >= part.start_s) & (t <= part.end_s)
            chosen.setdefault(part.split, []).append(_rows(columns, inside))
    return chosen


def _rows(columns: Columns, mask: NDArray[np.bool_]) -> Columns:
    return {name: values[mask] for name, values in columns.items()}
