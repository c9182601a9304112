"""The model of essential parameters alone, as a result states it."""

from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import Metrics, ReducedModel, held_out
from robotid.contracts.fit_sums import ReducedParameter
from robotid.contracts.words import DATA
from robotid.dynamics.groupings import groupings
from robotid.errors import Notice
from robotid.evaluation.scores import scores
from robotid.fitting.essential import essential
from robotid.fitting.solved import Solved
from robotid.identification.gathered import Gathered

_SHOWN = 8  # names in a remark


class Reduced(NamedTuple):
    """The smaller model and a line about it."""

    model: ReducedModel
    notice: Notice


def reduced(data: Gathered, solved: Solved, metrics: Metrics, unit: str) -> Reduced:
    """Leave out what the data are predicted no worse without, and say how good the rest is.

    Args:
        data: factors of all recordings.
        solved: a fit without a prior.
        metrics: of that fit.
        unit: of errors over all joints.
    """
    found = essential(solved.evidence, solved.estimate)
    base = solved.estimate.base
    texts = [grouping.text() for grouping in groupings(base)]
    phi = np.zeros(len(base.names))  # a sum is its first parameter where the others are zero
    phi[[base.independent[kept] for kept in found.kept]] = found.beta
    dropped = [base.base_names[left] for left in found.dropped]
    model = ReducedModel(
        parameters=[
            ReducedParameter(
                name=base.base_names[kept],
                grouping=texts[kept],
                unit=data.layout.units[base.independent[kept]],
                value=value,
                std=std,
            )
            for kept, value, std in zip(
                found.kept,
                found.beta.tolist(),
                np.sqrt(np.diag(found.covariance)).tolist(),
                strict=True,
            )
        ],
        covariance=found.covariance.tolist(),
        dropped=dropped,
        growth=found.growth,
        limit=found.limit,
        metrics=scores(data.by_split(), phi),
    )
    split = held_out(metrics)
    errors = [given[split]["rmse"].mean or 0.0 for given in (model.metrics, metrics)]
    said = f"{len(found.kept)} of {base.rank} base parameters are essential"
    if dropped:
        names = ", ".join(dropped[:_SHOWN]) + (", …" if len(dropped) > _SHOWN else "")
        said += (
            f"; without {names} the error on {DATA[split]} is {errors[0]:.3g} {unit}, "
            f"{errors[1]:.3g} with all"
        )
    hint = "fit.json has the smaller model under reduced"
    return Reduced(model, Notice(code="essential-found", message=said, hint=hint))
