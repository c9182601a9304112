"""The factors of all recordings of a fit, each block with its recording, time and split."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from robotid.contracts.dataset import Interval, Split
from robotid.contracts.factors import Block, FactorIndex, read_index
from robotid.errors import BadDataError
from robotid.fitting.evidence import Evidence, together
from robotid.information.factor import Factor
from robotid.information.layout import Layout, geometry_digest
from robotid.information.recording import load_factors


@dataclass(frozen=True, eq=False)
class Stretch:
    """A block of a recording: when, in which split, and its factors by row."""

    recording: str
    split: Split
    time: Block
    factors: tuple[Factor, ...]


@dataclass(frozen=True, eq=False)
class Gathered:
    """All stretches, in the order of recordings and time.

    Args:
        layout: robot and terms.
        stretches: those that are in a split; what lies in the gap of a cut recording is in none.
        shares: independent samples of each recording.
        index: of the factors.
    """

    layout: Layout
    stretches: tuple[Stretch, ...]
    shares: dict[str, float]
    index: FactorIndex

    def of(
        self, *splits: Split, only: Collection[str] | None = None, but: Collection[str] = ()
    ) -> Evidence:
        """Evidence of some splits, of the recordings asked for."""
        parts: dict[str, list[tuple[Factor, ...]]] = {}
        for stretch in self.stretches:
            name = stretch.recording
            if stretch.split in splits and name not in but and (only is None or name in only):
                parts.setdefault(name, []).append(stretch.factors)
        if not parts:
            said = f"there are no data for {' and '.join(splits)}"
            hint = "record more, choose other splits, or filter with hold_out"
            raise BadDataError("no-data", said, hint=hint)
        return together(
            [(self.shares[name], blocks) for name, blocks in parts.items()], self.layout.parameters
        )

    @property
    def splits(self) -> dict[Split, int]:
        """Samples in each split that has any."""
        found: dict[Split, int] = {}
        for stretch in self.stretches:
            count = stretch.factors[0].count
            found[stretch.split] = found.get(stretch.split, 0) + count
        return {split: found[split] for split in ("train", "val", "test") if split in found}


def gathered(folder: Path, layout: Layout) -> Gathered:
    """Read the factors of a folder, which have to be about the robot and terms of a layout."""
    index = read_index(folder)
    about = index.about
    if about.geometry_sha256 != geometry_digest(layout.robot):
        said = f"these factors are of robot {about.robot} with another geometry"
        hint = "give the same robot, locks, payloads and gravity as to factors"
        raise BadDataError("other-robot", said, file=str(folder), hint=hint)
    if tuple(about.parameters) != layout.names:
        said = f"these factors have {len(about.parameters)} other parameters"
        raise BadDataError(
            "other-terms", said, file=str(folder), hint="give the same terms as to factors"
        )
    stretches: list[Stretch] = []
    shares = {}
    for name, split in index.splits.items():
        facts, blocks = load_factors(folder / f"{name}.safetensors")
        shares[name] = facts.independent
        for time, factors in zip(facts.blocks, blocks, strict=True):
            inside = _split_of(time, split, index.intervals.get(name))
            if inside is not None:
                stretches.append(Stretch(name, inside, time, tuple(factors)))
    return Gathered(layout, tuple(stretches), shares, index)


def _split_of(time: Block, split: Split, cut: list[Interval] | None) -> Split | None:
    """The split of a block; of a cut recording, that of the stretch of time it lies within."""
    if cut is None:
        return split
    little = 1e-6
    for part in cut:
        if part.start_s - little <= time.start_s and time.end_s <= part.end_s + little:
            return part.split
    return None
