"""What a robot carries, from a fit without the load and recordings with it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import (
    INFORMATION,
    FitResult,
    Parameter,
    Reason,
    held_out,
)
from robotid.contracts.information import read_information
from robotid.errors import BadDataError, ConfigError, Effect, nearest
from robotid.fitting.keys import given_by
from robotid.fitting.load import load_frame
from robotid.fitting.options import FitOptions
from robotid.fitting.payload import Payload, payload_of
from robotid.identification.asked_for import load_in_words
from robotid.identification.data_used import data_used
from robotid.identification.gathered import Gathered
from robotid.identification.identify import Identified, cut_notices
from robotid.identification.judged import Judge
from robotid.identification.ranges import widest
from robotid.identification.request import Request
from robotid.identification.tables import disowned, link_table
from robotid.identification.term_flags import term_flags
from robotid.information.layout import Layout
from robotid.models.from_fit import FittedRobot
from robotid.models.rigid_body import RigidBodyModel

Array = NDArray[np.float64]


def carried(request: Request, before: FittedRobot, base_folder: Path) -> Identified:
    """The load of a robot that was fitted without it; parameters of its body then include it.

    Args:
        request: recordings with the load; only options of loads play a part.
        before: the fit without it.
        base_folder: of that.
    """
    data, layout = request.ready.data, request.ready.data.layout
    _check_same(before, data)
    _check_anew(request.options.anew, layout)
    with given_by("load_link"):
        load_frame(layout, request.options.load_link)
    train = data.evidence(data.of("train"))
    unloaded = read_information(base_folder / INFORMATION)
    found = payload_of(
        layout,
        unloaded,
        train,
        frame=request.options.load_link,
        anew=request.options.anew,
    )
    payload = found.found()
    model = RigidBodyModel(layout, _with_load(before, found, layout.names))
    tables = {
        "parameters": _parameters(before.fit.parameters, model, found),
        "identifiability": before.fit.identifiability,
        "links": link_table(layout, model.phi),
    }
    judge = Judge(data, request.folder, request.index, request.torque, request.ready.gains)
    judged = judge(
        model,
        gates=request.gates,
        status=before.fit.status,
        promises=False,
        choices=(),
        tables=tables,
        others={"unloaded": before.model.phi},
        asked=load_in_words(payload),
        reasons=[
            Reason(code=notice.code, message=notice.message, hint=notice.hint)
            for notice in found.notices
            if notice.effect is Effect.QUALITY
        ],
        alone=before.fit.metrics[held_out(before.fit.metrics)]["rmse"].mean,
    )
    remarks = [notice for notice in found.notices if notice.effect is not Effect.QUALITY]
    used = data_used(request)
    result = before.fit.model_copy(
        update={
            **tables,
            "options": request.stated_options(),
            "robot": request.robot,
            "samples": dict(data.samples),
            "recordings": request.index.splits,
            "split_by": "segment" if request.index.intervals else "recording",
            "noise": found.noise,
            "independent": train.independent,
            "torque": request.torque,
            "gains": list(request.ready.gains),
            "verdict": judged.verdict,
            "metrics": judged.metrics,
            "baselines": judged.baselines,
            "base_parameters": [],
            "active": [],
            "essential": None,
            "reduced": None,
            "choices": [],
            "folds": [],
            "folds_mean": {},
            "folds_spread": {},
            "curve": [],
            "blocks": judged.blocks,
            "whiteness": judged.whiteness,
            "autocorrelation": judged.autocorrelation,
            "payload": payload,
            **used,
            "ranges": widest(before.fit.ranges, used["ranges"]),
        }
    )
    result = FitResult.model_validate(result.model_dump())
    return Identified(
        result if judged.verdict.usable else disowned(result),
        model,
        unloaded,
        judged.excerpt,
        (*cut_notices(request), *remarks, *judged.notices),
    )


def _check_same(before: FittedRobot, data: Gathered) -> None:
    """Refuse a fit that has a load already, and data of other terms than it has."""
    if before.fit.payload is not None:
        said = "the fit without load is itself one of a load: it would count twice"
        hint = "give the fit of the bare robot, as to that one (--payload-of)"
        raise BadDataError("base-carries-load", said, hint=hint)
    if before.model.full:
        said = "inertias of nine entries have no load"
        raise BadDataError("base-differs", said, hint="fit the unloaded robot with another model")
    wanted = before.model.layout
    if wanted.forces != data.layout.forces:
        said = "the fit without load is of other generalised forces"
        raise BadDataError("base-differs", said, hint="give the same rows and contacts")
    if wanted.own == data.layout.own:
        return
    said = "the fit without load has other terms of joints"
    raise BadDataError("base-differs", said, hint=f"give the same ones: {term_flags(wanted)}")


def _check_anew(anew: Sequence[str], layout: Layout) -> None:
    """Refuse terms to be found anew that no joint has; by default there may be none of them."""
    present = {column.term for column in layout.own}
    if tuple(anew) == FitOptions.model_fields["anew"].default:
        return
    for term in anew:
        if term not in present:
            said = f"anew: no joint of the fit without load has a term {term}"
            raise ConfigError("key-without-effect", said, hint=nearest(term, present))


def _with_load(before: FittedRobot, found: Payload, names: Sequence[str]) -> Array:
    phi = before.model.phi + found.frame.columns @ found.body.phi
    for name, change in found.changed.items():
        phi[names.index(name)] += change
    return phi


def _parameters(
    before: Sequence[Parameter], model: RigidBodyModel, found: Payload
) -> list[Parameter]:
    """Those of the fit without load; of the body that carries, with it."""
    body = model.layout.robot.links[found.frame.body]
    said = "with the load"
    return [
        parameter.model_copy(
            update={
                "value": value,
                "std": None,
                "percent": None,
                "status": "in combination",
                "said": said,
            }
            if parameter.owner == body
            else {"value": value}
        )
        for parameter, value in zip(before, model.phi.tolist(), strict=True)
    ]
