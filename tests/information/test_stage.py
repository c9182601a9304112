"""`robotid factors` from logs to factors, as a user calls it."""

import json
import os
import shutil

import numpy as np
import pytest

from robotid.contracts.factors import read_index
from robotid.contracts.recording import read_recording, write_recording
from robotid.errors import BadDataError
from robotid.information.factor import merge
from robotid.information.layout import TERMS, Layout, geometry_digest
from robotid.information.locked import moving_locks
from robotid.information.on_file import FactorsOnFile, Held, samples_in, stacks
from robotid.information.recording import factor_recording, layout_of, load_factors
from robotid.information.reference import reference_factors
from robotid.information.regressor import dense_regressor
from robotid.information.system import assemble
from robotid.robot.load import load_robot
from tests.conftest import run_process
from tests.information.motions import harmonics
from tests.reference_models import random_tree

RATE_HZ = 250.0
URDF = """<robot name="two">
  <link name="base"/>
  {links}
</robot>"""
LINK = """<joint name="{joint}" type="{kind}"><parent link="{parent}"/><child link="{link}"/>
  <origin xyz="0 0.1 0.3" rpy="0.4 0 0.2"/><axis xyz="{axis}"/>
  <limit effort="9" velocity="9" lower="-9" upper="9"/></joint>
<link name="{link}"><inertial><mass value="1.5"/><origin xyz="0.1 0 0.05"/>
  <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.01"/></inertial></link>"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A robot file and three logs, ingested and filtered."""
    folder = tmp_path_factory.mktemp("project")
    links = LINK.format(joint="swing", kind="revolute", parent="base", link="arm", axis="0 1 0")
    links += LINK.format(joint="slide", kind="prismatic", parent="arm", link="hand", axis="1 0 0")
    (folder / "two.urdf").write_text(URDF.format(links=links))
    robot = load_robot(folder / "two.urdf").tree
    logs = [folder / f"run{seed}.csv" for seed in range(3)]
    for seed, log in enumerate(logs):
        write_log(log, robot, seed)
    env = {**os.environ, "ROBOTID_CACHE_DIR": str(folder / "cache")}
    for command in (
        ["ingest", *logs, "--out", folder / "raw"],
        ["filter", folder / "raw", "--out", folder / "dataset"],
    ):
        answer = run_process(*command, env=env)
        assert answer.code == 0, answer.err
    return folder


@pytest.fixture
def dataset(project):
    return project / "dataset"


@pytest.fixture
def robot_file(project, tmp_path):
    """One's own copy."""
    return shutil.copy(project / "two.urdf", tmp_path / "two.urdf")


def write_log(path, robot, seed, seconds=14.0):
    """A CSV of the robot moving; its joints in another order than the robot's."""
    motion = harmonics(robot, int(seconds * RATE_HZ), 0.3, seed, RATE_HZ)
    tau = dense_regressor(robot, *motion) @ robot.phi.ravel() + 0.2 * motion.qd
    tau += np.random.default_rng(seed).normal(size=tau.shape) * 0.01
    columns = {"t": np.arange(len(tau)) / RATE_HZ}
    for j in reversed(range(robot.n)):
        for signal, values in (("q", motion.q), ("qd", motion.qd), ("tau", tau)):
            columns[f"{signal}.{robot.joint_names[j]}"] = values[:, j]
    np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", fmt="%.9g",
               header=",".join(columns), comments="")  # fmt: skip


