"""What a fit found, parameter by parameter and link by link."""

from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.fit import (
    BaseParameter,
    FitResult,
    Identifiability,
    Link,
    Parameter,
    ParameterStatus,
)
from robotid.fitting.departure import Departure
from robotid.fitting.load_body import UNCERTAIN
from robotid.fitting.status import Knowledge
from robotid.information.layout import LINK_PARAMETERS, Layout
from robotid.information.sizes import nominal, sizes
from robotid.robot.physical import violations
from robotid.spatial.inertia import parts_of, pseudo_inertia

Array = NDArray[np.float64]
Known = TypeVar("Known", Parameter, BaseParameter)
NINE = ("Ixx", "Ixy", "Ixz", "Iyx", "Iyy", "Iyz", "Izx", "Izy", "Izz")
_LINK_UNITS = {"m": "kg", "hx": "kg m", "hy": "kg m", "hz": "kg m"}


def _status(status: ParameterStatus, value: float, std: float | None) -> ParameterStatus:
    """What is uncertain by more than a third is not called identified."""
    if status == "identified" and std is not None and std > UNCERTAIN * abs(value):
        return "uncertain"
    return status


def parameter_table(layout: Layout, phi: Array, known: Knowledge) -> list[Parameter]:
    """All parameters of links and joints with what is known of each."""
    file = nominal(layout)
    owners = [link for link in layout.robot.links for _ in LINK_PARAMETERS]
    owners += [column.owner for column in layout.own]
    return [
        Parameter(
            name=name,
            owner=owner,
            unit=unit,
            value=value,
            std=about.std,
            percent=100 * about.std / abs(value) if about.std is not None and value else None,
            status=_status(about.status, value, about.std),
            said=about.said,
            nominal=given,
        )
        for name, owner, unit, value, about, given in zip(
            layout.names,
            owners,
            layout.units,
            phi.tolist(),
            known.parameters,
            file.tolist(),
            strict=True,
        )
    ]


def table_of_nine(layout: Layout, phi: Array, known: Knowledge) -> list[Parameter]:
    """The same where inertias have nine entries, of which nothing is known one by one."""
    joints = phi[13 * layout.robot.bodies :]
    links = phi[: 13 * layout.robot.bodies].reshape(-1, 13)
    said = "inertias of nine entries are outside what the factors tell"
    found = [
        Parameter(
            name=f"{link}.{name}",
            owner=link,
            unit=_LINK_UNITS.get(name, "kg m²"),
            value=value,
            std=None,
            status="in combination",
            said=said,
        )
        for link, row in zip(layout.robot.links, links.tolist(), strict=True)
        for name, value in zip(("m", "hx", "hy", "hz", *NINE), row, strict=True)
    ]
    ten = np.zeros(10 * layout.robot.bodies)
    whole = parameter_table(layout, np.concatenate([ten, joints]), known)
    return [*found, *whole[ten.size :]]


def base_table(
    layout: Layout, phi: Array, known: Knowledge, departure: Departure
) -> list[BaseParameter]:
    """The sums that data determine, with intervals of least squares, or of data and prior.

    Where a bound holds a value back, the interval stays where the data have it and is widened to
    hold the value; where a prior has moved it far, to hold what the data alone say.
    """
    estimate = known.estimate
    values = estimate.base.beta(phi)
    file = estimate.base.beta(nominal(layout))
    moved = [cause is not None for cause in departure.causes]
    held = np.column_stack(
        [estimate.intervals(), values, np.where(moved, departure.free.beta, values)]
    )
    units = [layout.units[column] for column in estimate.base.independent]
    return [
        BaseParameter(
            name=name,
            grouping=about.name,
            unit=unit,
            value=value,
            std=about.std or 0.0,
            lower=lower,
            upper=upper,
            nominal=given,
            status=_status(about.status, value, about.std),
        )
        for name, about, unit, value, lower, upper, given in zip(
            estimate.base.base_names,
            known.sums,
            units,
            values.tolist(),
            held.min(axis=1).tolist(),
            held.max(axis=1).tolist(),
            file.tolist(),
            strict=True,
        )
    ]


def disowned(result: FitResult) -> FitResult:
    """A result that is not to be used: nothing in it is called identified."""

    def changed(item: Known) -> Known:
        return item.model_copy(update={"status": _disowned(item.status)})

    load = result.payload
    if load is not None:
        statuses = {name: _disowned(status) for name, status in load.statuses.items()}
        load = load.model_copy(update={"statuses": statuses})
    return result.model_copy(
        update={
            "parameters": [changed(item) for item in result.parameters],
            "base_parameters": [changed(item) for item in result.base_parameters],
            "payload": load,
        }
    )


def _disowned(status: ParameterStatus) -> ParameterStatus:
    """Small intervals of a fit that is not to be used say nothing, large ones are still large."""
    return "not vouched for" if status == "identified" else status


def identifiability_of(known: Knowledge) -> Identifiability:
    """Rank, condition number and what is determined worst."""
    found = known.excitation
    return Identifiability(
        rank=found.rank,
        structural_rank=found.structural_rank,
        condition=found.condition if np.isfinite(found.condition) else None,
        worst=found.worst_text(),
        silent=list(found.silent),
    )


def link_table(layout: Layout, phi: Array) -> list[Link]:
    """Each link as a rigid body; phi begins with ten parameters of each."""
    bodies = layout.robot.bodies
    links = phi[: 10 * bodies].reshape(bodies, 10)
    scaled = links / sizes(layout)[: 10 * bodies].reshape(bodies, 10)
    margins = np.linalg.eigvalsh(pseudo_inertia(torch.from_numpy(scaled)).numpy())[:, 0]
    return [
        _link(name, row, float(margin))
        for name, row, margin in zip(layout.robot.links, links, margins, strict=True)
    ]


def _link(name: str, phi: Array, margin: float) -> Link:
    centre: list[float] | None = None
    moments: list[float] | None = None
    if phi[0] > 0:
        parts = parts_of(torch.tensor(phi))
        centre = parts.centre.tolist()
        moments = np.linalg.eigvalsh(parts.inertia.numpy()).tolist()
    return Link(
        name=name,
        mass=float(phi[0]),
        centre=centre,
        moments=moments,
        margin=margin,
        consistent=margin > 0 and not violations(phi),
    )
