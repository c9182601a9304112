"""What fits predict, in the words and units of a report."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from robotid.contracts.fit import AnyFit
from robotid.contracts.words import ACCELERATION_BASELINES, BASELINES


class Quantity(NamedTuple):
    """What errors are errors of.

    Args:
        name: of one, such as "torque".
        names: of several.
        model: what a model of it is called.
        turning: unit of a joint that turns.
        sliding: unit of one that slides.
        baselines: their names in words, by short name.
        possible: a model of it whose links can exist.
    """

    name: str
    names: str
    model: str
    turning: str
    sliding: str
    baselines: Mapping[str, str]
    possible: str

    def units(self, slides: Mapping[str, bool]) -> dict[str, str]:
        """Unit of every joint, by whether it slides; of rows of a base, whether it is a force."""
        return {joint: self.sliding if own else self.turning for joint, own in slides.items()}

    def unit(self, units: Iterable[str] = ()) -> str:
        """Unit of a mean over joints of these units; both where they differ or are not known."""
        found = set(units)
        return found.pop() if len(found) == 1 else f"{self.turning} or {self.sliding}"

    def called(self, baseline: str) -> str:
        """A baseline in words."""
        return self.baselines.get(baseline, baseline)


TORQUE = Quantity("torque", "torques", "model", "N m", "N", BASELINES, "sdp")
ACCELERATION = Quantity(
    name="acceleration",
    names="accelerations",
    model="forward model",
    turning="rad/s²",
    sliding="m/s²",
    baselines=ACCELERATION_BASELINES,
    possible="diffnea",
)
_QUANTITIES = {"torque": TORQUE, "acceleration": ACCELERATION}


def quantity_of(fits: Mapping[str, AnyFit]) -> Quantity:
    """What fits of one report predict, which is the same for all of them."""
    return _QUANTITIES[next(iter(fits.values())).predicts]
