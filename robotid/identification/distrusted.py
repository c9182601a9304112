"""Which stretches a robust fit gives less weight to, for whoever wants to look at them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import Notice
from robotid.fitting.evidence import Evidence
from robotid.fitting.robust import LEAST_BLOCKS, TOLERATED, unusual
from robotid.information.blocks import DataBlock

Array = NDArray[np.float64]
_SHOWN = 5  # stretches in a remark


class Stretch(NamedTuple):
    """Blocks that follow each other, and the joint whose errors are the most unusual there."""

    recording: str
    start_s: float
    end_s: float
    joint: str
    times: float

    def __str__(self) -> str:
        when = f"{self.recording} from {self.start_s:.3g} to {self.end_s:.3g} s"
        return f"{when} ({self.joint}, {self.times:.2g} times)"


def distrusted(blocks: Sequence[DataBlock], evidence: Evidence, phi: Array) -> list[Notice]:
    """Stretches whose errors are so much larger than usual that a robust fit lowers their weight.

    Args:
        blocks: of the training data, in order.
        evidence: of these blocks, without weights.
        phi: all parameters of the fit.
    """
    if len(blocks) < LEAST_BLOCKS:
        return []
    times = unusual(evidence, phi)
    bad = np.flatnonzero((times > TOLERATED).any(axis=1)).tolist()
    if not bad:
        return []
    found = sorted(_stretches(blocks, evidence.rows, times, bad), key=lambda one: -one.times)
    listed = "; ".join(map(str, found[:_SHOWN])) + ("; …" if len(found) > _SHOWN else "")
    said = (
        f"{len(bad)} of {len(blocks)} stretches contradict the rest and count for less, with "
        f"errors above {TOLERATED:g} times the usual: {listed}"
    )
    hint = "look at them in the report; leave out contacts and the like (exclude of ingest)"
    return [Notice(code="stretches-distrusted", message=said, hint=hint)]


def _stretches(
    blocks: Sequence[DataBlock], rows: Sequence[str], times: Array, bad: Sequence[int]
) -> list[Stretch]:
    found: list[Stretch] = []
    before = -2
    for number in bad:
        block, row = blocks[number], int(np.argmax(times[number]))
        one = Stretch(
            block.recording, block.start_s, block.end_s, rows[row], float(times[number, row])
        )
        if number == before + 1 and found[-1].recording == one.recording:
            worst = max(found[-1], one, key=lambda stretch: stretch.times)
            one = worst._replace(start_s=found[-1].start_s, end_s=one.end_s)
            found.pop()
        found.append(one)
        before = number
    return found
