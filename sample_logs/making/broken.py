"""Logs with one thing wrong each, and the table of what robotid must say of them."""

import tempfile
from pathlib import Path

from making.broken_bags import bag_cases
from making.broken_files import file_cases
from making.broken_models import model_cases
from making.broken_text import number_cases, structure_cases
from making.broken_times import time_cases
from making.broken_values import value_cases
from making.case import Base, Case
from making.signals import csv_lines, read_csv, text
from making.simulated import simulate

CONFIG = Path(__file__).parent.parent / "broken" / "simulate.toml"
_HEAD = """\
# What `robotid ingest LOG` must answer, made by sample_logs/generate.py.
#
# log      what is given: a file or a folder here     more     further logs that are given with it
# row      the kind of damage in docs/reliability.md  flags    what else is given
# wrong    what happened to it
# exit     the exit code                              code     of the error or of a finding
# line, column, time, joint: the place that has to be named
"""


def cases(base: Base) -> list[Case]:
    """Everything that is broken, and the log that is not."""
    good = [
        Case("-", name, "nothing", text(csv_lines(run, 5)), 0, "", ("--robot", "double_pendulum"))
        for name, run in (("good.csv", base.run), ("good_motion.csv", base.motion))
    ]
    makers = (
        file_cases,
        structure_cases,
        number_cases,
        time_cases,
        value_cases,
        model_cases,
        bag_cases,
    )
    return [*good, *(case for maker in makers for case in maker(base))]


def make_broken(folder: Path) -> None:
    """Write the broken logs, `expected.toml`, and the truth behind them."""
    with tempfile.TemporaryDirectory() as place:
        simulate("double_pendulum", CONFIG, Path(place))
        run, other = (read_csv(Path(place) / f"run{n}.csv") for n in (1, 2))
        base = Base(run.first(300), other.first(300), run.every(2))
        (folder / "truth.json").write_bytes((Path(place) / "truth.json").read_bytes())
    found = cases(base)
    for case in found:
        for path, data in case.contents().items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(data)
    tables = "\n".join(case.toml() for case in found)
    (folder / "expected.toml").write_text(f"{_HEAD}\n{tables}", encoding="utf-8")
