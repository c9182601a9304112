"""A fit says how to make it again, and doing so gives the same bytes."""

import shlex

import pytest

from robotid import __version__
from robotid.contracts.dataset import MadeBy, read_index
from robotid.contracts.fit import read_fit
from robotid.identification.provenance import provenance
from tests.identification.conftest import ARM

LOGS = [ARM / "run1.csv", ARM / "run2.csv"]
ROBOT = ARM / "arm.urdf"
PIPELINE = f"""
[stages.ingest]
inputs.logs = ["{LOGS[0]}", "{LOGS[1]}"]
inputs.robot = "{ROBOT}"
test = ["run2"]
exclude = ["0:0.5"]
gravity = "-0.0,0,-9.81"

[stages.ingest.columns]
joints = ["base", "shoulder", "elbow"]
time.column = "t"
time.unit = "s"
q.columns = "q.{{joint}}"
qd.columns = "qd.{{joint}}"
tau.columns = "tau.{{joint}}"

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 10
average_periods = false
rate_hz = 50.0

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "{ROBOT}"
gravity = "-0.0,0,-9.81"
model = "wls"
terms = ["viscous", "coulomb(0.02,0.05)", "offset"]
joint_terms = ["base=viscous,offset"]
essential = true
max_rmse = 50.0
"""
MAP = """
joints = ["base", "shoulder", "elbow"]
time.column = "t"
time.unit = "s"
q.columns = "q.{joint}"
qd.columns = "qd.{joint}"
tau.columns = "tau.{joint}"
"""


def done_again(robotid, commands, places, cache):
    """Run commands with real files in the place of the words that stand for them."""
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "robotid"
        told = [real for word in words for real in places.get(word, [word])]
        answer = robotid(*told, "--cache-dir", cache)
        assert answer.code in (0, 3, 4), answer.err


def test_commands_of_a_fit_give_the_same_bytes(robotid, tmp_path):
    """From the logs, in another cache, with a map as a file instead of a table."""
    (tmp_path / "p.toml").write_text(PIPELINE)
    answer = robotid("run", tmp_path / "p.toml", "--out", tmp_path / "first")
    assert answer.code in (0, 4), answer.err
    first = tmp_path / "first" / "fit"
    found = read_fit(first).provenance
    assert [command.split()[1] for command in found.commands] == ["ingest", "filter", "fit"]
    assert list(found.placeholders) == ["LOGS", "MAP", "ROBOT", "DATASET", "FILTERED", "FIT"]
    (tmp_path / "log.map.toml").write_text(MAP)
    places = {word: [tmp_path / word] for word in ("DATASET", "FILTERED", "FIT")}
    places |= {"LOGS": LOGS, "ROBOT": [ROBOT], "MAP": [tmp_path / "log.map.toml"]}
    done_again(robotid, found.commands, places, tmp_path / "cache")
    for path in sorted(first.iterdir()):
        assert (tmp_path / "FIT" / path.name).read_bytes() == path.read_bytes(), path.name


def test_datasets_say_how_they_were_made(arm):
    ingested, filtered = read_index(arm.dataset).made_by
    assert (ingested.stage, ingested.options, list(ingested.inputs)) == ("ingest", {}, ["robot"])
    assert filtered == MadeBy(stage="filter", options={"cutoff_hz": 10.0})


def test_what_went_in_and_what_computed(robotid, arm, tmp_path):
    out = tmp_path / "fit"
    assert robotid("fit", arm.dataset, "--robot", ROBOT, "--model", "wls", "-o", out).code == 0
    found = read_fit(out).provenance
    assert set(found.inputs) == {"dataset", "robot", "factors"}
    assert all(len(digest) == 64 for own in found.inputs.values() for digest in own)
    assert next(iter(found.libraries.items())) == ("robotid", __version__)
    assert found.libraries["numpy"].startswith("2.")
    assert {"python", "clarabel", "torch", "pyarrow"} <= set(found.libraries)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"joint_terms": ["a b=viscous"]}, "'--joint-terms=a b=viscous'"),
        ({"gravity": "-1,0,0", "cv": 3}, "--gravity=-1,0,0 --cv=3"),
        ({"essential": True, "full_rank": False}, "--essential --no-full-rank"),
        ({"centre": ["$(x)=1", "y=2"]}, "'--centre=$(x)=1' --centre=y=2"),
        ({"terms": []}, "--terms="),
    ],
    ids=str,
)
def test_options_are_flags_that_no_shell_takes_for_something_else(options, said):
    made = [MadeBy(stage="ingest", inputs={"robot": ["other"]}), MadeBy(stage="filter")]
    inputs = {"dataset": ["d"], "robot": ["r"], "payload_of": ["p"]}
    ingest, filtered, fit = provenance(made, options, inputs, {}).commands
    assert ingest == "robotid ingest LOGS --robot ROBOT_OF_LOGS --out DATASET"
    assert filtered == "robotid filter DATASET --out FILTERED"
    start = "robotid fit FILTERED --robot ROBOT --payload-of UNLOADED_FIT"
    assert fit == f"{start} {said} --out FIT"


def test_a_dataset_that_does_not_say_how_it_was_made():
    found = provenance([], {}, {"dataset": ["d"], "robot": ["r"]}, {})
    assert found.commands == ["robotid fit FILTERED --robot ROBOT --out FIT"]
    assert list(found.placeholders) == ["FILTERED", "ROBOT", "FIT"]


def test_words_in_commands_are_explained():
    """Every word in capitals, and which file it is where there are two of a kind."""
    made = [
        MadeBy(stage="ingest", options={"columns": {}}, inputs={"robot": ["a" * 64]}),
        MadeBy(stage="filter"),
    ]
    inputs = {"dataset": ["d" * 64], "robot": ["b" * 64], "payload_of": ["c" * 64]}
    found = provenance(made, {}, inputs, {})
    words = {word for command in found.commands for word in shlex.split(command) if word.isupper()}
    assert words == set(found.placeholders)
    for word, digit in (("ROBOT", "b"), ("ROBOT_OF_LOGS", "a"), ("UNLOADED_FIT", "c")):
        assert found.placeholders[word].endswith(f"with digest {digit * 12}")
    assert "dataset.json" in found.placeholders["MAP"]
