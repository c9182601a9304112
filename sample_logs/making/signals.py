"""A recording as numbers, and as text in robotid's own header."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Recording(NamedTuple):
    """Samples of a recording.

    Args:
        joints: their names.
        t: times [s], shape (samples,).
        q, qd, tau: shape (samples, joints), SI units.
    """

    joints: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    tau: Array

    def first(self, samples: int) -> "Recording":
        """Only the first samples."""
        return Recording(self.joints, *(array[:samples] for array in self[1:]))

    def every(self, step: int) -> "Recording":
        """Only every so manieth sample."""
        return Recording(self.joints, *(array[::step] for array in self[1:]))

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        return ["t", *(f"{s}.{joint}" for s in ("q", "qd", "tau") for joint in self.joints)]

    @property
    def table(self) -> Array:
        """All columns side by side, shape (samples, columns)."""
        return np.column_stack([self.t, self.q, self.qd, self.tau])

    def of(self, table: Array) -> "Recording":
        """A recording of the same joints from such a table."""
        return Recording(self.joints, table[:, 0], *np.split(table[:, 1:], 3, axis=1))


def read_csv(path: Path) -> Recording:
    """Read what `robotid simulate` wrote."""
    with path.open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    joints = tuple(name.removeprefix("q.") for name in names if name.startswith("q."))
    return Recording(joints, table[:, 0], *np.split(table[:, 1:], 3, axis=1))


def csv_lines(recording: Recording, digits: int = 6, time: str = "%.12g") -> list[str]:
    """Header and rows as text, without line ends."""
    pattern = ",".join([time, *[f"%.{digits}g"] * (3 * len(recording.joints))])
    rows = [pattern % tuple(row) for row in recording.table.tolist()]
    return [",".join(recording.names), *rows]


def text(lines: list[str], end: str = "\n") -> bytes:
    """Lines as the bytes of a file."""
    return "".join(line + end for line in lines).encode()
