"""What a training went through, and how it ended."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from robotid.models.learning import Seen

_POINTS = 400  # of a training curve that results state


class Step(NamedTuple):
    """A point of a training curve: mean squared weighted errors, processor seconds so far.

    `formulas` is the validation error without the network of a model that has both; else None.
    """

    step: int
    seconds: float
    train: float
    validation: float
    formulas: float | None = None


class Trained(NamedTuple):
    """How a training ended.

    Args:
        loss: mean squared weighted error on the validation samples.
        steps: done.
        converged: whether nothing more was to be gained.
        message: how it ended, and what to do if that is not well.
        history: the curve.
        reached: whether it came to its target; None without one.
        online: errors while it learned in the order of time; empty of other trainings.
    """

    loss: float
    steps: int
    converged: bool
    message: str
    history: tuple[Step, ...]
    reached: bool | None = None
    online: tuple[Seen, ...] = ()

    @property
    def kept(self) -> int:
        """The step whose parameters the model has: the best, or the last if it was enough."""
        return self.steps if self.reached or self.online else best_of(list(self.history)).step


def best_of(history: list[Step]) -> Step:
    """The step with the least validation error."""
    return min(history, key=lambda s: s.validation if math.isfinite(s.validation) else math.inf)


def thinned(history: Sequence[Step]) -> list[Step]:
    """Some of the steps, spread evenly, with the first and the last; those without errors go."""
    most = min(_POINTS, len(history))
    places = sorted({round(i * (len(history) - 1) / max(1, most - 1)) for i in range(most)})
    return [history[i] for i in places if math.isfinite(history[i].train + history[i].validation)]