def test_from_dataset_to_factors(robotid, dataset, robot_file, tmp_path):
    out = tmp_path / "factors"
    answer = robotid("factors", dataset, "--robot", robot_file, "--out", out, "--json")
    assert answer.code == 0, answer.err
    index = read_index(out)
    assert list(index.recordings) == ["run0", "run1", "run2"]
    assert index.splits == {"run0": "train", "run1": "train", "run2": "test"}
    assert [row.name for row in index.about.rows] == ["swing", "slide"]
    assert index.about.parameters[:2] == ["arm.m", "arm.hx"]
    layout = Layout(load_robot(robot_file).tree, TERMS)
    training = []
    for name in ("run0", "run1"):
        columns, facts = read_recording(dataset / f"{name}.parquet")
        q, qd, qdd, tau = (
            np.column_stack([columns[f"{signal}.{joint}"] for joint in ("swing", "slide")])
            for signal in ("q", "qd", "qdd", "tau")
        )
        found, blocks = load_factors(out / f"{name}.safetensors")
        assert found == index.recordings[name]
        assert sum(block.samples for block in found.blocks) == facts.samples == len(q)
        assert found.blocks[0].start_s == columns["t"][0] / 1e9
        assert found.blocks[-1].end_s == columns["t"][-1] / 1e9
        phi = np.random.default_rng(0).normal(size=layout.parameters)
        for row, expected in enumerate(reference_factors(layout, q, qd, qdd, tau)):
            merged = merge([block[row] for block in blocks])
            assert merged.loss(phi) == pytest.approx(expected.loss(phi), rel=1e-9)
            assert merged.total == pytest.approx(expected.total, rel=1e-9)
        training += [factor for block in blocks for factor in block]
    # The friction that made the logs is found again, from the factors alone.
    names = index.about.parameters
    kept = [names.index(name) for name in (
        "arm.hx", "arm.hz", "arm.Iyy", "hand.m", "hand.hx", "hand.hz", "swing.viscous",
        "slide.viscous")]  # fmt: skip
    fit = assemble(training, len(names)).restricted(kept).solution()
    assert fit[-2:] == pytest.approx([0.2, 0.2], rel=0.05)


def test_factors_that_stay_on_disk(robotid, dataset, robot_file, tmp_path):
    """Single blocks, all together and stacked are those that a file holds, in any order of asking."""
    out = tmp_path / "factors"
    assert robotid("factors", dataset, "--robot", robot_file, "--out", out).code == 0
    held = Held()
    paths = [out / f"{name}.safetensors" for name in ("run0", "run1")]
    files = [FactorsOnFile(path, held) for path in paths]
    for path, file in [*zip(paths, files, strict=True)] * 2:
        facts, blocks = load_factors(path)
        on_file = file.blocks
        assert [samples_in(block) for block in on_file] == [one.samples for one in facts.blocks]
        for place in (len(blocks) - 1, 0):
            for found, expected in zip(on_file[place], blocks[place], strict=True):
                assert found.same_columns(expected)
                np.testing.assert_array_equal(found.R, expected.R)
                for name in ("count", "total", "lowest", "highest"):
                    assert getattr(found, name) == getattr(expected, name)
        for row, found in enumerate(file.whole):
            together = merge([block[row] for block in blocks])
            np.testing.assert_allclose(found.R, together.R, rtol=1e-9, atol=1e-9)
            assert (found.count, found.lowest, found.highest) == (
                together.count, together.lowest, together.highest)  # fmt: skip
        some = [1, 3, 2]
        for kind in (on_file, blocks):
            for row, stack in enumerate(stacks([kind[place] for place in some])):
                np.testing.assert_array_equal(stack.R, [blocks[place][row].R for place in some])
                np.testing.assert_array_equal(stack.counts, [blocks[n][row].count for n in some])
                np.testing.assert_array_equal(stack.expansion, blocks[0][row].expansion)
    mixed = stacks([files[0].blocks[0], files[1].blocks[0]])  # of two recordings
    np.testing.assert_array_equal(mixed[0].R[1], files[1].blocks[0][0].R)


