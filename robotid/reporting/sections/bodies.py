"""Links as rigid bodies: can they exist, beside the robot file, and how they look."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.fit import AnyFit, Link, PayloadFound
from robotid.models.forward_models import RigidForward
from robotid.models.learned.bodies import LinkBody
from robotid.models.learned.kinodynamic import KinodynamicBody
from robotid.reporting.quantities import Quantity
from robotid.reporting.robot_drawing.drawing import Body, Load, RobotDrawing, draw_robot
from robotid.reporting.robot_drawing.ellipsoids import ellipsoid_of
from robotid.reporting.view import FitView, ForwardView, LearnedView, View
from robotid.robot.geometry import centre_and_inertia, phi_from
from robotid.robot.physical import violations
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

_EDGE = 1e-3  # a margin below this is at the edge of what can exist


class Given(NamedTuple):
    """A link of the robot file; no centre and moments without a mass."""

    mass: float
    centre: list[float] | None
    moments: list[float] | None


class Row(NamedTuple):
    """A link, the same in the robot file if that has it, and in words whether it can exist."""

    link: Link
    nominal: Given | None
    exists: str
    why: str


class Bodies(NamedTuple):
    """The section; without rows the model does not describe rigid bodies.

    `learned` says that the frames of the links were learned, and are not those of the robot file;
    `std` is that of the mass of all links, where the data show it.
    """

    of: Quantity
    rows: list[Row]
    drawing: RobotDrawing | None
    impossible: int = 0
    just: int = 0
    mass: float = 0.0
    nominal_mass: float = 0.0
    edge: float = _EDGE
    learned: bool = False
    std: float | None = None


def section(view: FitView) -> Bodies | None:
    """What the template shows; None where a fit says nothing of links."""
    fit, robot, model = view.fit, view.robot, view.fitted.model
    if model.full:
        return Bodies(view.quantity, [], None)
    load = None if fit.payload is None else load_of(robot, fit.payload)
    found = _bodies(view, robot, model.links, load)
    if found is None or fit.total_mass is None:
        return found
    return found._replace(std=fit.total_mass.std)


def of_forward(view: ForwardView) -> Bodies | None:
    """The same of a forward model; None of a network, which has no links."""
    model = view.fitted.model
    if not isinstance(model, RigidForward):
        return None
    robot = view.robot
    with torch.no_grad():
        phi = model.links().numpy()
        if model.placements is not None:
            robot = replace(model.robot, placements=model.placements().numpy())
    return _bodies(view, robot, phi, None)


def of_learned(view: LearnedView) -> Bodies | None:
    """The same of a learned model; None where it has no links."""
    body, robot = view.fitted.model.model.body, view.robot
    if not isinstance(body, LinkBody | KinodynamicBody):
        return None
    with torch.no_grad():
        phi = body.links().numpy()
        if isinstance(body, KinodynamicBody):
            robot = replace(body.robot, placements=body.placements().numpy())
    return _bodies(view, robot, phi, None)


def _bodies(view: View[AnyFit], robot: RobotTree, phi: Array, load: Load | None) -> Bodies | None:
    """Links beside those of the robot file.

    Args:
        view: of the fit.
        robot: with the placements of the fit; where those were learned, frames are others than
            in the robot file, and so are centres of mass.
        phi: the fitted links.
        load: that the robot carries.
    """
    fit, learned = view.fit, robot is not view.robot
    if not fit.links:
        return None
    place = {name: body for body, name in enumerate(robot.links)}
    rows = [
        _row(link, phi[place[link.name]], given(robot.phi[place[link.name]], no_centre=learned))
        if link.name in place
        else _row(link, None, None)
        for link in fit.links
    ]
    bad = {row.link.name for row in rows if not row.link.consistent}
    drawing = draw_robot(
        robot,
        [
            Body(
                name,
                None if name in bad else ellipsoid_of(phi[body]),
                None if learned else ellipsoid_of(robot.phi[body]),
                name in bad,
            )
            for body, name in enumerate(robot.links)
        ],
        load,
    )
    return Bodies(
        of=view.quantity,
        rows=rows,
        drawing=drawing,
        impossible=len(bad),
        just=sum(row.exists == "just" for row in rows),
        mass=float(sum(row.link.mass for row in rows)),
        nominal_mass=float(sum(row.nominal.mass for row in rows if row.nominal)),
        learned=learned,
    )


def load_of(robot: RobotTree, found: PayloadFound) -> Load | None:
    """Where to draw what the robot carries; None if it cannot exist, or may well be nothing."""
    values = [found.mass[0], *(x[0] for x in found.centre), *(x[0] for x in found.inertia)]
    known = [value for value in values if value is not None]
    lower = found.mass[1]
    if len(known) < len(values) or not found.consistent or (lower is not None and lower <= 0):
        return None
    places = {link: (body, np.eye(4)) for body, link in enumerate(robot.links)}
    places |= {link.name: (link.body, link.placement) for link in robot.fixed if link.body >= 0}
    solid = ellipsoid_of(phi_from(known[0], known[1:4], _matrix(known[4:])))
    if solid is None or found.frame not in places:
        return None
    body, placement = places[found.frame]
    return Load(body, solid.moved(placement))


def _matrix(six: list[float]) -> Array:
    xx, xy, yy, xz, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _row(link: Link, phi: Array | None, before: Given | None) -> Row:
    if link.consistent:
        return Row(link, before, "just" if link.margin < _EDGE else "can exist", "")
    said = [] if phi is None else violations(phi)
    why = said[0].partition(":")[0] if said else "its second moments are not all positive"
    return Row(link, before, "cannot exist", why)  # what is cut off, the moments, stands beside


def given(phi: Array, *, no_centre: bool = False) -> Given:
    """A link of the robot file; its centre is left out where frames differ."""
    if not phi[0] > 0:
        return Given(float(phi[0]), None, None)
    centre, inertia = centre_and_inertia(phi)
    return Given(
        float(phi[0]), None if no_centre else centre.tolist(), np.linalg.eigvalsh(inertia).tolist()
    )
