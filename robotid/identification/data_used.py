"""What became of each recording on its way into a fit, for the report."""

from typing import Any

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.fit_data import FilteredData, RecordingUsed
from robotid.contracts.recording import RecordingFacts
from robotid.contracts.splits import Split
from robotid.identification.account import account
from robotid.identification.gathered import Gathered
from robotid.identification.ranges import trained_ranges, widest
from robotid.identification.request import Request


def data_used(request: Request) -> dict[str, Any]:
    """The fields of a result that say which data it is of, and how it came about."""
    ready, earlier = request.ready, request.earlier
    ranges = trained_ranges(ready.data, ready.gains)
    return {
        "filtered": _filtered(request.index),
        "data": _recordings(ready.data, request.index, request.torque),
        "continues": earlier.stated if earlier else None,
        "ranges": widest(earlier.ranges, ranges) if earlier else ranges,
        "provenance": request.provenance,
    }


def _filtered(index: DatasetIndex) -> dict[str, FilteredData]:
    """How the first recording of each split was filtered whose spectra the index has."""
    found: dict[str, FilteredData] = {}
    shown: set[Split] = set()
    for name, facts in index.recordings.items():
        done, split = facts.filter, index.splits[name]
        if split not in shown and done is not None and done.spectra is not None:
            shown.add(split)
            found[name] = FilteredData(
                rate_hz=facts.rate_hz,
                cutoff_hz=done.cutoff_hz,
                effective_hz=done.effective_hz,
                **done.spectra.model_dump(),
            )
    return dict(sorted(found.items()))


def _recordings(data: Gathered, index: DatasetIndex, torque: str) -> dict[str, RecordingUsed]:
    """All recordings; of one that was cut, only samples that are in a split count as used."""
    used: dict[str, dict[Split, int]] = {name: {} for name in index.recordings}
    for block in data.blocks:
        own = used[block.recording]
        own[block.split] = own.get(block.split, 0) + block.samples
    return {
        name: _used(facts, index.splits[name], used[name], torque)
        for name, facts in index.recordings.items()
    }


def _used(
    facts: RecordingFacts, split: Split, used: dict[Split, int], torque: str
) -> RecordingUsed:
    done, found = facts.filter, account(facts, used)
    kind = facts.torque.kind if facts.torque is not None else ""
    return RecordingUsed(
        split=split,
        source_sha256=facts.source_sha256,
        source_format=facts.source_format,
        rate_hz=facts.rate_hz,
        duration_s=facts.duration_s,
        logged=found.logged,
        added=found.added,
        samples=sum(used.values()),
        used=used,
        dropped=found.dropped,
        excluded=facts.excluded,
        gaps=facts.time.gaps if facts.time is not None else 0,
        repairs=facts.repairs,
        findings=facts.findings,
        cutoff_hz=None if done is None else done.cutoff_hz,
        effective_hz=None if done is None else done.effective_hz,
        torque_kind={"tau": kind, "tau_cmd": "commanded"}.get(torque, ""),
    )
