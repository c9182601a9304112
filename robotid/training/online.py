"""One pass of Adam over samples in the order of time, as a robot that learns while it moves."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid import progress
from robotid.models.learned.inverse import Motion
from robotid.models.learning import evenly, one_pass
from robotid.training.adam import AdamOptions, Task
from robotid.training.history import Trained
from robotid.training.motions import Stretch

Array = NDArray[np.float64]
_EXCERPT = 2000  # samples that errors on all data are computed from


def train_online(task: Task, options: AdamOptions, errors: Callable[[], Array]) -> Trained:
    """Learn from each batch once; the model keeps what it learned last.

    Args:
        task: what is to be learned, samples in the order of time.
        options: batch and learning rate.
        errors: `nmse_var` of the model as it is on all data, shape (n,).
    """
    learned = [values for values in task.model.parameters() if values.requires_grad]
    optimizer = torch.optim.Adam(learned, lr=options.learning_rate)
    before = [values.detach().clone() for values in learned]

    def step(chosen: Tensor) -> float:
        optimizer.zero_grad()
        loss = task.backward(chosen)
        with torch.no_grad():
            if not math.isfinite(loss):
                for values, kept in zip(learned, before, strict=True):
                    values.copy_(kept)
                return math.nan
            for values, kept in zip(learned, before, strict=True):
                kept.copy_(values)
        optimizer.step()
        done = int(chosen[-1]) + 1
        progress.report(done, task.units, f"{done} of {task.units} samples: {loss:.3g} before")
        return loss

    found = one_pass(task.units, options.batch, step, errors)
    loss = float(np.nanmean(found.curve[-1].errors))
    return Trained(loss, 1, found.converged, found.message, (), online=found.curve)


def excerpt(stretches: Sequence[Stretch]) -> Stretch:
    """Some samples, evenly spread over all of them: for models without a memory."""
    t, tau = torch.cat([own.t for own in stretches]), torch.cat([own.tau for own in stretches])
    chosen = evenly(len(t), _EXCERPT)
    signals = zip(*(own.motion for own in stretches), strict=True)
    motion = Motion(*(torch.cat(values)[chosen] for values in signals))
    return Stretch("", t[chosen], motion, tau[chosen])
