"""The files of a simulation: a CSV per recording, and beside it what no sensor saw."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from robotid.contracts.truth import write_truth
from robotid.simulation.closed_loop import Motion
from robotid.simulation.scenario import Simulated

Array = NDArray[np.float64]
TRUTH_FOLDER = "truth"


def write_simulation(folder: Path, simulated: Simulated, digits: int) -> None:
    """Write `<recording>.csv`, `truth/<recording>.parquet` and `truth.json`.

    Args:
        folder: where to.
        simulated: what to write.
        digits: significant digits of the logs; what is true is written in full.
    """
    joints = [joint.name for joint in simulated.truth.joints]
    (folder / TRUTH_FOLDER).mkdir()
    for recording, (name, log) in enumerate(simulated.logs.items()):
        signals = {"q": log.q, "qd": log.qd, "tau": log.tau}
        measured = {signal: values for signal, values in signals.items() if values is not None}
        write_csv(folder / f"{name}.csv", log.t, _columns(measured, joints), digits)
        clock = simulated.clocks[name]
        true = _true_signals(simulated.motion.during(clock), recording, clock.every)
        t = np.round(simulated.t[: clock.samples] * 1e9).astype(np.int64)
        columns = {"t": t, **_columns(true, joints)}
        table = pa.table({column: pa.array(values) for column, values in columns.items()})
        path = folder / TRUTH_FOLDER / f"{name}.parquet"
        pq.write_table(table, path, compression="lz4", write_page_checksum=True)
    write_truth(folder, simulated.truth)


def _true_signals(motion: Motion, recording: int, every: int) -> dict[str, Array]:
    """All signals of a recording at the times of the log, each of shape (samples, n)."""
    signals = motion._replace(tau=motion.tau[::every])._asdict()
    return {signal: values[:, recording] for signal, values in signals.items()}


def _columns(signals: dict[str, Array], joints: list[str]) -> dict[str, Array]:
    return {
        f"{signal}.{joint}": np.ascontiguousarray(values[:, index])
        for signal, values in signals.items()
        for index, joint in enumerate(joints)
    }


def write_csv(path: Path, t: Array, columns: dict[str, Array], digits: int) -> None:
    """A log in robotid's own header, times [s] first."""
    rows = np.column_stack([t, *columns.values()]).tolist()
    line = ",".join(["%.12g", *[f"%.{digits}g"] * len(columns)]) + "\n"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(["t", *columns]) + "\n")
        file.writelines(line % tuple(row) for row in rows)