def test_a_new_recording_costs_one_recording(robotid, project, dataset, robot_file, tmp_path):
    command = ["factors", "--robot", robot_file, "--json"]
    assert robotid(*command, dataset, "--verbose").json["cached"] is False
    assert robotid(*command, dataset).json["cached"] is True
    write_log(tmp_path / "run3.csv", load_robot(robot_file).tree, 3)
    logs = [*sorted(project.glob("run*.csv")), tmp_path / "run3.csv"]
    robotid("ingest", *logs, "--out", tmp_path / "raw4")
    robotid("filter", tmp_path / "raw4", "--out", tmp_path / "more")
    answer = robotid(*command, tmp_path / "more", "--verbose")
    assert answer.code == 0
    runs = [line for line in answer.err.splitlines() if "factors[run" in line]
    assert any("run3" in line for line in runs)
    assert not any(name in line for line in runs for name in ("run0", "run1", "run2"))


@pytest.fixture
def single(robotid, project, tmp_path):
    """A dataset of one recording, as short as that of a user who lost the test to one block."""

    def make(*flags):
        log = tmp_path / "short.csv"
        write_log(log, load_robot(project / "two.urdf").tree, 1, seconds=3.2)
        answer = robotid("ingest", log, "--out", tmp_path / "raw")
        assert answer.code == 0, answer.err
        out = tmp_path / "cut"
        answer = robotid(
            "filter", tmp_path / "raw", "--cutoff-hz", 40, "--force", "--out", out, *flags
        )
        assert answer.code == 0, answer.err
        return out

    return make


def test_n22_blocks_end_where_a_recording_was_cut(robotid, single, robot_file, tmp_path):
    """Every sample of a stretch is in a block of that stretch, so none is lost to the test."""
    dataset = single()
    out = tmp_path / "factors"
    assert robotid("factors", dataset, "--robot", robot_file, "--out", out).code == 0
    index = read_index(out)
    t = read_recording(dataset / "short.parquet")[0]["t"] / 1e9
    blocks = index.recordings["short"].blocks
    assert sum(block.samples for block in blocks) == t.size
    for part in index.intervals["short"]:
        inside = [b for b in blocks if part.start_s <= b.start_s and b.end_s <= part.end_s]
        wanted = np.count_nonzero((t >= part.start_s) & (t <= part.end_s))
        assert sum(block.samples for block in inside) == wanted > 0


def test_another_cut_computes_the_factors_of_that_recording_again(
    robotid, project, single, robot_file, tmp_path
):
    command = ["factors", "--robot", robot_file, "--json", "--force", "--out", tmp_path / "factors"]
    for flags in ((), ("--hold-out", "0.3"), ("--hold-out", "0")):
        dataset = single(*flags)
        assert robotid(*command, dataset).json["cached"] is False
        index = read_index(tmp_path / "factors")
        wanted = json.loads((dataset / "dataset.json").read_text())["intervals"]
        assert {n: [x.model_dump() for x in own] for n, own in index.intervals.items()} == wanted
        assert (dataset / "short.cut.json").exists() == bool(wanted)
        edges = {b.start_s for b in index.recordings["short"].blocks}
        for part in wanted.get("short", []):
            assert min(x for x in edges if x >= part["start_s"]) - part["start_s"] < 2 / RATE_HZ


def test_same_bytes_again_and_with_other_jobs(robotid, dataset, robot_file, tmp_path, monkeypatch):
    outs = []
    for jobs in (1, 2):
        out = tmp_path / f"out{jobs}"
        monkeypatch.setenv("ROBOTID_CACHE_DIR", str(tmp_path / f"cache{jobs}"))
        assert (
            robotid("factors", dataset, "--robot", robot_file, "--out", out, "-j", jobs).code == 0
        )
        outs.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert outs[0].keys() == outs[1].keys()
    for name, data in outs[0].items():
        assert data == outs[1][name], name


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('joint name="swing"', 'joint name="elbow"'), ["unknown-joint", "'swing'", "two"]),
        (('joint name="slide"', 'joint name="slid"'), ["unknown-joint", "did you mean 'slid'"]),
    ],
)
def test_joints_that_do_not_match(robotid, dataset, robot_file, change, says):
    robot_file.write_text(robot_file.read_text().replace(*change))
    answer = robotid("factors", dataset, "--robot", robot_file)
    assert answer.code == 65
    for word in says:
        assert word in answer.err


