"""A training as it is after an epoch: kept now and then, and taken up again where it was killed."""

import json
import time
from typing import NamedTuple

import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from robotid import checkpoints
from robotid.training.history import Step

_EVERY_S = 2.0
_MOMENTS = ("exp_avg", "exp_avg_sq", "step")  # of Adam

Parameters = dict[str, Tensor]


class State(NamedTuple):
    """What a training had so far, besides the model and the optimiser."""

    history: list[Step]
    best: Parameters


class Checkpoint:
    """Keeps model, optimiser, order of samples and history together.

    Taken up again, a training goes on to the very numbers it would have come to.

    Args:
        model: as it is.
        optimizer: of its parameters.
        generator: of the order of samples.
        of: which training of a stage it is; with none, nothing is kept.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        generator: torch.Generator,
        of: str | None = None,
    ) -> None:
        self._model, self._optimizer, self._generator = model, optimizer, generator
        self._of = of
        self._saved = time.monotonic()

    def parameters(self) -> Parameters:
        """A copy of everything the model holds."""
        return {name: values.detach().clone() for name, values in self._model.state_dict().items()}

    def save(self, history: list[Step], best: Parameters) -> None:
        """Keep all of it, unless it was kept a moment ago."""
        if self._of is None or time.monotonic() - self._saved < _EVERY_S:
            return
        self._saved = time.monotonic()
        parts = {"model": self._model.state_dict(), "best": best}
        tensors = {
            f"{part}/{name}": values.detach().cpu().contiguous()
            for part, own in parts.items()
            for name, values in own.items()
        }
        for number, values in enumerate(self._learned()):
            state = self._optimizer.state[values]
            for name in _MOMENTS:
                tensors[f"adam/{number}/{name}"] = state[name].detach().cpu().contiguous()
        tensors["order"] = self._generator.get_state()
        # Of tensors that are one in memory (best and model before a step) safetensors takes none.
        copies = {name: values.clone() for name, values in tensors.items()}
        checkpoints.keep(save(copies, {"history": json.dumps(history)}), self._of)

    def restored(self) -> State | None:
        """Take up what was kept; None where nothing was, or not of this training."""
        content = None if self._of is None else checkpoints.kept(self._of)
        if content is None:
            return None
        tensors = load(content)
        found: dict[str, Parameters] = {"model": {}, "best": {}}
        for name, values in tensors.items():
            part, _, rest = name.partition("/")
            if part in found:
                found[part][rest] = values
        shapes = {name: values.shape for name, values in found["model"].items()}
        if shapes != {name: values.shape for name, values in self._model.state_dict().items()}:
            return None
        self._model.load_state_dict(found["model"])
        for number, values in enumerate(self._learned()):
            self._optimizer.state[values] = {
                name: tensors[f"adam/{number}/{name}"].to(
                    "cpu" if name == "step" else values.device
                )
                for name in _MOMENTS
            }
        self._generator.set_state(tensors["order"])
        return State(_history(content), found["best"])

    def _learned(self) -> list[Tensor]:
        return [values for group in self._optimizer.param_groups for values in group["params"]]


def _history(content: bytes) -> list[Step]:
    """From the header of the file, whose first eight bytes are its length."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    return [Step(*entry) for entry in json.loads(header["__metadata__"]["history"])]
