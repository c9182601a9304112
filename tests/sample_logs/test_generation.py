"""The sample logs are what the script makes.

Tests make what follows from the kept CSV files, and the pendulum. `ROBOTID_SAMPLE_LOGS=all` has
everything made again and compared byte for byte, which holds on processors and with libraries that
round alike (about a minute).
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.sample_logs.conftest import BROKEN, SAMPLE_LOGS

pytest.importorskip("mujoco")
from making.broken import cases
from making.case import Base
from making.other_formats import OTHER_FORMATS
from making.pendulum import make_pendulum
from making.signals import read_csv

# Written by libraries whose versions may differ in what they write; all others must be the same.
BY_LIBRARIES = (".db3", ".h5", ".parquet", ".bag", "b08_parquet.csv")


@pytest.mark.parametrize("robot", OTHER_FORMATS)
def test_other_formats_are_made_from_the_csv(robot):
    run = read_csv(SAMPLE_LOGS / robot / "run1.csv")
    made, again = OTHER_FORMATS[robot](run), OTHER_FORMATS[robot](run)
    for name, data in made.items():
        assert data == again[name], name
        kept = (SAMPLE_LOGS / robot / name).read_bytes()
        if not name.endswith(BY_LIBRARIES):
            assert data == kept, name


def test_broken_logs_are_made_from_the_good_one():
    kept = ("good.csv", "b48_first.csv", "good_motion.csv")
    base = Base(*(read_csv(BROKEN / name) for name in kept))
    found, again = cases(base), cases(base)
    for case, other in zip(found, again, strict=True):
        for name, data in case.contents().items():
            assert data == other.contents()[name], name
            if not name.endswith(BY_LIBRARIES):
                assert data == (BROKEN / name).read_bytes(), name
    tables = "\n".join(case.toml() for case in found)
    assert (BROKEN / "expected.toml").read_text(encoding="utf-8").endswith(tables)


def test_the_pendulum_is_what_the_script_makes(tmp_path):
    """Six decimals are written; another processor may round the last one differently."""
    make_pendulum(tmp_path)
    folder = SAMPLE_LOGS / "pendulum"
    for log in folder.glob("*.csv"):
        made = np.loadtxt(tmp_path / log.name, delimiter=",", skiprows=1)
        kept = np.loadtxt(log, delimiter=",", skiprows=1)
        np.testing.assert_allclose(made, kept, atol=2e-6)
    assert json.loads((tmp_path / "truth.json").read_text()) == pytest.approx(
        json.loads((folder / "truth.json").read_text())
    )


def test_check_names_what_differs(tmp_path, monkeypatch, capsys):
    import generate

    def make(folder):
        for name, data in (("a.csv", "1"), ("b.csv", "2")):
            (folder / name).write_text(data)

    monkeypatch.setattr(generate, "FOLDERS", {"x": make})
    monkeypatch.setattr(generate, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    (tmp_path / "x").mkdir()
    make(tmp_path / "x")
    assert generate.main() == 0
    (tmp_path / "x" / "a.csv").write_text("3")
    (tmp_path / "x" / "b.csv").rename(tmp_path / "x" / "c.csv")
    assert generate.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "all as made",
        "x/b.csv: missing",
        "x/c.csv: not made by this script",
        "x/a.csv: differs",
    ]


@pytest.mark.skipif("ROBOTID_SAMPLE_LOGS" not in os.environ, reason="ROBOTID_SAMPLE_LOGS not set")
def test_all_are_made_again_byte_for_byte():
    answer = subprocess.run(
        [sys.executable, SAMPLE_LOGS / "generate.py", "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (answer.returncode, answer.stdout) == (0, "all as made\n"), answer.stderr
