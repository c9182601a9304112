"""What every white-box model is given, and what it gives."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import CurvePoint, Status
from robotid.contracts.splits import Split
from robotid.dynamics.base_parameters import BaseParameters
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import Estimate
from robotid.fitting.options import FitOptions
from robotid.information.layout import Layout
from robotid.models.learning import Seen

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """What there is to fit.

    Args:
        layout: robot and terms.
        base: its base parameters.
        train: evidence of the training data.
        options: of the fit.
        read: begins a pass over the samples of some splits: batches of q, qd, qdd and tau, each of
            shape (signals, samples), for models that need more than factors.
        gap: samples to be left out between such as train and such as judge, where a recording is
            cut in two.
    """

    layout: Layout
    base: BaseParameters
    train: Evidence
    options: FitOptions
    read: Callable[[Split], Iterable[Array]]
    gap: int = 0


@dataclass(frozen=True, eq=False)
class Solved:
    """What a model found.

    Args:
        phi: all parameters in the order of the layout; 13 per link where inertias are free.
        estimate: least squares with the same weights, for the uncertainty.
        evidence: that the estimate is of.
        status: how it ended.
        promises: whether the model guarantees that every link is a rigid body.
        active: constraints that hold parameters back, in words.
        curve: of the training.
        online: errors while it learned in the order of time.
        free: least squares without the prior that is part of the estimate.
        without_prior: all parameters, as they were with the same constraints and without a prior.
    """

    phi: Array
    estimate: Estimate
    evidence: Evidence
    status: Status
    promises: bool = False
    active: tuple[str, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    online: tuple[Seen, ...] = ()
    free: Estimate | None = None
    without_prior: Array | None = None
