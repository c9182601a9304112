"""What a robot carries, in the form that controllers take."""

import numpy as np

from robotid.contracts.export import FrankaLoad, PayloadBody, PayloadTable, UrPayload
from robotid.contracts.fit import PayloadFound
from robotid.errors import BadDataError, ConfigError, nearest
from robotid.exporting.outcome import Request, Written
from robotid.robot.geometry import COLUMNS, ROWS, centre_and_inertia, inverse, phi_from, transport
from robotid.robot.physical import violations
from robotid.robot.tree import Array, RobotTree

FILE = "payload.json"
_QUANTITIES = ("mass", "cx", "cy", "cz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def payload_table(request: Request) -> Written:
    """Mass, centre of mass and inertia in a stated frame; impossible bodies are refused."""
    fit = request.fitted.fit
    if fit.payload is None:
        said = "this fit is not of a payload"
        raise ConfigError("no-payload", said, hint="fit with --payload-of BASE_FIT")
    found = _found(fit.payload)
    phi = phi_from(found.mass, found.centre, found.inertia)
    broken = violations(phi)
    if broken and not request.allow_infeasible:
        hint = "fit a consistent model, record more motion with the load, or --allow-infeasible"
        raise BadDataError("infeasible", f"the payload cannot exist: {broken[0]}", hint=hint)
    frame = request.payload_frame or fit.payload.frame
    tree = request.fitted.robot.tree
    placement = _between(tree, fit.payload.frame, frame)
    body = _moved(found, frame, transport(phi, placement))
    table = PayloadTable(
        fit_sha256=request.fit_sha256,
        robot=fit.robot.name,
        frame_note=f"Values are in the frame of link {frame!r}; controllers take them in the frame "
        "of their flange. Inertias are about the centre of mass, in the axes of the frame.",
        body=body,
        found=found,
        intervals=_intervals(fit.payload),
        statuses=fit.payload.statuses,
        ur=_ur(body),
        franka=_franka(body),
    )
    text = table.model_dump_json(indent=1)
    back = PayloadTable.model_validate_json(text).body
    again = transport(phi_from(back.mass, back.centre, back.inertia), inverse(placement))
    miss = float(np.abs(again - phi).max() / np.abs(phi).max())
    if miss > 1e-9:
        raise BadDataError("export-differs", f"{FILE} reads back as another body")
    return Written(
        FILE, text.encode(), "read again, and moved back into the frame of the fit", miss
    )


def _between(tree: RobotTree, fitted: str, wanted: str) -> Array:
    """The pose of one link's frame in that of another, both tied to the same body."""
    placed = {link: (body, np.eye(4)) for body, link in enumerate(tree.links)}
    placed |= {link.name: (link.body, link.placement) for link in tree.fixed}
    for name in (fitted, wanted):
        if name not in placed:
            raise ConfigError("unknown-link", f"no link {name!r}", hint=nearest(name, placed))
    (body, here), (other, there) = placed[fitted], placed[wanted]
    if body != other:
        said = f"link {wanted!r} moves against link {fitted!r}, whose frame the payload is in"
        raise ConfigError("unknown-link", said, hint="choose a link that is tied to it")
    return inverse(there) @ here


def _found(payload: PayloadFound) -> PayloadBody:
    """The payload with the very numbers of the fit."""
    inertia = np.zeros((3, 3))
    inertia[ROWS, COLUMNS] = inertia[COLUMNS, ROWS] = [entry[0] for entry in payload.inertia]
    return PayloadBody(
        frame=payload.frame,
        mass=payload.mass[0],
        centre=[entry[0] for entry in payload.centre],
        inertia=inertia.tolist(),
    )


def _moved(found: PayloadBody, frame: str, phi: Array) -> PayloadBody:
    """The payload in another frame, where it has these parameters."""
    if frame == found.frame:
        return found
    centre, inertia = centre_and_inertia(phi)
    return PayloadBody(
        frame=frame, mass=float(phi[0]), centre=centre.tolist(), inertia=inertia.tolist()
    )


def _intervals(payload: PayloadFound) -> dict[str, tuple[float, float]]:
    """Those that there are: a motion rarely shows all of a load."""
    entries = [payload.mass, *payload.centre, *payload.inertia]
    return {
        name: (lower, upper)
        for name, (_, lower, upper) in zip(_QUANTITIES, entries, strict=True)
        if lower is not None and upper is not None
    }


def _ur(body: PayloadBody) -> UrPayload:
    i = body.inertia
    six = [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]]
    return UrPayload(
        mass=body.mass,
        cog=body.centre,
        inertia=six,
        script=f"set_target_payload({body.mass!r}, {body.centre!r}, {six!r})",
    )


def _franka(body: PayloadBody) -> FrankaLoad:
    columns = [body.inertia[row][column] for column in range(3) for row in range(3)]
    return FrankaLoad(load_mass=body.mass, F_x_Cload=body.centre, load_inertia=columns)
