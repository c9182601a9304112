"""Torque offsets that differ from recording to recording: sensors that were zeroed in between."""

from collections.abc import Mapping, Sequence

import numpy as np

from robotid.contracts.fit import BlockErrors
from robotid.errors import Notice

_SURE = 4.0  # standard deviations
_LEAST = 0.5  # of the error of a joint: what is smaller does no harm
_FEWEST = 4  # blocks of a recording, to know how much their means scatter


def offset_changes(blocks: Sequence[BlockErrors], units: Mapping[str, str]) -> list[Notice]:
    """Joints whose mean error differs between recordings by more than their blocks scatter.

    Args:
        blocks: errors of all blocks, with means where joints have an offset.
        units: of torque, by joint.
    """
    by_recording: dict[str, list[BlockErrors]] = {}
    for block in blocks:
        if block.split != "train":  # a poor prediction of other motions would look the same
            continue
        by_recording.setdefault(block.recording, []).append(block)
    long = {name: own for name, own in by_recording.items() if len(own) >= _FEWEST}
    if len(long) < 2:
        return []
    found = (_change(joint, long, units[joint]) for joint in blocks[0].rmse)
    return [notice for notice in found if notice is not None]


def _change(
    joint: str, recordings: Mapping[str, Sequence[BlockErrors]], unit: str
) -> Notice | None:
    means, scatter, errors = {}, {}, []
    for name, own in recordings.items():
        values = [value for block in own if (value := block.mean[joint]) is not None]
        if len(values) < _FEWEST:
            return None
        means[name] = float(np.mean(values))
        scatter[name] = float(np.std(values, ddof=1)) / np.sqrt(len(values))
        errors += [block.rmse[joint] ** 2 for block in own]
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    change = means[high] - means[low]
    error = float(np.sqrt(np.mean(errors)))
    if change < _LEAST * error or change < _SURE * np.hypot(scatter[low], scatter[high]):
        return None
    said = (
        f"the torque of {high} lies {change:.3g} {unit} above that of {low}, "
        f"{100 * change / error:.0f} % of the error: its zero may have changed in between"
    )
    hint = "zero the torque sensors before each recording; set intervals to blocks"
    return Notice(code="offset-differs", message=said, joint=joint, hint=hint)
