"""Digest of the numbers in a file, whatever library wrote them."""

import hashlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray


def digest_of(tensors: Mapping[str, NDArray[np.float64]]) -> str:
    """SHA-256 of names, shapes and numbers, in the order of names."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].shape} ".encode())
        digest.update(tensors[name].tobytes())
    return digest.hexdigest()
