"""Logs whose values or joints are damaged, as far as the log alone shows it."""

import numpy as np

from making import bags, formats
from making.case import Base, Case
from making.signals import Recording, csv_lines, text

_COUNTS = """\
joints = ["shoulder", "elbow"]
time = { column = "t", unit = "s" }
q = { columns = "counts[{i}]", scale = 1e-4 }
qd = { columns = "qd[{i}]" }
tau = { columns = "tau[{i}]" }
"""
ROBOT = ("--robot", "double_pendulum")


def changed(run: Recording, column: int, rows: slice, value: float) -> bytes:
    """The log with some cells of a column set; 1, 2: q, 3, 4: qd, 5, 6: tau."""
    table = run.table
    table[rows, column] = value
    return text(csv_lines(run.of(table), 5))


def value_cases(base: Base) -> list[Case]:
    """B71 to B85: values that are missing, joints that are others."""
    run = base.run.first(60)
    lines = csv_lines(run, 5)
    one_joint = text([",".join(line.split(",")[i] for i in (0, 1, 3, 5)) for line in lines])
    gripper = text([f"{lines[0]},q.gripper", *(f"{row},0.04" for row in lines[1:])])
    counts = np.rint(run.q * 1e4).astype(np.int64).astype(np.int16)
    arrays = {"t": run.t, "counts": counts, "qd": run.qd, "tau": run.tau}
    states = bags.messages(run)
    turned = [
        bags.Message(
            state.log_time,
            bags.joint_state(int(bags.START + round(t * 1e9)), run.joints, q, qd, tau),
        )
        for state, t, q, qd, tau in zip(states, *run[1:], strict=True)
    ]
    unequal = bags.joint_state(bags.START + 200_000_000, run.joints, run.q[20], run.qd[20], [0.1])
    no_names = formats.npz({"t": run.t, "q": run.q, "qd": run.qd, "tau": run.tau})
    return [
        Case("B71", "b71_missing_values.csv", "single values are NaN",
             changed(run, 6, slice(10, 60, 45), np.nan), 0, "missing-values",
             at={"time": 0.1, "joint": "elbow"}),
        Case("B72", "b72_no_velocities.csv", "a column of velocities that is all NaN",
             changed(run, 4, slice(None), np.nan), 0, "no-values"),
        Case("B72", "b72_no_torques.csv", "a column of torques that is all NaN",
             changed(run, 6, slice(None), np.nan), 65, "no-values", at={"joint": "elbow"}),
        Case("B73", "b73_infinities.csv", "single values are infinite",
             changed(run, 2, slice(30, 31), np.inf), 0, "missing-values",
             at={"time": 0.3, "joint": "elbow"}),
        Case("B73", "b73_many_infinities.csv", "a tenth of the values is infinite",
             changed(run, 2, slice(0, 60, 10), np.inf), 65, "missing-values",
             at={"time": 0.0, "joint": "elbow"}),
        Case("B79", "b79_no_names.npz", "arrays that do not say which joint is which", no_names,
             65, "no-map", flags=ROBOT),
        Case("B80", "b80_order_changes.mcap", "joints in another order from message to message",
             bags.mcap([*states[:20], *turned[20:40], *states[40:]]), 0, "", flags=ROBOT),
        Case("B81", "b81_joint_missing.csv", "the robot has two joints, the log one", one_joint,
             65, "joints-differ", flags=ROBOT),
        Case("B81", "b81_gripper.csv", "the log has a joint that the robot has not", gripper, 0,
             "unused-columns", flags=ROBOT),
        Case("B82", "b82_prefix.csv", "joints with a prefix",
             text([lines[0].replace(".", ".left_"), *lines[1:]]), 65, "joints-differ",
             flags=ROBOT),
        Case("B83", "b83_unequal_lengths.mcap", "a message with two joints and one effort",
             bags.mcap([*states[:20], bags.Message(states[20].log_time, unequal), *states[21:]]),
             65, "unequal-lengths", at={"time": states[20].log_time / 1e9}),
        Case("B85", "b85_int16_counts.npz", "counts in 16 bits, scaled by the map: they must not "
             "overflow", {"b85_int16_counts.npz": formats.npz(arrays),
                          "b85.map.toml": _COUNTS.encode()}, 0, "",
             flags=("--map", "b85.map.toml")),
    ]  # fmt: skip
