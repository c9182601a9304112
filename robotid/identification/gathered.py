"""The factors of all recordings of a fit, each block with its recording, time and split."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.factors import Block, Middle, read_index
from robotid.contracts.splits import Interval, Split
from robotid.errors import BadDataError
from robotid.fitting.evidence import Evidence, Part, together
from robotid.information.blocks import DataBlock
from robotid.information.factor import Factor, merged
from robotid.information.layout import Layout
from robotid.information.on_file import ChangedBlock, FactorsOnFile, Held, samples_in
from robotid.information.recording import layout_of

Array = NDArray[np.float64]


class RecordingData(NamedTuple):
    """What is known of one recording besides its blocks.

    Args:
        share: of its samples that are independent.
        whole: all of it as one block.
        extremes: least and greatest q, qd, qdd and tau, by the time its blocks begin; each of shape
            (4 nv, 2).
        middle: reads some of its samples.
    """

    share: float
    whole: Sequence[Factor]
    extremes: dict[float, Array]
    middle: Callable[[], Middle]


class EarlierData(NamedTuple):
    """Training data of an earlier fit, without their recordings.

    Args:
        factors: one per row of torque, of all samples.
        share: of the samples that are independent.
    """

    factors: tuple[Factor, ...]
    share: float


@dataclass(frozen=True, eq=False)
class Gathered:
    """All blocks, in the order of recordings and time.

    Args:
        layout: robot and terms.
        blocks: those that are in a split; the gap of a recording that was cut is in none.
        recordings: what is known of each besides.
        earlier: training data besides those of the blocks, about the same parameters.
    """

    layout: Layout
    blocks: tuple[DataBlock, ...]
    recordings: dict[str, RecordingData]
    earlier: EarlierData | None = None

    def of(self, *splits: Split) -> list[DataBlock]:
        """Blocks of some splits."""
        return [block for block in self.blocks if block.split in splits]

    def evidence(self, blocks: Iterable[DataBlock]) -> Evidence:
        """What some blocks say together."""
        return together(self._parts(blocks), self.layout.parameters)

    def training(self) -> Evidence:
        """What all training data say together, those of an earlier fit among them."""
        parts = self._parts(self.of("train"))
        if self.earlier is not None:
            parts.insert(0, Part(self.earlier.share, [self.earlier.factors]))
            return together(parts, self.layout.parameters)
        found = together(parts, self.layout.parameters)
        return replace(found, fewer=(self._merged["train"],))  # which errors are found from, too

    @cached_property
    def _merged(self) -> dict[Split, list[Factor]]:
        """One factor per row of each split that has any data."""
        splits = dict.fromkeys(block.split for block in self.blocks)
        return {
            split: merged(block for part in self._parts(self.of(split)) for block in part.fewest)
            for split in splits
        }

    def by_split(self) -> dict[Split, list[Sequence[Factor]]]:
        """The data of each split as one block; those of an earlier fit are one more."""
        found: dict[Split, list[Sequence[Factor]]] = {s: [own] for s, own in self._merged.items()}
        if self.earlier is not None:
            found.setdefault("train", []).append(self.earlier.factors)
        return found

    def _parts(self, blocks: Iterable[DataBlock]) -> list[Part]:
        """The data of each recording."""
        parts: dict[str, list[Sequence[Factor]]] = {}
        for block in blocks:
            parts.setdefault(block.recording, []).append(block.factors)
        if not parts:
            hint = "record more, choose other splits, or filter with hold_out"
            raise BadDataError("no-data", "no data are left for training", hint=hint)
        return [self._part(name, own) for name, own in parts.items()]

    def _part(self, name: str, blocks: list[Sequence[Factor]]) -> Part:
        known = self.recordings[name]
        complete = sum(map(samples_in, blocks)) == samples_in(known.whole)
        return Part(known.share, blocks, known.whole if complete else None)

    def changed(self, layout: Layout, change: Callable[[Factor], Factor]) -> "Gathered":
        """The same blocks with other factors."""
        return replace(
            self,
            layout=layout,
            blocks=tuple(
                block._replace(factors=ChangedBlock(block.factors, change)) for block in self.blocks
            ),
            recordings={
                name: known._replace(whole=ChangedBlock(known.whole, change))
                for name, known in self.recordings.items()
            },
        )

    def without(self, recordings: Sequence[str]) -> "Gathered":
        """All but the blocks of some recordings."""
        kept = tuple(block for block in self.blocks if block.recording not in recordings)
        return replace(self, blocks=kept)

    def within(self, dataset: DatasetIndex) -> DatasetIndex:
        """The index of a dataset, of the recordings that these blocks are of."""
        names = {block.recording for block in self.blocks}
        fields = ("recordings", "splits", "intervals")
        return dataset.model_copy(
            update={
                field: {n: x for n, x in getattr(dataset, field).items() if n in names}
                for field in fields
            }
        )

    @property
    def samples(self) -> dict[Split, int]:
        """Samples in each split that has any; those of an earlier fit are in training."""
        found: Counter[Split] = Counter()
        for block in self.blocks:
            found[block.split] += block.samples
        if self.earlier is not None:
            found["train"] += self.earlier.factors[0].count
        order: tuple[Split, ...] = ("train", "val", "test")
        return {split: found[split] for split in order if split in found}


def gathered(
    folder: Path, layout: Layout, dataset: DatasetIndex, torque: str, *, proven: bool = False
) -> Gathered:
    """Read the factors of a folder.

    Args:
        folder: of the factors.
        layout: robot and terms that they have to be about.
        dataset: that they have to be of.
        torque: the signal that has to stand for torque in them.
        proven: the files hold what was written, byte for byte; they are not looked at once more.
    """
    index = read_index(folder)
    about = index.about
    of = {name: sum(b.samples for b in facts.blocks) for name, facts in index.recordings.items()}
    lengths = {name: facts.samples for name, facts in dataset.recordings.items()}
    splits = (index.splits, index.intervals)
    if of != lengths or splits != (dataset.splits, dataset.intervals):
        said = "these factors are of another dataset: recordings, lengths or splits differ"
        hint = "leave out factors; they are made for this dataset, and kept"
        raise BadDataError("other-dataset", said, file=str(folder), hint=hint)
    if about.geometry_sha256 != layout.digest:
        said = f"these factors are of robot {about.robot} with another geometry"
        hint = "give the same robot, locks, payloads and gravity as to factors"
        raise BadDataError("other-robot", said, file=str(folder), hint=hint)
    if about.torque != torque:
        said = f"these factors are of {about.torque}, not of {torque}"
        raise BadDataError("other-signal", said, file=str(folder), hint="leave out factors")
    if about.forces != layout.forces:
        said = f"these factors are of other generalised forces ({about.forces.kind})"
        hint = "give the same rows, contacts and contact_links as to factors"
        raise BadDataError("other-forces", said, file=str(folder), hint=hint)
    if layout_of(about, layout.robot).own != layout.own:
        said = f"these factors have other terms of joints, {len(about.parameters)} parameters"
        raise BadDataError(
            "other-terms", said, file=str(folder), hint="give the same terms as to factors"
        )
    blocks: list[DataBlock] = []
    recordings, held = {}, Held()
    for name, split in index.splits.items():
        found = FactorsOnFile(folder / f"{name}.safetensors", held, proven=proven)
        times = found.facts.blocks
        recordings[name] = RecordingData(
            share=found.facts.independent,
            whole=found.whole,
            extremes={t.start_s: own for t, own in zip(times, found.extremes, strict=True)},
            middle=found.middle,
        )
        for time, factors in zip(times, found.blocks, strict=True):
            inside = _split_of(time, split, index.intervals.get(name), folder)
            if inside is not None:
                blocks.append(DataBlock(name, inside, time.start_s, time.end_s, factors))
    return Gathered(layout, tuple(blocks), recordings)


def _split_of(time: Block, split: Split, cut: list[Interval] | None, folder: Path) -> Split | None:
    """The split of a block; of a cut recording, that of the stretch of time it lies within.

    One that lies between stretches is in none. One that lies partly within is refused: left out,
    it would take samples away that nobody would miss, and with them the whole test at times.
    """
    if cut is None:
        return split
    for part in cut:
        if part.start_s <= time.start_s and time.end_s <= part.end_s:
            return part.split
        if time.start_s <= part.end_s and part.start_s <= time.end_s:
            said = (
                f"a block from {time.start_s:.6g} to {time.end_s:.6g} s is not cut where the "
                "recording is"
            )
            hint = "filter again; leave out factors, they are made then"
            raise BadDataError("blocks-not-cut", said, file=str(folder), hint=hint)
    return None
