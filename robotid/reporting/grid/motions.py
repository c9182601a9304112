"""Rollouts that are compared: each fit with its motion."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.rollout import FitRollout, Rollout, read_first_motion, read_rollout
from robotid.errors import BadDataError

Array = NDArray[np.float64]


class Motion(NamedTuple):
    """The motion of the last joint from the first start, shape (samples,) each.

    Args:
        t: since the start [s].
        q: of the model; not a number once it has diverged.
        true: as recorded; None where nothing was.
    """

    t: Array
    q: Array
    true: Array | None


class Run(NamedTuple):
    """A fit, what became of it, and the rollout it is from."""

    rollout: Rollout
    fit: FitRollout
    motion: Motion


def runs(folders: Mapping[str, Path]) -> list[Run]:
    """All fits of all rollouts; rollouts that cannot stand side by side are refused."""
    found: list[Run] = []
    first: tuple[str, Rollout] | None = None
    for name, folder in folders.items():
        rollout = read_rollout(folder)
        if first is None:
            first = name, rollout
        for what, own, other in (
            ("a horizon of {} s", rollout.horizon_s, first[1].horizon_s),
            ("{} starts of each fit", len(rollout.starts), len(first[1].starts)),
        ):
            if own != other:
                said = f"{name} has {what.format(own)}, {first[0]} has {what.format(other)}"
                hint = "compare rollouts with the same horizon and starts"
                raise BadDataError("rollouts-differ", said, file=str(folder), hint=hint)
        found += [
            Run(rollout, one, Motion(*read_first_motion(folder, rollout, fit)))
            for fit, one in rollout.fits.items()
        ]
    return found
