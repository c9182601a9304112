"""The files of a simulation of a floating robot: a CSV per recording, and what no sensor saw."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from robotid.contracts.truth import write_truth
from robotid.simulation.floating.scenario import FloatingSimulated
from robotid.simulation.floating.sensors import columns_of
from robotid.simulation.log_files import TRUTH_FOLDER, write_csv


def write_floating(folder: Path, simulated: FloatingSimulated, digits: int) -> None:
    """Write `<recording>.csv`, `truth/<recording>.parquet` and `truth.json`.

    Args:
        folder: where to.
        simulated: what to write.
        digits: significant digits of the logs; what is true is written in full.
    """
    (folder / TRUTH_FOLDER).mkdir()
    for name, log in simulated.logs.items():
        write_csv(folder / f"{name}.csv", log.t, log.columns, digits)
        motion = simulated.motions[name]
        signals = ("q", "qd", "qdd", "tau", "friction")
        true = columns_of(
            simulated.robot,
            motion.base,
            ("pos", "quat", "vel", "acc"),
            {signal: getattr(motion, signal) for signal in signals},
            motion.wrenches,
        )
        t = np.round(log.t * 1e9).astype(np.int64)
        table = pa.table({column: pa.array(values) for column, values in {"t": t, **true}.items()})
        path = folder / TRUTH_FOLDER / f"{name}.parquet"
        pq.write_table(table, path, compression="lz4", write_page_checksum=True)
    write_truth(folder, simulated.truth)
