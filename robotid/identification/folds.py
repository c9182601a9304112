"""Cross-validation of a fit: every fold fitted like the whole, judged beside baselines."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import Fold, Metric, Metrics, held_out
from robotid.contracts.words import BASELINES, DATA
from robotid.errors import Notice
from robotid.evaluation.cross_validation import CrossValidation, FoldFit, cross_validate
from robotid.evaluation.scores import has_physical_links
from robotid.fitting.candidates import choose_widths
from robotid.fitting.white_box import solve
from robotid.identification.problems import problem_of
from robotid.identification.request import Request
from robotid.information.blocks import DataBlock
from robotid.information.sizes import nominal
from robotid.information.structure import base_of


class Folds(NamedTuple):
    """What `fit.json` has of cross-validation, and what to say of it."""

    folds: list[Fold]
    mean: dict[str, Metric]
    spread: dict[str, Metric]
    notices: list[Notice]


def folds_of(request: Request, metrics: Metrics, unit: str) -> Folds:
    """Cross-validation over what is not for the final test; each fold chooses its own widths.

    Args:
        request: what is to be identified.
        metrics: of the fit itself.
        unit: of errors over all joints.
    """
    wanted, data = request.options.cv, request.ready.open
    if not wanted:
        return Folds([], {}, {}, [])

    def fit(blocks: Sequence[DataBlock]) -> FoldFit:
        chosen = choose_widths(data.evidence(blocks), data.layout)
        base = base_of(chosen.layout)
        solved = solve(problem_of(request, chosen.layout, base, chosen.evidence, blocks))
        phi = np.zeros(data.layout.parameters)
        phi[chosen.kept] = solved.phi
        return FoldFit(phi, solved.status)

    file = nominal(data.layout) if has_physical_links(data.layout.robot) else None
    found = cross_validate(data.of("train", "val"), fit, wanted, nominal=file)
    notices = [_said(found, metrics, unit), *_fewer(found, wanted), *_not_converged(found)]
    return Folds(found.folds, found.mean, found.spread, notices)


def _said(found: CrossValidation, metrics: Metrics, unit: str) -> Notice:
    """The errors of the folds beside that of the fit and those of baselines."""
    mean, spread = found.mean["rmse"].mean, found.spread["rmse"].mean
    shown = "unknown" if mean is None else f"{mean:.3g}"
    shown += "" if spread is None else f" ± {spread:.2g}"
    beside = []
    for name in found.folds[0].baselines:
        errors = [fold.baselines[name]["rmse"].mean for fold in found.folds]
        known = [error for error in errors if error is not None]
        beside += [f"{np.mean(known):.3g} for {BASELINES[name]}"] if known else []
    split = held_out(metrics)
    own = metrics[split]["rmse"].mean
    test = "" if own is None else f"; the fit itself has {own:.3g} on {DATA[split]}"
    said = (
        f"over {len(found.folds)} folds the error on recordings left out is {shown} {unit}, "
        f"{', '.join(beside)}{test}"
    )
    hint = "a difference between fits that is smaller than this spread is none"
    return Notice(code="cross-validated", message=said, hint=hint)


def _fewer(found: CrossValidation, wanted: int) -> list[Notice]:
    count = len(found.folds)
    if count == wanted:
        return []
    said = f"{count} folds were made, not {wanted}: there are no more recordings to leave out"
    hint = "record more, or ask for fewer folds"
    return [Notice(code="fewer-folds", message=said, hint=hint)]


def _not_converged(found: CrossValidation) -> list[Notice]:
    return [
        Notice(
            code="fold-not-converged",
            message=f"the fit without {', '.join(fold.left_out)} did not converge: "
            f"{fold.status.message}; its errors say little",
            hint=fold.status.remedy,
        )
        for fold in found.folds
        if fold.status is not None and not fold.status.converged
    ]
