"""docs/scale.md: a cost model fitted to measured growth, and what a fleet needs by it.

Costs of a run are a + b n with n samples of a seven-joint arm: a and b by least squares of relative
errors, neither below zero. The model is of one process on the machine that is named.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

RATE_HZ = 1000.0
HOUR = 3600.0 * RATE_HZ  # samples
FLEET, HOURS_A_DAY, LENGTH_H = 1000, 8.0, 0.5
KEPT_DAYS = 30  # recordings of a robot that its fit is of
QUICK = "\n**From a trial run (`--quick`): figures say nothing.**\n"
TEXT = """# What a fleet needs

Written by `make bench` from what was measured ([benchmarks](benchmarks.md#how-costs-grow)); do not
edit.
{quick}
## The model

A run from log to fit costs a + b n for n samples. Fitted to {least:,.0f} … {most:,.0f} samples of a
seven-joint arm, on {cores} cores ({processor}), one worker process:

| cost | each run | each robot-hour (1 kHz) | largest error of the model |
|---|---|---|---|
{table}

Memory: {memory:.0f} MB at most for a run and its worker process; {most:,.0f} samples take
{by_samples:.2f} times the memory of {least:,.0f}, and {recordings:.0f} recordings
{by_recordings:.2f} times that of one. Bytes read include those that come from memory (the page
cache) and the files of libraries, which each run reads anew. Factors, from which every linear fit
follows, take {factors:.2g} MB of a recording of {most:,.0f} samples.

One more recording of {each:,.0f} samples takes {more_one:.2g} s of a processor where it is the
second and {more_many:.2g} s where there are {recordings:.0f} before it: a fit looks at the
factors of all, {refit:.2g} ms and {refit_mb:.2g} MB read for each.

## {fleet:,} robots, {hours:.0f} hours a day

{runs:,.0f} recordings of {minutes:.0f} minutes a day, {robot_hours:,.0f} robot-hours. Each is a
run of its own, which ends in a fit of the robot to its recordings of the last {kept_days} days
({history:,.0f} of them). What such a fit costs for each of them is taken to grow with the bytes of
its factors, {larger:.2g} times those measured:

| what | a day | on average |
|---|---|---|
| processor time | {cpu_h:,.0f} h | {busy:.1f} cores all day, or {night:.1f} for a third |
| logs that come in | {log_tb:.3g} TB | {log_mbs:,.0f} MB/s |
| read | {read_tb:.3g} TB | {read_mbs:,.0f} MB/s |
| kept in caches | {kept_tb:.3g} TB | {kept_30_tb:,.0f} TB for {kept_days} days |

Ingesting, filtering and reducing to factors treats recordings one by one, so it goes to
[workers](cluster.md) side by side. Only the fit sees all recordings of a robot, and only their
factors. A run names all recordings of its fit: what of them is no longer in the cache is made
again from the logs, so caches have to hold what the fits of the last {kept_days} days look at.
What was not used for longest goes first (`robotid cache gc`).

What the model does not know: disks and networks that are slower than this machine's memory, fits
of more than {recordings:.0f} recordings and their memory, more than two workers, logs in other
formats, other numbers of joints ([costs over joints](benchmarks.md#how-costs-grow)), and
trainings of networks, which cost what they cost.
"""
COSTS = {
    "cpu_s": ("processor time", "s", 1.0),
    "read_bytes": ("read", "GB", 1e9),
    "kept_bytes": ("kept in the cache", "GB", 1e9),
    "log_bytes": ("logs as they come (CSV)", "GB", 1e9),
}


class Line(NamedTuple):
    """a + b n, and the largest relative error of it among what was measured."""

    once: float
    per_sample: float
    error: float


def line(rows: Sequence[Mapping[str, float]], cost: str) -> Line:
    """Fit one cost."""
    n, y = (np.array([row[field] for row in rows]) for field in ("x", cost))
    found, _ = nnls(np.column_stack([1 / y, n / y]), np.ones(len(y)))
    return Line(*map(float, found), float(np.abs((found[0] + found[1] * n) / y - 1).max()))


def scaled(facts: Mapping[str, Any]) -> str:
    """The text of the document."""
    rows, machine = facts["growth"]["samples"], facts["growth_of"]["machine"]
    lines = {cost: line(rows, cost) for cost in COSTS}
    recordings = facts["growth"]["recordings"]
    runs = FLEET * HOURS_A_DAY / LENGTH_H  # recordings a day
    daily = {
        cost: runs * (one.once + one.per_sample * LENGTH_H * HOUR) for cost, one in lines.items()
    }
    first, last = recordings[0], recordings[-1]
    refit = {
        cost: max(0.0, (last[f"one_more_{cost}"] - first[f"one_more_{cost}"]))
        / (last["x"] - first["x"])
        for cost in ("cpu_s", "read_bytes")
    }
    history = KEPT_DAYS * HOURS_A_DAY / LENGTH_H
    larger = rows[-1]["factor_bytes"] / (last["factor_bytes"] / last["x"])
    for cost, each in refit.items():
        daily[cost] += runs * each * larger * history
    hour = {cost: one.per_sample * HOUR for cost, one in lines.items()}
    cores = daily["cpu_s"] / 86400.0
    table = "\n".join(
        f"| {said} | {one.once / unit:.3g} {name} | {hour[cost] / unit:.3g} {name} | "
        f"{100 * one.error:.0f} % |"
        for cost, (said, name, unit) in COSTS.items()
        for one in [lines[cost]]
    )
    return TEXT.format(
        quick=QUICK if "growth" in facts["quick"] else "",
        least=rows[0]["x"],
        most=rows[-1]["x"],
        cores=machine["cores"],
        processor=machine["processor"],
        table=table,
        memory=max(row["peak_mb"] for row in [*rows, *recordings]),
        by_samples=rows[-1]["peak_mb"] / rows[0]["peak_mb"],
        by_recordings=last["peak_mb"] / first["peak_mb"],
        factors=rows[-1]["factor_bytes"] / 1e6,
        each=first["samples"],
        more_one=first["one_more_cpu_s"],
        more_many=last["one_more_cpu_s"],
        refit=1e3 * refit["cpu_s"],
        refit_mb=refit["read_bytes"] / 1e6,
        larger=larger,
        kept_days=KEPT_DAYS,
        history=history,
        recordings=recordings[-1]["x"],
        fleet=FLEET,
        hours=HOURS_A_DAY,
        runs=runs,
        minutes=60 * LENGTH_H,
        robot_hours=FLEET * HOURS_A_DAY,
        cpu_h=daily["cpu_s"] / 3600,
        busy=cores,
        night=3 * cores,
        **{f"{name}_tb": daily[f"{name}_bytes"] / 1e12 for name in ("log", "read", "kept")},
        **{f"{name}_mbs": daily[f"{name}_bytes"] / 86400 / 1e6 for name in ("log", "read")},
        kept_30_tb=KEPT_DAYS * daily["kept_bytes"] / 1e12,
    )
