"""From gathered factors to a result: solve, compare with baselines, judge."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.fit import FitResult, JointTerms
from robotid.contracts.information import Information
from robotid.contracts.residuals import Excerpt
from robotid.dynamics.base_parameters import BaseParameters, base_parameters
from robotid.errors import Notice
from robotid.evaluation.cross_validation import cross_validate
from robotid.fitting.candidates import choose_widths
from robotid.fitting.essential import essential
from robotid.fitting.evidence import Evidence
from robotid.fitting.fit_information import information_of
from robotid.fitting.solved import Problem, Solved
from robotid.fitting.status import knowledge
from robotid.fitting.white_box import solve
from robotid.identification.asked_for import gains_in_words
from robotid.identification.data_used import data_used
from robotid.identification.judged import Judge
from robotid.identification.request import Request
from robotid.identification.sample_reader import split_samples
from robotid.identification.tables import (
    base_table,
    disowned,
    identifiability_of,
    link_table,
    parameter_table,
    table_of_nine,
)
from robotid.information.blocks import DataBlock
from robotid.information.layout import Layout
from robotid.information.sizes import sizes
from robotid.models.rigid_body import RigidBodyModel
from robotid.signals.splits import gap_of

Array = NDArray[np.float64]
_HARDLY_APART = 1e-4  # share of a column that others do not express


@dataclass(frozen=True, eq=False)
class Identified:
    """A result, what goes into files beside it, and findings."""

    result: FitResult
    model: RigidBodyModel
    information: Information
    excerpt: Excerpt
    notices: tuple[Notice, ...]


def identify(request: Request) -> Identified:
    """Fit the parameters of a robot, and find out how far to trust them."""
    data, layout = request.ready.data, request.ready.data.layout
    base = base_parameters(layout.robot, **layout.arguments)
    train = data.evidence(data.of("train"))
    problem = _problem(request, layout, base, train, data.of("train", "val"))
    solved = solve(problem)
    known = knowledge(solved.evidence, solved.estimate, base, sizes(layout))
    model = RigidBodyModel(layout, solved.phi)
    nine = model.full
    tables = {
        "parameters": (table_of_nine if nine else parameter_table)(layout, solved.phi, known),
        "base_parameters": [] if nine else base_table(problem, solved, known),
        "identifiability": identifiability_of(known),
        "links": [] if nine else link_table(layout, solved.phi),
    }
    judge = Judge(data, request.folder, request.index, request.torque, request.ready.gains)
    found = judge(
        model,
        gates=request.gates,
        status=solved.status,
        promises=solved.promises,
        choices=request.ready.choices,
        tables=tables,
        asked=gains_in_words(request.ready.gains, layout.robot.torque_units),
    )
    result = FitResult(
        model=request.options.model,
        options=request.stated_options(),
        robot=request.robot,
        joints=list(layout.robot.joint_names),
        torque=request.torque,
        terms=JointTerms(**layout.arguments),
        samples=dict(data.samples),
        recordings=request.index.splits,
        split_by="segment" if request.index.intervals else "recording",
        independent=problem.train.independent,
        noise=dict(zip(problem.train.rows, solved.estimate.noise.tolist(), strict=True)),
        status=solved.status,
        verdict=found.verdict,
        metrics=found.metrics,
        baselines=found.baselines,
        active=list(solved.active),
        essential=_essential(request, solved),
        choices=list(request.ready.choices),
        blocks=found.blocks,
        whiteness=found.whiteness,
        autocorrelation=found.autocorrelation,
        **_folds(request),
        curve=list(solved.curve),
        gains=list(request.ready.gains),
        **data_used(request),
        **tables,
    )
    if not found.verdict.usable:
        result = disowned(result)
    return Identified(
        result=result,
        model=model,
        information=information_of(layout, problem.train, solved.estimate.noise),
        excerpt=found.excerpt,
        notices=(*_notices(request, base), *found.notices),
    )


def _problem(
    request: Request,
    layout: Layout,
    base: BaseParameters,
    train: Evidence,
    readable: Sequence[DataBlock],
) -> Problem:
    """The problem of some evidence; only samples of the recordings of `readable` can be read."""
    gains = request.ready.gains
    scale = np.array([gain.value for gain in gains]) if gains else None
    names = {block.recording for block in readable}
    read = partial(split_samples, request.folder, readable, layout, request.torque, scale)
    facts = [request.index.recordings[name] for name in sorted(names)]
    gap = max((math.ceil(gap_of(one) * one.rate_hz) for one in facts), default=0)
    return Problem(layout, base, train, request.options, read, gap)


def _folds(request: Request) -> dict[str, Any]:
    """Cross-validation over what is not for the final test; each fold chooses its own widths."""
    if not request.options.cv:
        return {}
    data = request.ready.open

    def fit(blocks: Sequence[DataBlock]) -> Array:
        chosen = choose_widths(data.evidence(blocks), data.layout)
        base = base_parameters(chosen.layout.robot, **chosen.layout.arguments)
        problem = _problem(request, chosen.layout, base, chosen.evidence, blocks)
        phi = np.zeros(data.layout.parameters)
        phi[chosen.kept] = solve(problem).phi
        return phi

    found = cross_validate(data.of("train", "val"), fit, request.options.cv)
    return {"folds": found.folds, "folds_mean": found.mean, "folds_spread": found.spread}


def _essential(request: Request, solved: Solved) -> list[str] | None:
    if not request.options.essential:
        return None
    found = essential(solved.evidence, solved.estimate)
    names = solved.estimate.base.base_names
    return [names[kept] for kept in found.kept]


def cut_notices(index: DatasetIndex) -> list[Notice]:
    """What to know where the test is part of a recording."""
    if not index.intervals:
        return []
    said = "the test is the end of a training recording, which says less than another would"
    return [Notice(code="split-within-recording", message=said, hint="record another")]


def _notices(request: Request, base: BaseParameters) -> list[Notice]:
    notices = cut_notices(request.index)
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
