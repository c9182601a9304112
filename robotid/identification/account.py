"""What became of every sample of a log: used in a split, or left out for a reason."""

from collections.abc import Mapping
from typing import NamedTuple

from robotid.contracts.recording import RecordingFacts
from robotid.contracts.splits import Split


class Account(NamedTuple):
    """Samples of a recording: logged + added = all that were used + all that were dropped.

    Args:
        logged: in the log; None where the dataset does not say.
        added: that a uniform grid has more than the log.
        dropped: by reason, in the order in which they were lost.
    """

    logged: int | None
    added: int
    dropped: dict[str, int]


def account(facts: RecordingFacts, used: Mapping[Split, int]) -> Account:
    """The account of a recording of which some samples were used in each split.

    Reasons are those of ingest and filter, and `resampled` (a uniform grid has fewer samples than
    the log), `averaged` (over periods), `trimmed` (the filter was not settled), `decimated`, and
    `between-splits` (the gap of a recording that was cut).
    """
    between = {"between-splits": facts.samples - sum(used.values())}
    done = facts.filter
    if done is None or done.grid is None or done.grid.samples is None or facts.logged is None:
        trimmed = {"trimmed": done.trimmed if done else 0}
        return Account(None, 0, _some(facts.dropped | trimmed | between))
    fewer = facts.logged - sum(facts.dropped.values()) - done.grid.samples
    kept = facts.samples * done.decimated_by if done.averaging else done.grid.samples - done.trimmed
    dropped = {
        **facts.dropped,
        "resampled": max(0, fewer),
        "averaged": done.grid.samples - done.trimmed - kept,
        "trimmed": done.trimmed,
        "decimated": kept - facts.samples,
        **between,
    }
    return Account(facts.logged, max(0, -fewer), _some(dropped))


def _some(counts: Mapping[str, int]) -> dict[str, int]:
    return {why: count for why, count in counts.items() if count}
