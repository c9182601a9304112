"""From gathered factors to a result: solve, compare with baselines, judge."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import FitResult, JointTerms
from robotid.contracts.information import Information
from robotid.contracts.residuals import Excerpt
from robotid.contracts.training import Training
from robotid.dynamics.base_parameters import BaseParameters
from robotid.errors import Notice
from robotid.evaluation.verdict import torque_unit
from robotid.fitting.departure import departure_of
from robotid.fitting.fit_information import information_of
from robotid.fitting.solved import Solved
from robotid.fitting.status import Knowledge, knowledge
from robotid.fitting.white_box import solve
from robotid.identification.asked_for import gains_in_words, mass_in_words
from robotid.identification.data_used import data_used
from robotid.identification.distrusted import distrusted
from robotid.identification.folds import folds_of
from robotid.identification.judged import Judge
from robotid.identification.problems import problem_of
from robotid.identification.protocol import online_points, target_notices
from robotid.identification.reduced import reduced
from robotid.identification.request import Request
from robotid.identification.tables import (
    base_table,
    disowned,
    identifiability_of,
    link_table,
    parameter_table,
    table_of_nine,
)
from robotid.identification.total_mass import total_mass
from robotid.identification.training_data import training_of
from robotid.information.sizes import sizes
from robotid.information.structure import base_of
from robotid.models.rigid_body import RigidBodyModel

Array = NDArray[np.float64]
_SHOWN = 6  # names in a remark
_HARDLY_APART = 1e-4  # share of a column that others do not express


@dataclass(frozen=True, eq=False)
class Identified:
    """A result, what goes into files beside it, and findings."""

    result: FitResult
    model: RigidBodyModel
    information: Information
    excerpt: Excerpt
    notices: tuple[Notice, ...]
    training: Training | None = None


def identify(request: Request) -> Identified:
    """Fit the parameters of a robot, and find out how far to trust them."""
    data, layout = request.ready.data, request.ready.data.layout
    base = base_of(layout)
    train = data.training()
    # An online pass is judged on all data while it learns, which is then its test.
    readable = data.of(*(("train", "val", "test") if request.options.online else ("train", "val")))
    problem = problem_of(request, layout, base, train, readable)
    solved = solve(problem)
    departure = departure_of(problem, solved)
    known = knowledge(solved.evidence, solved.estimate, base, sizes(layout), departure)
    model = RigidBodyModel(layout, solved.phi)
    nine = departure is None
    tables = {
        "parameters": (table_of_nine if nine else parameter_table)(layout, solved.phi, known),
        "base_parameters": base_table(layout, solved.phi, known, departure) if departure else [],
        "identifiability": identifiability_of(known),
        "links": [] if nine else link_table(layout, solved.phi),
    }
    mass = total_mass(layout, solved.phi, known.estimate)
    gains = gains_in_words(request.ready.gains, layout.robot.torque_units)
    judge = Judge(data, request.folder, request.index, request.torque, request.ready.gains)
    found = judge(
        model,
        gates=request.gates,
        status=solved.status,
        promises=solved.promises,
        choices=request.ready.choices,
        tables=tables,
        asked="; ".join(text for text in (mass_in_words(mass), gains) if text),
    )
    unit = torque_unit(layout.robot.torque_units)
    folds = folds_of(request, found.metrics, unit)
    small = reduced(data, solved, found.metrics, unit) if request.options.essential else None
    result = FitResult(
        model=request.options.model,
        options=request.stated_options(),
        robot=request.robot,
        joints=list(layout.rows),
        torque=request.torque,
        terms=JointTerms(**layout.arguments),
        forces=layout.forces,
        samples=dict(data.samples),
        recordings=request.index.splits,
        split_by="segment" if request.index.intervals else "recording",
        independent=problem.train.independent,
        noise=dict(zip(problem.train.rows, solved.estimate.noise.tolist(), strict=True)),
        status=solved.status,
        verdict=found.verdict,
        metrics=found.metrics,
        baselines=found.baselines,
        total_mass=mass,
        active=list(solved.active),
        essential=[one.name for one in small.model.parameters] if small else None,
        reduced=small.model if small else None,
        choices=list(request.ready.choices),
        blocks=found.blocks,
        whiteness=found.whiteness,
        autocorrelation=found.autocorrelation,
        folds=folds.folds,
        folds_mean=folds.mean,
        folds_spread=folds.spread,
        curve=list(solved.curve),
        online=online_points(solved.online, problem.train.rows),
        gains=list(request.ready.gains),
        **data_used(request),
        **tables,
    )
    if not found.verdict.usable:
        result = disowned(result)
    return Identified(
        result=result,
        model=model,
        information=information_of(
            layout, solved.evidence, solved.estimate.noise, _shares(solved.estimate.weights)
        ),
        excerpt=found.excerpt,
        notices=(
            *_notices(request, base),
            *(departure.notices() if departure else ()),
            *_of_the_model(request, solved, known),
            *target_notices(request.options, solved.status, found.metrics),
            *found.notices,
            *folds.notices,
            *([small.notice] if small else ()),
        ),
        training=training_of(request, train),
    )


def _shares(weights: Array) -> Array:
    """With which blocks count, shape (blocks, rows): those that a robust fit distrusts for less."""
    return np.asarray(weights / weights.max(axis=0))


def cut_notices(request: Request) -> list[Notice]:
    """What to know where the test is part of a recording."""
    if not request.index.intervals or not request.ready.data.of("test"):
        return []
    said = "the test is the end of a training recording, which says less than another would"
    return [Notice(code="split-within-recording", message=said, hint="record another")]


def _of_the_model(request: Request, solved: Solved, known: Knowledge) -> list[Notice]:
    """What to know of a fit because of how it was made."""
    data, options = request.ready.data, request.options
    if options.model == "irls":
        train = data.of("train")
        return distrusted(train, data.evidence(train), solved.phi)
    if options.model in ("diffnea", "diffbary") and options.init in ("random", "published"):
        return _random_values(known)
    return []


def _random_values(known: Knowledge) -> list[Notice]:
    """Data say nothing of some parameters, which then stay near where the training began."""
    open_ones = [one.name for one in known.parameters if one.value is None]
    if not open_ones:
        return []
    shown = ", ".join(open_ones[:_SHOWN]) + (", …" if len(open_ones) > _SHOWN else "")
    said = (
        f"{len(open_ones)} parameters that the data do not tell by themselves ({shown}) come from "
        "the random start: masses and inertias of links are not those of the robot"
    )
    hint = "torques do not depend on it; for links like those of the robot file use init prior"
    return [Notice(code="random-start", message=said, hint=hint)]


def _notices(request: Request, base: BaseParameters) -> list[Notice]:
    notices = cut_notices(request)
    notices += request.earlier.notices() if request.earlier else []
    if request.ready.gains:
        worst = max(gain.std / abs(gain.value) for gain in request.ready.gains)
        said = f"intervals do not hold the uncertainty of the gains, {100 * worst:.2g} % at most"
        hint = "parameters of a joint are as uncertain as its gain, at least"
        notices.append(Notice(code="gains-not-in-intervals", message=said, hint=hint))
    if base.gap[1] < _HARDLY_APART:
        said = (
            "some parameters differ in their torque by a share of "
            f"{base.gap[1]:.0e} only: an axis of the robot file is a hair off parallel"
        )
        notices.append(Notice(code="axes-nearly-parallel", message=said, hint="mend its digits"))
    return notices
