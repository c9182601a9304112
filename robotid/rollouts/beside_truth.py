"""What a fit has found beside what is true, where a simulation says so."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.fit import held_out
from robotid.contracts.rollout import LinkMass
from robotid.dynamics.crba import crba
from robotid.models.forward_from_fit import FittedForward
from robotid.models.true_robot import TrueRobot

Array = NDArray[np.float64]


def beside_truth(fitted: FittedForward, q: Array, true: TrueRobot | None) -> dict[str, Any]:
    """Fields of a `FitRollout` that say what was found.

    Args:
        fitted: the fit.
        q: positions at which mass matrices are compared, shape (starts, n).
        true: what was simulated, where that is known.
    """
    fit = fitted.fit
    trained = fit.model not in ("nea", "ffnn")
    return {
        "kinematics": fit.kinematics,
        "init": fit.options.get("init") if trained else None,
        "seed": fit.options.get("seed", 0),
        "one_step": fit.metrics[held_out(fit.metrics)]["nmse_var"].mean if fit.metrics else None,
        "masses": _masses(fitted, true),
        "inertia_error": _inertia_error(fitted, q, true),
    }


def _masses(fitted: FittedForward, true: TrueRobot | None) -> list[LinkMass]:
    nominal = fitted.robot.tree
    place = {name: number for number, name in enumerate(nominal.links)}
    return [
        LinkMass(
            link=link.name,
            value=link.mass,
            nominal=float(nominal.phi[place[link.name], 0]),
            true=None if true is None else float(true.robot.phi[place[link.name], 0]),
        )
        for link in fitted.fit.links
    ]


def _inertia_error(fitted: FittedForward, q: Array, true: TrueRobot | None) -> float | None:
    at = torch.from_numpy(q)
    with torch.no_grad():
        own = fitted.model.inertia(at)
        if own is None or true is None:
            return None
        known = crba(true.robot, at, rotor_inertia=torch.from_numpy(true.rotor_inertia))
    scale = torch.sqrt(torch.diagonal(known, dim1=-2, dim2=-1))
    # Joints that slide and turn have other units: each entry counts in those of its joints.
    units = scale[..., :, None] * scale[..., None, :]
    wrong, whole = ((one / units).square().sum() for one in (own - known, known))
    return float(torch.sqrt(wrong / whole))
