"""From gathered factors to a result: solve, compare with baselines, judge."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.fit import Choice, FilteredData, FitResult, JointTerms, RobotUsed
from robotid.dynamics.base_parameters import BaseParameters, base_parameters
from robotid.errors import Effect, Notice
from robotid.evaluation.scores import baselines, has_physical_links, scores
from robotid.evaluation.trends import block_errors, drifts
from robotid.fitting.essential import essential
from robotid.fitting.options import FitOptions
from robotid.fitting.prior import nominal, sizes
from robotid.fitting.solved import Problem, Solved
from robotid.fitting.status import Knowledge, knowledge
from robotid.fitting.white_box import solve
from robotid.identification.gathered import Gathered
from robotid.identification.sample_reader import split_samples
from robotid.identification.tables import (
    base_table,
    identifiability_of,
    link_table,
    parameter_table,
    table_of_nine,
)
from robotid.models.rigid_body import RigidBodyModel

Array = NDArray[np.float64]
_HARDLY_APART = 1e-4


@dataclass(frozen=True, eq=False)
class Request:
    """What is to be identified, and from what.

    Args:
        options: of the fit.
        gates: limits that a user sets.
        data: factors of all recordings, candidates already chosen.
        choices: among those candidates.
        robot: the robot as the result states it.
        folder: of the filtered dataset.
        index: of that.
    """

    options: FitOptions
    gates: GateOptions
    data: Gathered
    choices: list[Choice]
    robot: RobotUsed
    folder: Path
    index: DatasetIndex

    def problem(self, base: BaseParameters, without: Collection[str] = ()) -> Problem:
        """The problem of the training data, without some recordings."""
        layout = self.data.layout
        train = self.data.of("train", but=without)
        read = partial(split_samples, self.folder, self.index, layout)
        return Problem(layout, base, train, self.options, read)
