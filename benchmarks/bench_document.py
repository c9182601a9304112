"""docs/benchmarks.md, written from benchmarks.json."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from curves import Panel

HEAD = """# Benchmarks

Written by `make bench`; do not edit. Times are of one machine; ratios count. How each was measured
stands in `benchmarks/peers/` and `benchmarks/growth.py`.
"""
INTRODUCTIONS = {
    "peers": """Every table compares ways to do one task, in turns in one run, each on one thread.
Unless a table says otherwise ways are functions called in a process that runs already, and a first
round (imports, compilation) does not count. Times are medians, with the least and the most in
brackets; the ratio is a way's time divided by that of the first row.
""",
    "growth": """Of samples and recordings: a Panda at 1 kHz, `robotid run` from CSV to a fit with
one worker process, imports and all. Of joints: serial chains, in memory. Of workers: trainings that
do not depend on each other, on a dask cluster. Medians, with the least and the most in brackets.
""",
    "startup": "",
}
QUICK = "\n**Sizes of a trial run (`--quick`): they say nothing of speed.**\n"


def document(facts: Mapping[str, Any]) -> tuple[str, list[Panel]]:
    """The text, and the charts it shows."""
    parts = [HEAD]
    said = {
        "peers": ("Stage by stage", _peers),
        "growth": ("How costs grow", _growth),
        "startup": ("Start-up and warm cache", _startup),
    }
    for part, (title, text) in said.items():
        if part in facts:
            trial = QUICK if part in facts["quick"] else ""
            where = machine(facts[f"{part}_of"]["machine"])
            begin = f"{INTRODUCTIONS[part]}{where}"
            parts.append(f"## {title}\n{trial}\n{begin}\n\n{text(facts[part])}")
    return "\n".join(parts), _panels(facts["growth"]) if "growth" in facts else []


def machine(given: Mapping[str, Any]) -> str:
    """Where something was measured."""
    return (
        f"{given['cores']} cores ({given['processor']}), {given['system']}, "
        f"Python {given['python']}."
    )


def _startup(lines: Sequence[str]) -> str:
    return "\n".join(["```text", *lines, "```\n"])


def two_digits(value: float) -> str:
    """230 rather than 2.3e+02."""
    return f"{float(f'{value:.2g}'):g}"


def _peers(tasks: Sequence[Mapping[str, Any]]) -> str:
    parts = []
    for task in tasks:
        about = f" {task['about']}" if task["about"] else ""
        size = f"{task['size']}; rounds: {task['repeat']}.{about}"
        parts.append(f"### {task['task']}\n\n{textwrap.fill(size, 140)}\n")
        parts.append("| way | time | ratio | what it got | versions |\n|---|---|---|---|---|")
        for name, way in task["ways"].items():
            time = f"{_time(way['seconds'])} ({_time(way['least'])} … {_time(way['most'])})"
            ratio = "" if way["ratio"] is None else f"{two_digits(way['ratio'])} ×"
            versions = ", ".join(f"{package} {v}" for package, v in way["versions"].items())
            parts.append(f"| {name} | {time} | {ratio} | {way['right']} | {versions} |")
        parts.append("")
    return "\n".join(parts)


def _growth(growth: Mapping[str, Any]) -> str:
    shown = "![Costs over samples, joints, recordings and workers](images/growth.svg)"
    versions = ", ".join(f"{name} {own}" for name, own in growth["versions"].items())
    parts = [f"{shown}\n", f"{versions}.\n"]
    parts.append(
        "| samples of one recording | time | CPU time | memory | kept | log |\n"
        "|---|---|---|---|---|---|"
    )
    parts += [
        f"| {row['x']:,.0f} | {_spread(row, 'seconds')} | {_spread(row, 'cpu_s')} | "
        f"{row['peak_mb']:.0f} MB | {_size(row['kept_bytes'])} | {_size(row['log_bytes'])} |"
        for row in growth["samples"]
    ]
    each = growth["recordings"][0]["samples"]
    parts.append(
        f"\n| recordings of {each:,.0f} samples | time | one more | memory | kept |\n"
        "|---|---|---|---|---|"
    )
    parts += [
        f"| {row['x']:.0f} | {_spread(row, 'seconds')} | {_spread(row, 'one_more_s')} | "
        f"{row['peak_mb']:.0f} MB | {_size(row['kept_bytes'])} |"
        for row in growth["recordings"]
    ]
    parts.append(
        "\n| joints | samples to factors | structure of the robot | factors to links |\n"
        "|---|---|---|---|"
    )
    for row in growth["joints"]:
        rate = row["samples"] / row["factors_s"]
        parts.append(
            f"| {row['x']:.0f} | {_spread(row, 'factors_s')}, {rate:,.0f} samples/s | "
            f"{_spread(row, 'structure_s')} | {_spread(row, 'fit_s')} |"
        )
    parts.append("\n| workers | time | share of one |\n|---|---|---|")
    first = growth["workers"][0]["seconds"]
    parts += [
        f"| {row['x']:.0f} | {_spread(row, 'seconds')} | {row['seconds'] / first:.2f} |"
        for row in growth["workers"]
    ]
    return "\n".join([*parts, ""])


def _panels(growth: Mapping[str, Any]) -> list[Panel]:
    def points(axis: str, field: str) -> list[tuple[float, float]]:
        return [(row["x"], row[field]) for row in growth[axis]]

    return [
        Panel(
            "One recording, from CSV to a fit",
            "samples",
            {
                "time [s]": points("samples", "seconds"),
                "CPU time [s]": points("samples", "cpu_s"),
                "memory [MB]": points("samples", "peak_mb"),
            },
        ),
        Panel(
            "Samples to factors, factors to links",
            "joints",
            {"factors [s]": points("joints", "factors_s"), "links [s]": points("joints", "fit_s")},
        ),
        Panel(
            "A dataset of many recordings",
            "recordings",
            {
                "all [s]": points("recordings", "seconds"),
                "one more [s]": points("recordings", "one_more_s"),
                "memory [MB]": points("recordings", "peak_mb"),
            },
        ),
        Panel("Independent trainings", "workers", {"time [s]": points("workers", "seconds")}),
    ]


def _spread(row: Mapping[str, float], name: str) -> str:
    least, most = row[f"{name}_least"], row[f"{name}_most"]
    return f"{_time(row[name])} ({_time(least)} … {_time(most)})"


def _time(seconds: float) -> str:
    if seconds < 1.0:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"


def _size(count: float) -> str:
    return f"{count / 1e9:.3g} GB" if count >= 1e9 else f"{count / 1e6:.3g} MB"
