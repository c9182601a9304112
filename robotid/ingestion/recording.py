"""One recording from its files: read, converted, put in order, looked at, and written."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from robotid.contracts.finding import as_findings
from robotid.contracts.recording import RecordingFacts, RecordingWriter, TimeFacts, TorqueFacts
from robotid.contracts.repair import Repair
from robotid.errors import BadDataError, Effect, Notice
from robotid.ingestion.checks import Checks
from robotid.ingestion.column_map import ColumnMap, interval
from robotid.ingestion.frames import Frames, SameSide
from robotid.ingestion.joined import Follower
from robotid.ingestion.layouts import map_of
from robotid.ingestion.masking import mask
from robotid.ingestion.missing import Missing
from robotid.ingestion.options import IngestOptions, percent
from robotid.ingestion.resolve import Plan, StreamPlan, resolve
from robotid.ingestion.segments import Selection
from robotid.ingestion.sources import Sources, open_sources
from robotid.ingestion.stream_reader import StreamReader
from robotid.ingestion.timeline import TimeLine
from robotid.logs.findings import Findings
from robotid.types import Columns

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree

_SHOWN = 12
_ONE_SAMPLE = ("cut-last-line", "short-last-line")  # what these take from a file
_LONGEST_S = 100 * 86400.0  # what is longer is a mistaken unit of time


class Read(NamedTuple):
    """What came out of reading a recording."""

    plan: Plan
    line: TimeLine
    findings: Findings
    missing: Missing
    checks: Checks
    mended: list[Notice]
    dropped: dict[str, int]
    logged: int
    samples: int
    duration_s: float


def ingest_recording(
    path: Path,
    digest: str,
    columns: ColumnMap | None,
    robot: "RobotTree | None",
    options: IngestOptions,
    out_dir: Path,
    about_robot: Sequence[Notice] = (),
) -> list[Notice]:
    """Read the files of one recording into `out_dir`.

    Args:
        path: a log, or a folder of files that belong together.
        digest: of its bytes, for the facts.
        columns: the map; None where the log needs none.
        robot: what it is a recording of, if known.
        options: what the user says.
        out_dir: where the recording goes.
        about_robot: findings of its file, which go along.
    """
    with open_sources(path, columns) as sources:
        mapped = with_options(complete(columns, sources, options.stream), options)
        plan = resolve(mapped, sources, robot)
        with RecordingWriter(out_dir) as writer:
            sink = partial(writer.write, reused=False)
            done = read_recording(plan, mapped, robot, options, path, sink)
            done.checks.refuse()
            notices = [*about_robot, *_notices(sources, done, options)]
            writer.finish(_facts(digest, sources, done, mapped, notices))
    if options.mask:
        notices += mask(out_dir, done.checks.intervals(options.mask), str(path))
    return notices


def complete(columns: ColumnMap | None, sources: Sources, stream: str | None) -> ColumnMap:
    """The map; one that names no positions says only what is different from the usual layout."""
    if columns is not None and (columns.q or columns.qd):
        return columns
    usual = map_of(sources, stream)
    if columns is None:
        return usual
    return usual.model_copy(update={key: getattr(columns, key) for key in columns.model_fields_set})


def with_options(columns: ColumnMap, options: IngestOptions) -> ColumnMap:
    """The map with what flags say above it."""
    time = columns.time
    if options.rate_hz is not None:
        time = time.model_copy(update={"rate_hz": options.rate_hz, "column": None, "unit": None})
    if options.time_column is not None:
        # The unit is that of the column it was written for.
        update = {"column": options.time_column, "rate_hz": None, "unit": None}
        time = time.model_copy(update=update)
    if options.time_unit is not None:
        time = time.model_copy(update={"unit": options.time_unit})
    return columns.model_copy(
        update={"time": time, "exclude": (*columns.exclude, *options.exclude)}
    )


def read_recording(
    plan: Plan,
    columns: ColumnMap,
    robot: "RobotTree | None",
    options: IngestOptions,
    path: Path,
    sink: Callable[[Columns], None],
) -> Read:
    """Read all samples of a plan in order, look at them, and pass them on."""
    findings = Findings(str(path))
    accept = frozenset(options.accept)

    def line(stream: StreamPlan, found: Findings, zero: float | None = None) -> TimeLine:
        file = str(stream.place.log.path)
        return TimeLine(file, found, stream.unit_ns, options.gap_steps, accept, stream.lag_s, zero)

    base = StreamReader(plan.streams[0], line(plan.streams[0], findings))
    followers: list[tuple[StreamReader, Follower]] = []
    selection = Selection([interval(text) for text in columns.exclude])
    names = [signal for stream in plan.streams for signal in stream.signals]
    missing = Missing(names, options.fill, str(path))
    frames, side = Frames(columns, robot, str(path)), SameSide()
    checks = Checks(plan, robot, str(path), accept)
    samples, first, last = 0, 0, 0

    def give(rows: Columns) -> None:
        nonlocal samples, first, last
        if rows["t"].size:
            first = first if samples else int(rows["t"][0])
            last = int(rows["t"][-1])
            samples += rows["t"].size
            sink(checks.put(frames(rows)))

    for batch in map(side, base.batches()):
        if not followers and len(plan.streams) > 1:
            followers = list(_followers(plan, base, line, side, options))
        rows = selection.chosen(batch)
        for _, follower in followers:
            rows = selection.joined(rows, follower.at(np.asarray(rows["t"], np.int64)))
        give(missing.put(rows))
    give(missing.end())
    for _, follower in followers:
        follower.drain()
    _refuse_other_lengths(plan, base, followers)
    _note_streams(plan, base, followers, selection, findings)
    if samples < 2:
        _refuse_nothing_left(samples, selection, path)
    if last / 1e9 > _LONGEST_S:
        raise BadDataError(
            "too-long",
            f"the recording lasts {last / 86400e9:.3g} days",
            file=str(path),
            hint="is the unit of time right? --time-unit",
        )
    missing.refuse_if_many(accept)
    dropped = {"time": base.line.lost, **selection.dropped}
    dropped = {code: count for code, count in dropped.items() if count}
    return Read(
        plan=plan,
        line=base.line,
        findings=findings,
        missing=missing,
        checks=checks,
        mended=frames.notices(side.jumps),
        dropped=dropped,
        logged=base.read,
        samples=samples,
        duration_s=(last - first) / 1e9,
    )


def _refuse_nothing_left(samples: int, selection: Selection, path: Path) -> NoReturn:
    """Say what took the samples out."""
    excluded, outside = (selection.dropped.get(why, 0) for why in ("excluded", "no-overlap"))
    said = f"{samples} samples are left: at least two are needed"
    if excluded:
        said += f"; {excluded} were excluded"
    if outside:
        said += f"; at {outside} another stream has no values"
    hint = "do the streams overlap in time? is lag_s in seconds?" if outside else None
    raise BadDataError("no-samples", said, file=str(path), hint=hint)


def _followers(
    plan: Plan,
    base: StreamReader,
    line: Callable[..., TimeLine],
    side: SameSide,
    options: IngestOptions,
) -> Iterator[tuple[StreamReader, Follower]]:
    """The other streams, on the clock of the first."""
    first = plan.streams[0]
    for stream in plan.streams[1:]:
        zero = base.line.zero
        if zero is not None and first.unit_ns != stream.unit_ns:  # else stamps of ns stay exact
            zero = zero * first.unit_ns / stream.unit_ns
        own = Findings(str(stream.place.log.path))
        reader = StreamReader(stream, line(stream, own, zero))
        # The usual step is known once the first rows are read.
        batches = map(side, reader.batches())
        head = next(batches, None)
        step = max(reader.line.step, base.line.step)
        yield reader, Follower(_again(head, batches), stream.signals, options.gap_steps * step)


def _again(head: Columns | None, rest: Iterator[Columns]) -> Iterator[Columns]:
    if head is not None:
        yield head
    yield from rest


def _refuse_other_lengths(
    plan: Plan, base: StreamReader, followers: Sequence[tuple[StreamReader, Follower]]
) -> None:
    """Samples that are only counted belong together by their number, so all must have as many."""
    for (reader, _), stream in zip(followers, plan.streams[1:], strict=True):
        if stream.time is None and reader.read != base.read:
            first, other = plan.streams[0].place, stream.place
            raise BadDataError(
                "lengths-differ",
                f"{first.name} has {base.read} samples, {other.name} has {reader.read}: without "
                "times nobody knows which belong together",
                file=str(other.log.path),
                hint="name a column of times, or cut the files to the samples they share",
            )


def _note_streams(
    plan: Plan,
    base: StreamReader,
    followers: Sequence[tuple[StreamReader, Follower]],
    selection: Selection,
    findings: Findings,
) -> None:
    """What a user should know of several streams and clocks (B66, B68)."""
    if base.clocks_s > max(0.05, 5 * base.line.step / 1e9):
        findings.add(
            "clocks-differ",
            f"header.stamp and log_time move by {base.clocks_s:.3g} s against each other; "
            "header.stamp is used",
            hint="for the other: --time-column log_time",
        )
    readers = [base, *(reader for reader, _ in followers)] if followers else []
    for reader, stream in zip(readers, plan.streams, strict=False):
        if reader.line.clock_was_set:
            raise BadDataError(
                "clock-set",
                "the clock was set while several streams were recorded: they cannot be put "
                "together",
                file=str(stream.place.log.path),
                hint="cut the log where the clock was set, into recordings of their own",
            )
    for (reader, _), stream in zip(followers, plan.streams[1:], strict=True):
        for found in reader.line.findings.all():
            if found.code not in ("gap", "missing-samples"):  # they show as values that are missing
                where = f"{stream.place.name}, {found.first[0]}" if found.first else ""
                findings.add(
                    found.code, found.message, where=where, count=found.count, effect=found.effect
                )
        ratio = base.line.mean_step_s / reader.line.mean_step_s
        if abs(ratio - 1) > 0.02:
            findings.add(
                "other-rate",
                f"{', '.join(stream.signals[:3])}, … come at {1 / reader.line.mean_step_s:.6g} Hz, "
                f"{plan.streams[0].signals[0]} at {1 / base.line.mean_step_s:.6g} Hz: they are "
                "interpolated to its times",
                hint=None
                if ratio > 1
                else f"choose cutoff_hz well below {0.5 / reader.line.mean_step_s:.3g} Hz",
            )
    if selection.dropped.get("no-overlap"):
        findings.add(
            "no-overlap",
            "samples where another stream has no values were left out",
            count=selection.dropped["no-overlap"],
        )


def _notices(sources: Sources, done: Read, options: IngestOptions) -> list[Notice]:
    """All findings; what was lost counts as such if it is more than the user allows."""
    if done.plan.unused:
        shown = ", ".join(done.plan.unused[:_SHOWN])
        more = len(done.plan.unused) - _SHOWN
        done.findings.add(
            "unused-columns",
            f"{len(done.plan.unused)} columns are not used: {shown}" + (", …" if more > 0 else ""),
        )
    of_files = [notice for log in sources.logs.values() for notice in log.findings.notices()]
    whole = [n for n in of_files if n.effect == Effect.NONE or n.code in _ONE_SAMPLE]
    uncounted = [n for n in of_files if n not in whole]  # nobody knows how much a cut file held
    counted = [*whole, *done.findings.notices(), *done.missing.notices(), *done.mended]
    counted += done.checks.notices()
    lost = sum(count for why, count in done.dropped.items() if why != "excluded")
    lost += sum(n.code in _ONE_SAMPLE for n in whole)
    allowed = percent(options.allow_loss)
    if allowed > 0 and lost <= allowed * (lost + done.samples):
        counted = [replace(notice, effect=Effect.NONE) for notice in counted]
    return [*uncounted, *counted]


def _facts(
    digest: str, sources: Sources, done: Read, columns: ColumnMap, notices: Sequence[Notice]
) -> RecordingFacts:
    every = [*(f for log in sources.logs.values() for f in log.findings.all())]
    every += [*done.findings.all(), *done.missing.findings.all()]
    line, torque = done.line, done.plan.torque
    repeated = {"repeated-sample": line.repeated} if line.repeated else {}
    return RecordingFacts(
        joints=list(done.plan.joints),
        source_sha256=digest,
        source_format=", ".join(sorted({log.format for log in sources.logs.values()})),
        rate_hz=1.0 / line.mean_step_s,
        duration_s=done.duration_s,
        samples=done.samples,
        logged=done.logged,
        dropped=done.dropped | repeated,
        missing={name: count for name, count in done.missing.counts.items() if count},
        repairs=[Repair(code=f.code, count=f.count, first=f.first) for f in every],
        findings=as_findings(notices),
        time=TimeFacts(
            step_s=line.step / 1e9,
            jitter=line.jitter,
            gaps=line.gaps,
            missing_samples=line.missing,
            longest_gap_s=line.longest_gap_s,
            segments=line.segments,
        ),
        torque=TorqueFacts(kind=torque.kind, compensated=list(torque.compensated))
        if torque
        else None,
        excluded=list(columns.exclude),
    )