def test_recordings_that_lack_something(robotid, project, dataset, robot_file):
    answer = robotid("factors", project / "raw", "--robot", robot_file)
    assert answer.code == 65
    assert "no qdd.swing" in answer.err
    assert "filter the dataset first; of swing it has q, qd, tau" in answer.err
    answer = robotid("factors", dataset, "--robot", robot_file, "--torque", "current")
    assert (answer.code, "no current.swing" in answer.err) == (65, True)
    assert "torque can be tau" in answer.err
    answer = robotid("factors", dataset, "--robot", "double_pendulum")
    assert (answer.code, "not in robot" in answer.err) == (65, True)
    answer = robotid("factors", dataset, "--robot", "quadruped")
    assert (answer.code, "not in robot quadruped" in answer.err) == (65, True)
    answer = robotid("factors", dataset, "--robot", robot_file, "--terms", "viscos")
    assert (answer.code, "did you mean 'viscous'" in answer.err) == (78, True)


def test_missing_joint_names_both(robot_file, dataset):
    robot = random_tree(0, bodies=3, floating=False)
    robot = Layout(robot.__class__(**{**robot.__dict__, "joints": tuple(
        joint._replace(name=name) for joint, name in zip(robot.joints, ("swing", "slide", "third"), strict=True)
    )}))  # fmt: skip
    with pytest.raises(BadDataError, match="'third' of robot tree0 is not in the recording"):
        factor_recording(dataset / "run0.parquet", robot)


def test_locked_joints_may_be_recorded(robotid, dataset, robot_file, tmp_path):
    out = tmp_path / "out"
    command = ["factors", dataset, "--robot", robot_file, "--out", out]
    answer = robotid(*command, "--lock", "slide=0.1", "--json")
    assert answer.code == 0
    moves = [x for x in answer.json["warnings"] if x["code"] == "locked-joint-moves"]
    assert len(moves) == 3
    assert "joint slide is locked at 0.1 and moves from -" in moves[0]["message"]
    index = read_index(out)
    assert [row.name for row in index.about.rows] == ["swing"]
    plain = load_robot(robot_file).tree
    locked = load_robot(robot_file, lock={"slide": 0.1}).tree
    assert index.about.geometry_sha256 == geometry_digest(locked) != geometry_digest(plain)
    assert geometry_digest(plain) == geometry_digest(plain.with_phi(2 * plain.phi))


def test_a_lock_elsewhere_is_told_from_a_joint_that_moves(tmp_path, dataset):
    columns, facts = read_recording(dataset / "run0.parquet")
    columns["q.slide"] = np.full_like(columns["q.slide"], 0.3)
    write_recording(tmp_path, columns, facts)
    path = tmp_path / "recording.parquet"
    assert moving_locks(path, {"slide": 0.301, "absent": 0.0}) == []
    (found,) = moving_locks(path, {"slide": 0.0})
    assert "stands at 0.3" in found.message
    assert "slide=0.3" in found.hint
    (found,) = moving_locks(path, {"swing": 0.0})
    assert "moves from" in found.message


def test_terms_are_chosen(robotid, dataset, robot_file, tmp_path):
    out = tmp_path / "out"
    answer = robotid("factors", dataset, "--robot", robot_file, "--out", out, "--terms",
                     "rotor,viscous")  # fmt: skip
    assert answer.code == 0, answer.err
    index = json.loads((out / "factors.json").read_text())
    assert index["about"]["terms"] == ["viscous", "rotor"]
    assert index["about"]["parameters"][-2:] == ["slide.viscous", "slide.rotor"]


