"""Logs whose times are damaged."""

from collections.abc import Callable

import numpy as np

from making import bags, formats
from making.case import Base, Case
from making.signals import Array, Recording, csv_lines, text

_MAP_OF_TWO = """\
joints = ["shoulder", "elbow"]
time = { column = "t", unit = "s" }
q = { columns = "q.{joint}", file = "motion.csv" }
qd = { columns = "qd.{joint}", file = "motion.csv" }
tau = { columns = "tau.{joint}", file = "torque.csv" }
"""
_MAP_OF_ARRAYS = """\
joints = ["shoulder", "elbow"]
time = { column = "t" }
q = { columns = "q[{i}]" }
qd = { columns = "qd[{i}]" }
tau = { columns = "tau[{i}]" }
"""


def moved(run: Recording, move: Callable[[Array], Array]) -> bytes:
    """The log with other times."""
    return text(csv_lines(run._replace(t=move(run.t.copy())), 5, "%.17g"))


def _after(row: int, shift: float) -> Callable[[Array], Array]:
    """Times that jump at a row (of samples, from 0)."""

    def move(t: Array) -> Array:
        t[row:] += shift
        return np.round(t, 9)

    return move


def _jittered(t: Array) -> Array:
    return t + np.random.default_rng(5).uniform(-0.2, 0.2, t.size) * 0.01


def _files(name: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {f"{name}/{path}": data for path, data in files.items()}


def time_cases(base: Base) -> list[Case]:
    """B52 to B70."""
    run = base.run.first(60)
    lines = csv_lines(run, 5)
    header, rows = lines[0], lines[1:]
    no_time = text([line.split(",", 1)[1] for line in lines])
    other = rows[20].rsplit(",", 1)[0] + ",0.5"
    swapped = [*rows[:30], rows[31], rows[30], *rows[32:]]
    missing = [row for i, row in enumerate(rows) if i not in (20, 41, 42)]
    words = [f"1.3.2026 02:{i // 60:02d}:{i % 60:02d},{row.split(',', 1)[1]}"
             for i, row in enumerate(rows)]  # fmt: skip
    nan = [*rows[:15], "nan," + rows[15].split(",", 1)[1], *rows[16:]]
    epoch = bags.START / 1e9
    slow = base.run.first(120)
    torque = [line for i, line in enumerate(csv_lines(slow, 5)) if i == 0 or i % 4 == 1]
    two = {
        "motion.csv": text([line.rsplit(",", 2)[0] for line in csv_lines(slow, 5)]),
        "torque.csv": text([f"{c[0]},{c[-2]},{c[-1]}" for c in (x.split(",") for x in torque)]),
    }
    arrays = {"t": epoch * 1e9 + np.arange(60) * 1e3, "q": run.q, "qd": run.qd, "tau": run.tau}
    drift = [m._replace(log_time=m.log_time + 2_000_000 * i)
             for i, m in enumerate(bags.messages(run))]  # fmt: skip
    unstamped = [
        bags.Message(int(bags.START + t * 1e9), bags.joint_state(0, run.joints, q, qd, tau))
        for t, q, qd, tau in zip(*run[1:], strict=True)
    ]
    return [
        Case("B52", "b52_no_times.csv", "no column of times", no_time, 65, "no-time"),
        Case("B52", "b52_no_times_but_a_rate.csv", "no column of times; the rate is said",
             no_time, 0, "", flags=("--rate-hz", "100")),
        Case("B53", "b53_milliseconds.csv", "times in milliseconds, said to be seconds",
             moved(run, lambda t: np.round(1e3 * t, 6)), 65, "odd-rate"),
        Case("B53", "b53_no_unit.npz", "times of which nobody says the unit",
             {"b53_no_unit.npz": formats.npz(arrays | {"t": 1e3 * run.t}),
              "b53.map.toml": _MAP_OF_ARRAYS.encode()}, 65, "no-time-unit",
             flags=("--map", "b53.map.toml")),
        Case("B54", "b54_repeated_samples.csv", "samples that occur twice",
             text([header, *rows[:21], rows[20], rows[20], *rows[21:]]), 0, "repeated-sample"),
        Case("B55", "b55_same_time.csv", "another sample with the same time",
             text([header, *rows[:21], other, *rows[21:]]), 65, "duplicate-times",
             at={"time": 0.2}),
        Case("B56", "b56_out_of_order.csv", "two samples in the wrong order",
             text([header, *swapped]), 65, "out-of-order", at={"time": 0.3}),
        Case("B56", "b56_sorted_on_request.csv", "the same, and sorting is asked for",
             text([header, *swapped]), 0, "out-of-order", flags=("--accept", "out-of-order")),
        Case("B57", "b57_clock_set_back.csv", "the clock was set back by 2 s",
             moved(run, _after(30, -2.0)), 0, "clock-set"),
        Case("B58", "b58_gap.csv", "the recording pauses for 5 s", moved(run, _after(30, 5.0)),
             0, "gap"),
        Case("B59", "b59_dropped_samples.csv", "samples are missing here and there",
             text([header, *missing]), 0, "missing-samples"),
        Case("B60", "b60_jitter.csv", "steps between 60 % and 140 % of the usual one: "
             "filter says how it resamples", moved(run, _jittered), 0, ""),
        Case("B61", "b61_nan_time.csv", "a time that is not a number", text([header, *nan]), 65,
             "time-not-finite", at={"line": 17}),
        Case("B62", "b62_seconds_since_1970.csv", "seconds since 1970: digits of float64 end",
             moved(run, lambda t: np.round(epoch + t, 6)), 0, "time-resolution"),
        Case("B62", "b62_floating_ns.npz", "ns since 1970 as float64, steps of 1 µs",
             {"b62_floating_ns.npz": formats.npz(arrays),
              "b62.map.toml": _MAP_OF_ARRAYS.replace('"t"', '"t", unit = "ns"').encode()},
             65, "time-resolution", flags=("--map", "b62.map.toml", "--accept", "odd-rate")),
        Case("B63", "b63_wall_clock.csv", "wall-clock texts without a zone",
             text([header, *words]), 65, "time-is-text"),
        Case("B64", "b64_before_the_clock_was_set.csv", "zeros until the clock is known",
             moved(run, lambda t: np.where(t < 0.05, 0.0, np.round(epoch + t, 4))), 3,
             "before-clock-set"),
        Case("B65", "b65_constant_time.csv", "a time that stands still",
             moved(run, lambda t: 0 * t + 12.5), 65, "constant-time"),
        Case("B66", "b66_two_rates", "torques at a quarter of the rate, in a file of their own",
             _files("b66_two_rates", two) | {"b66.map.toml": _MAP_OF_TWO.encode()}, 0,
             "other-rate", flags=("--map", "b66.map.toml")),
        Case("B68", "b68_clocks_drift.mcap", "times of stamps and of recording drift apart",
             bags.mcap(drift), 0, "clocks-differ"),
        Case("B68", "b68_no_stamps.mcap", "stamps that are all zero", bags.mcap(unstamped), 65,
             "constant-time"),
        Case("B69", "b69_simulated_then_real_time.csv", "from the time of a simulation to that "
             "of the wall", moved(run, _after(30, epoch)), 0, "clock-set"),
    ]  # fmt: skip
