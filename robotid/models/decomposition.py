"""Forces of a model taken apart: what inertia, velocity and gravity need, each on its own.

    gravity    f(q, 0, 0)
    inertial   f(q, 0, q̈) − f(q, 0, 0)
    coriolis   f(q, q̇, 0) − f(q, 0, 0)

which holds of every f = H(q) q̈ + c(q, q̇) + g(q), whatever is inside it. Friction is none of them;
rotors are inertia.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from robotid.models.rigid_body import LINKS

Array = NDArray[np.float64]
PARTS = ("inertial", "coriolis", "gravity")
_BODIES = (LINKS, "body")  # what a model calls its bodies
_LEARNED = "residual"  # has no such parts


class Summed(Protocol):
    """A model whose forces are sums."""

    @property
    def parts(self) -> Callable[..., dict[str, Array]]:
        """What they are sums of, (T, nv) each, of q (T, nq), qd and qdd (T, nv)."""


def decomposed(model: Summed, q: Array, qd: Array, qdd: Array) -> dict[str, Array] | None:
    """The parts of a model's forces by name, shape (T, nv) each; None of one without a body."""
    still = np.zeros_like(qd)
    at_rest, pushed, moving = (
        model.parts(q, *motion) for motion in ((still, still), (still, qdd), (qd, still))
    )
    body = next((name for name in _BODIES if name in at_rest), None)
    if body is None:
        return None
    return {
        "inertial": _formulas(pushed) - _formulas(at_rest),
        "coriolis": moving[body] - at_rest[body],
        "gravity": at_rest[body],
    }


def _formulas(parts: Mapping[str, Any]) -> Array:
    total: Array = sum(values for name, values in parts.items() if name != _LEARNED)
    return total
