"""Weights of a fit folder, into the model they belong to."""

from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from robotid.contracts.forward import WEIGHTS
from robotid.errors import BadDataError


def load_weights(model: nn.Module, folder: Path) -> None:
    """Load what was learned; weights that are not those of the model are refused."""
    path = folder / WEIGHTS
    if not path.is_file():
        said = "the weights that belong to this fit are not there"
        raise BadDataError("fit-differs", said, file=str(path), hint="copy the whole folder")
    try:
        weights = load_file(path)
    except SafetensorError as error:
        said = f"not the weights of a model: {error}"
        raise BadDataError("fit-differs", said, file=str(path), hint="fit again") from error
    wrong = _wrong(model, weights)
    if wrong is not None:
        said = f"not the weights of this model: {wrong}"
        raise BadDataError("fit-differs", said, file=str(path), hint="fit again")
    model.load_state_dict(weights)
    if not all(torch.isfinite(values).all() for values in weights.values()):
        raise BadDataError("fit-differs", "a weight is not finite", file=str(path))


def _wrong(model: nn.Module, weights: dict[str, Tensor]) -> str | None:
    """The first tensor that is missing, too many, or of another shape, in words."""
    wanted = model.state_dict()
    for name, values in wanted.items():
        if name not in weights:
            return f"{name} is missing"
        if weights[name].shape != values.shape:
            shapes = (tuple(x.shape) for x in (weights[name], values))
            return "{} has the shape {}, not {}".format(name, *shapes)
    return next((f"it has no {name}" for name in weights if name not in wanted), None)
