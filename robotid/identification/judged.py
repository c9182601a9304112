"""A fitted model against the data: errors, baselines, residuals, verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.fit import BlockErrors, Choice, DriveGain, Metrics, Status, Verdict
from robotid.contracts.fit_data import Autocorrelation
from robotid.contracts.fit_data import Whiteness as WhitenessFacts
from robotid.contracts.residuals import Excerpt
from robotid.errors import Effect, Notice
from robotid.evaluation.excerpts import excerpt
from robotid.evaluation.gates import GateOptions
from robotid.evaluation.offsets import offset_changes
from robotid.evaluation.remarks import remarks
from robotid.evaluation.scores import baselines, has_physical_links, scores, scores_of_samples
from robotid.evaluation.trends import Residuals, block_errors, drifts
from robotid.evaluation.turning import smoothed_friction
from robotid.evaluation.verdict import Fitted, judge
from robotid.evaluation.whiteness import whiteness_of_joints
from robotid.identification.gathered import Gathered
from robotid.identification.sample_reader import split_samples
from robotid.information.sizes import nominal
from robotid.models.rigid_body import RigidBodyModel

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judged:
    """What comparing a model with the data gives."""

    metrics: Metrics
    baselines: dict[str, Metrics]
    blocks: list[BlockErrors]
    whiteness: dict[str, WhitenessFacts]
    autocorrelation: dict[str, Autocorrelation]
    verdict: Verdict
    excerpt: Excerpt
    notices: tuple[Notice, ...]


class Judge:
    """Compares models with one set of data.

    Args:
        data: factors of all recordings.
        folder: of the filtered dataset.
        index: of that.
        torque: the signal that stands for torque.
        gains: of drives, where that signal is none.
    """

    def __init__(
        self,
        data: Gathered,
        folder: Path,
        index: DatasetIndex,
        torque: str,
        gains: Sequence[DriveGain],
    ) -> None:
        self._data, self._folder, self._index, self._torque = data, folder, index, torque
        self._gains = np.array([gain.value for gain in gains]) if gains else None
        self._read = partial(split_samples, folder, data.blocks, data.layout, torque, self._gains)

    def __call__(
        self,
        model: RigidBodyModel,
        gates: GateOptions,
        status: Status,
        promises: bool,
        choices: Sequence[Choice],
        tables: Mapping[str, Any],
        others: Mapping[str, Array] | None = None,
        **more: Any,
    ) -> Judged:
        """Errors beside baselines, what residuals still hold, and the verdict.

        Args:
            model: with its parameters.
            gates: limits that a user sets.
            status: how the fit ended.
            promises: whether the model guarantees links that can exist.
            choices: of widths.
            tables: parameters, identifiability and links of the result.
            others: parameters of further baselines by name, each of shape (p,).
            more: further fields of `Fitted`.
        """
        data, layout = self._data.by_split(), self._data.layout
        units = layout.robot.torque_units
        physical = has_physical_links(layout.robot)
        compared = baselines(data, nominal(layout) if physical else None)
        compared |= {name: scores(data, phi) for name, phi in (others or {}).items()}
        metrics = (
            scores_of_samples(self._read, layout.robot, model.torque, layout.rows)
            if model.full
            else scores(data, model.phi)
        )
        fitted = Fitted(
            status=status,
            metrics=metrics,
            baselines=compared,
            parameters=tables["parameters"],
            identifiability=tables["identifiability"],
            links=tables["links"],
            consistent=promises,
            choices=choices,
            units=units,
            **more,
        )
        verdict = judge(fitted, gates)
        notices = [
            Notice(code=r.code, message=r.message, hint=r.hint, effect=Effect.QUALITY)
            for r in verdict.reasons
        ]
        errors: list[BlockErrors] = []
        if not model.full:
            residuals = Residuals(self._data.blocks, model.phi, layout.names)
            errors = block_errors(residuals)
            if not any(facts.independent for facts in self._index.recordings.values()):
                notices += offset_changes(errors, units)
                notices += drifts(residuals, units)
        windows = self._excerpt(model)
        terms = {
            joint: {
                column.term
                for column in layout.own
                if place in [member for member, _ in column.motor.members]
            }
            for place, joint in enumerate(layout.robot.joint_names)
        }
        count = self._data.samples["train"]
        rest = whiteness_of_joints(windows, self._index.recordings, count, terms)
        notices += [*remarks(fitted), *rest.notices]
        notices += smoothed_friction(windows, self._index.recordings, tables["parameters"])
        return Judged(
            metrics=metrics,
            baselines=compared,
            blocks=errors,
            whiteness=rest.whiteness,
            autocorrelation=rest.autocorrelation,
            verdict=verdict,
            excerpt=windows,
            notices=tuple(notices),
        )

    def _excerpt(self, model: RigidBodyModel) -> Excerpt:
        return excerpt(
            self._folder,
            self._index,
            model.layout.robot,
            model.torque,
            torque=self._torque,
            gains=self._gains,
            forces=model.layout.forces,
            middles={name: known.middle for name, known in self._data.recordings.items()},
        )
