"""A play as files that controllers read: CSV, Parquet, and ROS JointTrajectory in YAML.

Sample k is at k/rate; with the last one the robot is at rest. Every number is written in full (it
reads back as the same float), so what holds of the design holds of its files. A JointTrajectory has
fewer points, with velocities and accelerations, between which its reader interpolates. Files are
written in pieces: an hour of motion needs no more memory than a minute.
"""

import math
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from robotid import progress
from robotid.contracts.excitation import Excitation
from robotid.signals.planned import Moving, PlannedMotion, motions

Array = NDArray[np.float64]

CSV, PARQUET, ROS = ".csv", ".parquet", ".joint_trajectory.yaml"
_PIECE = 20_000  # samples
_SECOND = 1_000_000_000  # nanoseconds


class Piece(NamedTuple):
    """Samples that follow each other: numbers of the first and its successors, and the motion."""

    samples: NDArray[np.int64]
    moving: Moving


def write_plays(folder: Path, design: Excitation) -> list[str]:
    """Write all files of all plays; returns their names."""
    names = []
    plays = motions(design)
    for done, (name, (_, motion)) in enumerate(plays.items()):
        progress.report(done, len(plays), f"writing {name}")
        _write(folder, name, motion, design)
        names += [f"{name}{suffix}" for suffix in (CSV, PARQUET, ROS)]
    return names


def pieces(motion: PlannedMotion, rate_hz: float) -> Iterator[Piece]:
    """The samples of a play, some thousand at a time."""
    count = motion.samples(rate_hz)
    for start in range(0, count, _PIECE):
        samples = np.arange(start, min(start + _PIECE, count))
        moving = motion.at(samples / rate_hz)
        if samples[-1] == count - 1:  # rounding apart, it is at rest there already
            moving.qd[-1], moving.qdd[-1] = 0.0, 0.0
        yield Piece(samples, Moving(*(values + 0.0 for values in moving)))  # -0.0 becomes 0.0


def _write(folder: Path, name: str, motion: PlannedMotion, design: Excitation) -> None:
    joints, rate_hz = motion.joints, design.rate_hz
    every, last = max(1, math.ceil(rate_hz / design.ros_hz)), motion.samples(rate_hz) - 1
    columns = [f"{signal}.{joint}" for signal in Moving._fields for joint in joints]
    numbers = [pa.field(column, pa.float64()) for column in columns]
    seconds = pa.schema([pa.field("t", pa.float64()), *numbers])
    nanoseconds = pa.schema([pa.field("t", pa.int64()), *numbers])
    plain = pyarrow.csv.WriteOptions(include_header=False)
    with ExitStack() as stack:
        binary = stack.enter_context((folder / f"{name}{CSV}").open("wb"))
        binary.write((",".join(map(_cell, ["t", *columns])) + "\n").encode())
        table = stack.enter_context(pyarrow.csv.CSVWriter(binary, seconds, write_options=plain))
        parquet = stack.enter_context(
            pq.ParquetWriter(
                folder / f"{name}{PARQUET}",
                nanoseconds,
                compression="lz4",
                write_page_checksum=True,
            )
        )
        ros = stack.enter_context((folder / f"{name}{ROS}").open("w", encoding="ascii", newline=""))
        ros.write(f"joint_names: [{', '.join(map(_quoted, joints))}]\npoints:\n")
        for piece in pieces(motion, rate_hz):
            values = [pa.array(column) for part in piece.moving for column in part.T]
            when = np.round(piece.samples * (_SECOND / rate_hz)).astype(np.int64)
            table.write_batch(
                pa.record_batch([pa.array(piece.samples / rate_hz), *values], schema=seconds)
            )
            parquet.write_batch(pa.record_batch([pa.array(when), *values], schema=nanoseconds))
            points = (piece.samples % every == 0) | (piece.samples == last)
            _write_points(ros, when[points], Moving(*(part[points] for part in piece.moving)))


def _write_points(file: TextIO, when: NDArray[np.int64], moving: Moving) -> None:
    """The points of a JointTrajectory; lists and maps in flow style, a line each."""
    rows = zip(when.tolist(), *(values.tolist() for values in moving), strict=True)
    file.writelines(
        f"- positions: [{_listed(q)}]\n"
        f"  velocities: [{_listed(qd)}]\n"
        f"  accelerations: [{_listed(qdd)}]\n"
        f"  time_from_start: {{sec: {t // _SECOND}, nanosec: {t % _SECOND}}}\n"
        for t, q, qd, qdd in rows
    )


def _listed(values: list[float]) -> str:
    return ", ".join(map(_float, values))


def _float(value: float) -> str:
    """A number that every YAML parser takes for a float: those of YAML 1.1 want a point in it."""
    text = repr(value)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _quoted(text: str) -> str:
    """A string in double quotes, in ASCII, with escapes of YAML."""
    inside = "".join(
        character
        if " " <= character <= "~" and character not in '"\\'
        else f"\\U{ord(character):08x}"
        for character in text
    )
    return f'"{inside}"'


def _cell(text: str) -> str:
    """A header cell of a CSV file."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set('",\r\n') else text
