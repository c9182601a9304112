"""What a robot carries, in the form that controllers take."""

from collections.abc import Mapping

import numpy as np

from robotid.contracts.export import FrankaLoad, PayloadBody, PayloadTable, UrPayload
from robotid.contracts.fit import ParameterStatus, PayloadFound
from robotid.errors import BadDataError, ConfigError, Notice, nearest
from robotid.exporting.outcome import Request, Written
from robotid.exporting.payload_frame import NEEDED, intervals_in, statuses_in
from robotid.robot.geometry import COLUMNS, ROWS, centre_and_inertia, inverse, phi_from, transport
from robotid.robot.physical import violations
from robotid.robot.tree import Array, RobotTree

FILE = "payload.json"


def payload_table(request: Request) -> Written:
    """Mass, centre of mass and inertia in a stated frame; what must not be set is refused."""
    fit = request.fitted.fit
    if fit.payload is None:
        said = "this fit is not of a payload"
        raise ConfigError("no-payload", said, hint="fit with --payload-of BASE_FIT")
    if not fit.verdict.usable:
        hint = fit.verdict.reasons[0].hint if fit.verdict.reasons else None
        raise BadDataError("fit-not-usable", fit.verdict.sentence, hint=hint)
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
    statuses = statuses_in(fit.payload, placement)
    told = _refuse_unknown(request, statuses)
    table = PayloadTable(
        fit_sha256=request.fit_sha256,
        robot=fit.robot.name,
        frame_note=f"Values are in the frame of link {frame!r}; controllers take them in the frame "
        "of their flange. Inertias are about the centre of mass, in the axes of the frame.",
        body=body,
        found=found,
        intervals=intervals_in(fit.payload, placement),
        statuses=statuses,
        ur=_ur(body),
        franka=_franka(body),
    )
    text = table.model_dump_json(indent=1)
    back = PayloadTable.model_validate_json(text).body
    again = transport(phi_from(back.mass, back.centre, back.inertia), inverse(placement))
    miss = float(np.abs(again - phi).max() / np.abs(phi).max())
    if miss > 1e-9:
        raise BadDataError("export-differs", f"{FILE} reads back as another body")
    checked = "read again, and moved back into the frame of the fit"
    return Written(FILE, text.encode(), checked, miss, told)


def _refuse_unknown(
    request: Request, statuses: Mapping[str, ParameterStatus]
) -> tuple[Notice, ...]:
    """Refuse a mass or a centre that the data do not show, unless they were asked for."""
    unknown = {name: statuses[name] for name in NEEDED if name in statuses}
    listed = ", ".join(f"{name} ({s})" for name, s in unknown.items() if s != "identified")
    if not listed:
        return ()
    said = f"the data do not show these of the payload: {listed}"
    if request.allow_unidentified:
        hint = "their values are made up: put in those that you know"
        return (Notice(code="payload-not-identified", message=said, hint=hint),)
    hint = "record more motion with the load, check its link, or --allow-unidentified"
    raise BadDataError("payload-not-identified", said, hint=hint)


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