def test_terms_of_single_joints_are_kept_in_the_facts(robotid, dataset, robot_file, tmp_path):
    """What was asked for is what the file says, and the layout comes back from it."""
    out = tmp_path / "out"
    command = ["factors", dataset, "--robot", robot_file, "--out", out]
    answer = robotid(
        *command, "--terms", "viscous,load", "--joint-terms",
        "slide=coulomb-held(0.01),stribeck(0.2,0.1,width=0.05)",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    about = read_index(out).about
    assert about.terms == ["viscous", "load"]
    assert about.joint_terms == {
        "slide": ["coulomb-held(0.01)", "stribeck(0.1,0.2,width=0.05)"],
    }
    assert about.parameters[20:] == [
        "swing.viscous", "swing.load", "slide.coulomb-held", "slide.stribeck(0.1)",
        "slide.stribeck(0.2)",
    ]  # fmt: skip
    robot = load_robot(robot_file).tree
    layout = layout_of(about, robot)
    assert layout.candidates[0].widths == (0.1, 0.2)
    columns, _ = read_recording(dataset / "run0.parquet")
    q, qd, qdd, tau = (
        np.column_stack([columns[f"{signal}.{joint}"] for joint in ("swing", "slide")])
        for signal in ("q", "qd", "qdd", "tau")
    )
    _, blocks = load_factors(out / "run0.safetensors")
    phi = np.random.default_rng(0).normal(size=layout.parameters)
    for row, expected in enumerate(reference_factors(layout, q, qd, qdd, tau)):
        merged = merge([block[row] for block in blocks])
        assert merged.loss(phi) == pytest.approx(expected.loss(phi), rel=1e-9)
    with pytest.raises(BadDataError, match="not those of this robot"):
        layout_of(about, robot.with_phi(2 * robot.phi))


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--joint-terms", "slid=viscous"), "did you mean 'slide'"),
        (("--joint-terms", "slide=viscos"), "did you mean 'viscous'"),
        (("--coupled", "swing+slide"), "do not both turn, or both slide"),
        (("--coupled", "swing+elbow"), "not the sum or difference of two joints"),
        (("--terms", "coulomb(0,1)"), "lies above zero"),
    ],
)
def test_terms_that_cannot_be(robotid, dataset, robot_file, flags, says):
    answer = robotid("factors", dataset, "--robot", robot_file, *flags)
    assert (answer.code, says in answer.err) == (78, True), answer.err


def test_n27_values_that_are_no_numbers_are_named(dataset, robot_file, tmp_path):
    from robotid.contracts.recording import write_recording

    columns, facts = read_recording(dataset / "run0.parquet")
    columns = {name: values.copy() for name, values in columns.items()}
    columns["tau.slide"][17] = np.nan
    folder = tmp_path / "bad"
    folder.mkdir()
    write_recording(folder, columns, facts)
    layout = Layout(load_robot(robot_file).tree)
    with pytest.raises(BadDataError, match=r"tau.slide has no finite value in row 17"):
        factor_recording(folder / "recording.parquet", layout)
    shutil.rmtree(folder)


def test_r03_factors_that_are_proven_are_not_checked_once_more(
    robotid, dataset, robot_file, tmp_path, monkeypatch
):
    """The runner has hashed them; what a user put together himself is checked here."""
    out = tmp_path / "factors"
    assert robotid("factors", dataset, "--robot", robot_file, "--out", out).code == 0
    path = out / "run0.safetensors"
    monkeypatch.setattr("robotid.contracts.factors.digest_of", lambda tensors: "another")
    with pytest.raises(BadDataError, match="not what was written"):
        FactorsOnFile(path, Held())
    proven = FactorsOnFile(path, Held(), proven=True)
    monkeypatch.undo()
    for found, expected in zip(proven.whole, FactorsOnFile(path, Held()).whole, strict=True):
        np.testing.assert_array_equal(found.R, expected.R)
        assert (found.count, found.total) == (expected.count, expected.total)
