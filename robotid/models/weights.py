"""Weights of a fit folder, into the model they belong to."""

from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn

from robotid.contracts.forward import WEIGHTS
from robotid.errors import BadDataError


def load_weights(model: nn.Module, folder: Path) -> None:
    """Load what was learned; weights that are not those of the model are refused."""
    path = folder / WEIGHTS
    try:
        weights = load_file(path)
        model.load_state_dict(weights)
    except (SafetensorError, RuntimeError) as error:
        said = f"not the weights of this model: {str(error).splitlines()[0]}"
        raise BadDataError("fit-differs", said, file=str(path), hint="fit again") from error
    if not all(torch.isfinite(values).all() for values in weights.values()):
        raise BadDataError("fit-differs", "a weight is not finite", file=str(path))
