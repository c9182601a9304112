"""The factors of a recording: one pass over its Parquet file, and the way to a file and back."""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.contracts.factors import (
    Block,
    FactorFacts,
    RecordingTensors,
    RobotFacts,
    Row,
    RowTensors,
    read_factors,
)
from robotid.contracts.recording import RecordingFacts, iterate_recording
from robotid.contracts.splits import Interval
from robotid.errors import BadDataError
from robotid.information.factor import Factor, merged, packed, unpacked
from robotid.information.factorise import Factoriser
from robotid.information.layout import Layout
from robotid.information.projected import ProjectedFactoriser
from robotid.information.samples import SampleReader
from robotid.information.samples_seen import SamplesSeen
from robotid.information.stream import block_edges, factor_blocks
from robotid.robot.tree import RobotTree
from robotid.signals.filtered_noise import FilteredNoise

Array = NDArray[np.float64]
Item = TypeVar("Item")


def factor_recording(
    path: Path,
    layout: Layout,
    passed_over: Collection[str] = (),
    threads: int | None = None,
    torque: str = "tau",
    cut: Sequence[Interval] = (),
) -> tuple[FactorFacts, RecordingTensors]:
    """Reduce a filtered recording to factors, in constant memory.

    Args:
        path: the recording, with all that `SampleReader` needs of the robot.
        layout: the robot and the terms of its joints.
        passed_over: recorded joints that are no concern of the robot's, such as locked ones.
        threads: how many to use; no bit of the result depends on it.
        torque: the signal that stands for torque.
        cut: stretches of time that are in different splits; no block is in two of them.
    """
    forces = layout.forces
    reader = SampleReader(path, layout.robot, torque, forces=forces, passed_over=passed_over)
    facts = reader.facts
    edges = block_edges(facts.samples, facts.rate_hz, _borders(path, cut, facts.samples))
    times = np.zeros((len(edges) - 1, 2))
    seen = SamplesSeen(reader, edges)
    projected = ProjectedFactoriser(layout, threads) if forces.kind == "projected" else None
    factoriser = projected or Factoriser(layout.plain, threads)
    try:
        batches = read_ahead(_batches(reader, seen, edges, times))
        blocks = []
        for block in factor_blocks(factoriser, batches, edges):
            blocks.append(block[: len(layout.rows)])
            progress.report(len(blocks), len(edges) - 1, "factors")
    finally:
        factoriser.close()
    return FactorFacts(
        about=about_of(layout, torque),
        rate_hz=facts.rate_hz,
        independent=_independent(facts, layout) * (projected.freedom if projected else 1.0),
        blocks=[
            Block(start_s=start, end_s=end, samples=block[0].count)
            for (start, end), block in zip(times.tolist(), blocks, strict=True)
        ],
    ), RecordingTensors(
        tensors_of(blocks), [packed(one.R) for one in merged(blocks)], *seen.found()
    )


def _independent(facts: RecordingFacts, layout: Layout) -> float:
    """Share of the samples that count as independent."""
    return min(FilteredNoise.of(facts, joint).share for joint in layout.robot.joint_names)


def tensors_of(blocks: Sequence[Sequence[Factor]]) -> list[RowTensors]:
    """Factors by block and row as the tensors of a file."""
    return [
        RowTensors(
            expansion=factors[0].expansion,
            factor=np.array([packed(f.R) for f in factors]),
            torque=np.array([[f.total, f.lowest, f.highest] for f in factors]),
        )
        for factors in zip(*blocks, strict=True)
    ]


def load_factors(path: Path) -> tuple[FactorFacts, list[list[Factor]]]:
    """Facts, and factors by block and row, from a file."""
    facts, found = read_factors(path)
    blocks = [
        factors_in(facts.about, found.rows, number, block.samples)
        for number, block in enumerate(facts.blocks)
    ]
    return facts, blocks


def factors_in(
    about: RobotFacts, rows: Sequence[RowTensors], block: int, samples: int
) -> list[Factor]:
    """The factors of one block, a row each, from the tensors of a file.

    Args:
        about: what they are about.
        rows: tensors of each row.
        block: its number.
        samples: of the block.
    """
    factors = []
    for row, tensors in zip(about.rows, rows, strict=True):
        R = unpacked(tensors.factor[block])
        columns = np.array(row.columns, dtype=np.int64)
        torque = tensors.torque[block].tolist()
        factors.append(Factor(row.name, columns, tensors.expansion, R, samples, *torque))
    return factors


def layout_of(about: RobotFacts, robot: RobotTree) -> Layout:
    """The layout that factors were made with; another robot is refused."""
    layout = Layout(robot, about.terms, about.joint_terms, about.coupled, about.forces)
    if layout.digest != about.geometry_sha256 or list(layout.names) != about.parameters:
        said = f"the factors are not those of this robot {robot.name}, but of {about.robot}"
        raise BadDataError("other-robot", said, hint="compute the factors again")
    return layout


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, each fetched in a thread while the one before it is worked on."""
    with ThreadPoolExecutor(1) as side:
        following = side.submit(next, items, None)
        while (item := following.result()) is not None:
            following = side.submit(next, items, None)
            yield item


def _borders(path: Path, cut: Sequence[Interval], samples: int) -> list[int]:
    """The first samples of stretches of a recording, and of what lies between them."""
    if not cut:
        return []
    starts, ends = np.array([(part.start_s, part.end_s) for part in cut]).T
    before = np.zeros((2, len(cut)), dtype=np.int64)
    for batch in iterate_recording(path, ["t"]):
        seconds = batch["t"] / 1e9
        before[0] += np.searchsorted(seconds, starts, side="left")
        before[1] += np.searchsorted(seconds, ends, side="right")
    return sorted({*before.ravel().tolist()} - {0, samples})


def _batches(
    reader: SampleReader, seen: SamplesSeen, edges: Sequence[int], times: Array
) -> Iterator[Array]:
    """Signals as the kernel reads them; notes when each block begins and ends [s]."""
    inner, at, rows = np.asarray(edges), 0, reader.robot.rows
    # Counted from the last: torques of rows that do not count need not be known.
    unknown = [len(rows) - place for place, row in enumerate(rows) if row not in reader.measured]
    for batch, signals in reader.batches(also=reader.temperatures):
        seconds = batch["t"] / 1e9
        for which, places in enumerate((inner[:-1], inner[1:] - 1)):
            here = (places >= at) & (places < at + seconds.size)
            times[here, which] = seconds[places[here] - at]
        seen.look(at, batch, signals)
        signals[[len(signals) - place for place in unknown]] = 0.0
        touched = reader.touched(batch).T
        yield np.vstack([signals, touched]) if len(touched) else signals
        at += seconds.size


def about_of(layout: Layout, torque: str) -> RobotFacts:
    """What factors of a layout are about; `torque` is the signal that stands for torque."""
    return RobotFacts(
        robot=layout.robot.name,
        torque=torque,
        geometry_sha256=layout.digest,
        **layout.arguments,
        forces=layout.forces,
        parameters=list(layout.names),
        rows=[
            Row(name=name, columns=columns.tolist())
            for name, columns in zip(layout.rows, layout.columns, strict=True)
        ],
    )
