"""Which recording is written in which formats besides CSV. Maps stand beside them, where needed."""

from collections.abc import Callable

import numpy as np

from making import bags, formats
from making.signals import Recording

Files = dict[str, bytes]

_DEG = 180 / np.pi
# The double pendulum's drives, as double_pendulum/motor.map.toml says it.
_GEAR, _TORQUE_PER_A = np.array([50.0, -30.0]), np.array([0.08, 0.05])


def _panda(run: Recording) -> Files:
    """Joint states, which need no map."""
    states = bags.messages(run)
    files = {f"run1_bag/{name}": data for name, data in bags.rosbag2(states, "run1_bag").items()}
    return {"run1.mcap": bags.mcap(states), **files}


def _ur10(run: Recording) -> Files:
    """Arrays: MATLAB in degrees and milliseconds, NumPy in SI units, HDF5 that states its units."""
    log = {
        "time_ms": 1e3 * run.t[:, None],
        "angle": _DEG * run.q,
        "rate": _DEG * run.qd,
        "torque": run.tau,
    }
    states = {"position": (run.q, "rad"), "velocity": (run.qd, "rad/s"), "effort": (run.tau, "Nm")}
    stamps = np.rint(run.t * 1e9).astype(np.int64)
    datasets = {"arm/stamp": (stamps, "ns")}
    return {
        "run1.mat": formats.mat({"log": log, "joint_names": list(run.joints)}),
        "run1.npz": formats.npz({"t": run.t, "q": run.q, "qd": run.qd, "tau": run.tau}),
        "run1.h5": formats.hdf5(datasets | {f"arm/{name}": both for name, both in states.items()}),
    }


def _furuta(run: Recording) -> Files:
    """Parquet in robotid's own header, JSON records, and a ROS 1 bag."""
    return {
        "run1.parquet": formats.parquet(run),
        "run1.json": formats.json_records(run),
        "run1.bag": bags.rosbag1(bags.messages(run, bags.ROS1)),
    }


def _cartpole(run: Recording) -> Files:
    """Text as a spreadsheet in Europe writes it, with a line of units."""
    names = ["Zeit", "Wagen", "Pendel", "vWagen", "vPendel", "Kraft", "Moment"]
    units = ["ms", "mm", "deg", "mm/s", "deg/s", "N", "mNm"]
    table = run.table * np.array([1e3, 1e3, _DEG, 1e3, _DEG, 1.0, 1e3])
    rows = [";".join(f"{value:.10g}" for value in row).replace(".", ",") for row in table]
    head = ["# Wagen mit Pendel, Lauf 1", ";".join(names), ";".join(units)]
    return {"run1_lab.txt": "".join(f"{line}\r\n" for line in [*head, *rows]).encode()}


def _double_pendulum(run: Recording) -> Files:
    """What the drives say: turns, revolutions per minute and currents of the motors."""
    names = ["ms", *(f"{name}{n}" for name in ("turns", "rpm", "amps") for n in (1, 2))]
    turns, rpm = run.q * _GEAR / (2 * np.pi), run.qd * _GEAR * 60 / (2 * np.pi)
    table = np.column_stack([1e3 * run.t, turns, rpm, run.tau / _GEAR / _TORQUE_PER_A])
    rows = ["\t".join(f"{value:.10g}" for value in row) for row in table]
    return {"run1_motor.tsv": "".join(f"{line}\n" for line in ["\t".join(names), *rows]).encode()}


OTHER_FORMATS: dict[str, Callable[[Recording], Files]] = {
    "panda": _panda,
    "ur10": _ur10,
    "furuta": _furuta,
    "cartpole": _cartpole,
    "double_pendulum": _double_pendulum,
}
