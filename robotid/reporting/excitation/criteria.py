"""The criteria of a design, in words."""

from collections.abc import Mapping
from typing import NamedTuple


class Words(NamedTuple):
    """The field of a criterion in a design, and what it says."""

    field: str
    said: str


CRITERIA: Mapping[str, Words] = {
    "trace-inv": Words(
        "trace_inv", "mean variance of the parameters in units of their scale; less is better"
    ),
    "logdet": Words("logdet", "logarithm of the information per parameter; more is better"),
    "mineig": Words("mineig", "information in the worst direction; more is better"),
    "cond": Words("cond", "condition number: worst direction against best; less is better"),
}
