"""The rigid part of a learned model beside the body that an SDP finds in the same data."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.learned import Apart, LearnedParameter
from robotid.dynamics.base_parameters import BaseParameters, base_parameters
from robotid.dynamics.groupings import groupings
from robotid.identification.gathered import Gathered
from robotid.identification.learned.started import RigidFit, parameters_of
from robotid.identification.tables import link_table
from robotid.information.layout import Layout
from robotid.information.sizes import nominal
from robotid.models.learned.inverse import InverseModel
from robotid.models.learned.kinodynamic import KinodynamicBody

Array = NDArray[np.float64]


def rigid_part(model: InverseModel, rigid: RigidFit, data: Gathered) -> dict[str, Any]:
    """Fields of a result: links, base parameters beside those of the SDP, and how far apart.

    Args:
        model: after training.
        rigid: what the SDP found.
        data: that both are of.
    """
    if isinstance(model.body, KinodynamicBody):
        with torch.no_grad():
            links, poses = model.body.links().numpy(), model.body.placements().tolist()
        bare = Layout(model.body.robot, terms=())
        return {"links": link_table(bare, links.ravel()), "rigid": [], "placements": poses}
    phi = parameters_of(model)
    if phi is None:
        return {"links": [], "rigid": []}
    layout = rigid.layout
    base = base_parameters(layout.robot, **layout.arguments)
    names = [grouping.text() for grouping in groupings(base)]
    units = [layout.units[column] for column in base.independent]
    betas = [base.beta(values) for values in (phi, rigid.phi, nominal(layout))]
    return {
        "links": link_table(layout, phi),
        "rigid": [
            LearnedParameter(name=name, unit=unit, value=value, sdp=other, nominal=given)
            for name, unit, value, other, given in zip(
                names, units, *(beta.tolist() for beta in betas), strict=True
            )
        ],
        "rigid_apart": _apart(phi, rigid.phi, base, layout, data),
    }


def _apart(
    phi: Array, sdp: Array, base: BaseParameters, layout: Layout, data: Gathered
) -> Apart | None:
    """Links alone, by base parameters and by the torques that they make of the training data.

    |β − β_sdp| / |β_sdp|, which large parameters decide whatever they are of, and
    |W (φ − φ_sdp)| / |W φ_sdp|, in which each counts by what it does.
    """
    own, links = 10 * layout.robot.bodies, phi.copy()
    links[own:] = sdp[own:]
    of_links = np.array(base.independent) < own
    beta, wanted = base.beta(links)[of_links], base.beta(sdp)[of_links]
    size, moved = float(np.linalg.norm(wanted)), _torque(sdp[:own], data)
    if size == 0 or moved == 0:
        return None
    return Apart(
        parameters=float(np.linalg.norm(beta - wanted)) / size,
        torque=_torque((links - sdp)[:own], data) / moved,
    )


def _torque(links: Array, data: Gathered) -> float:
    """|W φ| of links over the training data, by their factors."""
    phi = np.zeros(data.layout.parameters)
    phi[: links.size] = links
    squares = [
        float(np.sum((factor.R[:-1, :-1] @ (factor.expansion @ phi[factor.columns])) ** 2))
        for block in data.by_split()["train"]
        for factor in block
    ]
    return float(np.sqrt(sum(squares)))
