"""`DataBlock`: a stretch of a recording as factors, and the split it is in."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from robotid.contracts.splits import Split
from robotid.information.factor import Factor
from robotid.information.on_file import samples_in

# By split: blocks, each with one factor per row of torque.
BySplit = Mapping[Split, Sequence[Sequence[Factor]]]


class DataBlock(NamedTuple):
    """A stretch of a recording.

    Args:
        recording: its name.
        split: that the stretch is in.
        start_s: time of its first sample [s].
        end_s: time of its last sample [s].
        factors: one per row of torque.
    """

    recording: str
    split: Split
    start_s: float
    end_s: float
    factors: Sequence[Factor]

    @property
    def samples(self) -> int:
        """How many samples it has; its factors are not read for that."""
        return samples_in(self.factors)
