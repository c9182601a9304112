"""What is to be identified, and from what."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.fit import RobotUsed
from robotid.contracts.fit_data import Provenance
from robotid.evaluation.gates import GateOptions
from robotid.fitting.options import FitOptions
from robotid.identification.continued import Earlier
from robotid.identification.prepared import Prepared


@dataclass(frozen=True, eq=False)
class Request:
    """What is to be identified, and from what.

    Args:
        options: of the fit.
        gates: limits that a user sets.
        ready: factors of all recordings, widths chosen, in units of torque.
        robot: as the result states it.
        folder: of the filtered dataset.
        index: of that.
        torque: the signal that stands for torque.
        provenance: how the result comes about.
        earlier: the fit that is to be continued, whose training data are part of `ready.data`.
    """

    options: FitOptions
    gates: GateOptions
    ready: Prepared
    robot: RobotUsed
    folder: Path
    index: DatasetIndex
    torque: str
    provenance: Provenance
    earlier: Earlier | None = None

    def stated_options(self) -> dict[str, Any]:
        """Keys of the fit's configuration, as the result states them."""
        given = self.options.model_dump(mode="json", include=set(FitOptions.model_fields))
        usual = self.options.usual._asdict()
        return {**given, **usual, "hidden": list(usual["hidden"])}
