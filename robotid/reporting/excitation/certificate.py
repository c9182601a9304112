"""How near a design comes to its limits, and what proves that it stays inside."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from robotid.contracts.excitation import CertificateLine, Excitation, JointLimits, Proof
from robotid.reporting.words import counted

# What each proof is, in the order in which they are explained.
PROOFS: Mapping[Proof, str] = {
    "for all times": "The motion is a trigonometric polynomial, which is nowhere above its largest "
    "sample by more than a known factor: it holds at every instant.",
    "by formula": "Extremes of a polynomial, computed: it holds at every instant.",
    "between samples": "Distances at samples, and how far anything can move between two of them at "
    "most: it holds at every instant.",
    "at samples": "Checked at many instants, with the nominal model of the robot: no proof of what "
    "lies between them, nor of a robot that differs from its file.",
}


class Line(NamedTuple):
    """A limit of a trajectory.

    Args:
        trajectory: its name.
        line: what is certified.
        share: what is left, as a share of the limit, of a position of half the joint's range; it
            tells how close limits of different kinds are.
    """

    trajectory: str
    line: CertificateLine
    share: float

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        return self.line.margin >= 0


class Kept(NamedTuple):
    """Whether all limits hold, in a sentence."""

    good: bool
    text: str


def kept(lines: Sequence[Line]) -> Kept:
    """Whether all limits hold, and how far that is proven."""
    broken = sum(not line.holds for line in lines)
    if broken:
        return Kept(False, f"{counted(broken, 'limit')} of {len(lines)} broken: do not run it.")
    sampled = sum(line.line.proof == "at samples" for line in lines)
    said = f"All {counted(len(lines), 'limit')} kept"
    if not sampled:
        return Kept(True, f"{said}, each proven for every instant.")
    proven = len(lines) - sampled
    return Kept(True, f"{said}: {proven} proven for every instant, {sampled} at samples only.")


def closest_first(design: Excitation) -> list[Line]:
    """Every limit of every trajectory, those with the least left first."""
    found = [
        Line(trajectory.name, line, line.margin / _whole(line, design.limits))
        for trajectory in design.trajectories
        for line in trajectory.certificate
    ]
    return sorted(found, key=lambda one: one.share)


def _whole(line: CertificateLine, limits: Mapping[str, JointLimits]) -> float:
    """What the margin of a line is compared with."""
    if line.quantity == "position" and line.about in limits:
        joint = limits[line.about]
        return (joint.upper - joint.lower) / 2
    return abs(line.limit) or 1.0
