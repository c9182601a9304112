"""Payloads and drive gains through the command line; torques are Pinocchio's."""

import json
from pathlib import Path

import numpy as np
import pytest

from robotid.contracts.fit import read_fit
from robotid.contracts.recording import read_recording
from robotid.fitting.load import load_frame
from robotid.identification.tables import disowned
from robotid.information.layout import Layout
from robotid.robot.geometry import phi_from
from robotid.robot.load import load_robot
from tests.fitting.problems import pinocchio_torques
from tests.identification.conftest import ARM
from tests.information.motions import harmonics

TREE = load_robot(ARM / "arm.urdf").tree
CENTRE, SIX = (0.02, -0.03, 0.1), (4e-3, 5e-3, 3e-3, 2e-4, -3e-4, 4e-4)  # xx yy zz xy xz yz
MASS, RATE_HZ, SAMPLES = 0.8, 200.0, 6000
GAINS = np.array([12.0, 9.0, -4.0])


def heavier():
    xx, yy, zz, xy, xz, yz = SIX
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    load = load_frame(Layout(TREE)).columns @ phi_from(MASS, list(CENTRE), inertia)
    return TREE.with_phi(TREE.phi + load.reshape(-1, 10))


def log(path: Path, tree, seed, scale=1.0, noise=0.01, signal="tau"):
    """A CSV of a smooth motion with viscous friction, and noise of the torque."""
    motion = harmonics(TREE, SAMPLES, 1.0, seed, rate_hz=RATE_HZ)
    tau = pinocchio_torques(tree, motion) + 0.4 * motion.qd
    tau = (tau + noise * np.random.default_rng(seed).normal(size=tau.shape)) / scale
    names = [f"{s}.{j}" for s in ("q", "qd", signal) for j in TREE.joint_names]
    table = np.column_stack([np.arange(SAMPLES) / RATE_HZ, motion.q, motion.qd, tau])
    header = ",".join(["t", *names])
    np.savetxt(path, table, delimiter=",", header=header, comments="", fmt="%.10g")
    return path


@pytest.fixture
def dataset(robotid, tmp_path):
    """From CSV files to a filtered dataset."""

    def make(name, logs, *flags):
        raw, out = tmp_path / f"{name}_raw", tmp_path / name
        robot = ARM / "arm.urdf"
        assert robotid("ingest", *logs, "--robot", robot, "-o", raw, *flags).code in (0, 3)
        assert robotid("filter", raw, "--cutoff-hz", 15, "-o", out).code == 0
        return out

    return make


def test_payload_of_a_fit(robotid, dataset, tmp_path):
    """Mass, centre of mass and inertia of what was tied to the last link, within their intervals."""
    robot = ARM / "arm.urdf"
    bare = dataset("bare", [log(tmp_path / f"bare{n}.csv", TREE, n) for n in (1, 2)])
    laden = dataset("laden", [log(tmp_path / f"laden{n}.csv", heavier(), n) for n in (3, 4)])
    before = tmp_path / "before"
    assert robotid("fit", bare, "--robot", robot, "-o", before).code == 0
    answer = robotid(
        "fit", laden, "--robot", robot, "--payload-of", before, "-o", tmp_path / "after"
    )
    assert answer.code == 0, answer.err
    other = robotid(
        "fit", laden, "--robot", robot, "--terms", "viscous", "--payload-of", before, "--json"
    )
    assert (other.code, other.json["error"]["code"]) == (65, "base-differs")
    assert "--terms viscous,coulomb,offset,rotor" in other.json["error"]["hint"]
    flags = ("fit", laden, "--robot", robot, "--payload-of", before, "--json")
    other = robotid(*flags, "--anew", "coulomb,stribeck")
    assert (other.code, other.json["error"]["code"]) == (78, "key-without-effect")
    assert "no joint of the fit without load has a term stribeck" in other.json["error"]["message"]
    other = robotid(*flags, "--model", "wls")
    assert (other.code, other.json["error"]["code"]) == (78, "key-without-effect")
    found = read_fit(tmp_path / "after").payload
    assert found.frame == "forearm"
    value, lower, upper = found.mass
    assert value == pytest.approx(MASS, rel=0.01)
    assert lower < MASS < upper
    for (value, lower, upper), true in zip(found.centre, CENTRE, strict=True):
        assert value == pytest.approx(true, abs=2e-3)
        assert lower < true < upper
    result = read_fit(tmp_path / "after")
    assert result.metrics["test"]["rmse"].mean < 0.1 * (
        result.baselines["unloaded"]["test"]["rmse"].mean
    )
    assert "identified" in found.statuses.values()
    assert "not vouched for" in disowned(result).payload.statuses.values()
    assert "identified" not in disowned(result).payload.statuses.values()
    assert list(result.data) == ["laden3", "laden4"]
    assert "--payload-of UNLOADED_FIT" in result.provenance.commands[-1]
    assert set(result.provenance.inputs) == {"dataset", "robot", "factors", "payload_of"}
    bare_ranges = read_fit(before).ranges
    for joint, own in result.ranges.items():  # the robot itself is known from the bare one
        assert own.q[0] <= bare_ranges[joint].q[0] < bare_ranges[joint].q[1] <= own.q[1]
    out = tmp_path / "export"
    assert robotid("export", tmp_path / "after", "--format", "payload", "-o", out).code == 0
    stated = json.loads(next(out.glob("*payload*.json")).read_text())
    assert str(found.mass[0]) in json.dumps(stated)


def test_loads_that_are_refused(robotid, dataset, tmp_path):
    """Of a robot with a load already, at another link, at no link; widths are those of before."""
    robot = ARM / "arm.urdf"
    bare = dataset("bare", [log(tmp_path / "bare.csv", TREE, 1)])
    laden = dataset("laden", [log(tmp_path / "laden.csv", heavier(), 3)])
    before, after = tmp_path / "before", tmp_path / "after"
    flags = ["--robot", robot, "--terms"]
    assert robotid("fit", bare, *flags, "viscous,coulomb(0.2),offset", "-o", before).code == 0
    flags += ["viscous,coulomb(0.001,0.2),offset", "--payload-of", before]
    answer = robotid("fit", laden, *flags, "-o", after)
    assert answer.code == 0, answer.err
    assert "Load at forearm: 0.80" in answer.err
    assert "±" in answer.err
    assert "load-included" in answer.err
    assert read_fit(after).terms.terms == ["viscous", "coulomb(0.2)", "offset"]
    twice = robotid("fit", laden, *flags[:-1], after, "--json")
    assert (twice.code, twice.json["error"]["code"]) == (65, "base-carries-load")
    nowhere = robotid("fit", laden, *flags, "--load-link", "forarm", "--json")
    assert (nowhere.code, nowhere.json["error"]["code"]) == (78, "unknown-link")
    assert "load_link: robot arm has no link" in nowhere.json["error"]["message"]
    wrong = robotid("fit", laden, *flags, "--load-link", TREE.links[1], "--json")
    assert wrong.code == 4
    found = read_fit(Path(wrong.json["outputs"]["fit"]))
    assert not found.verdict.usable
    reason = found.verdict.reasons[0]
    assert reason.code == "load-elsewhere"
    assert reason.hint.endswith("give load_link forearm")
    assert "identified" not in found.payload.statuses.values()
    export = robotid("export", wrong.json["outputs"]["fit"], "-o", tmp_path / "out", "--json")
    assert (export.code, export.json["error"]["code"]) == (65, "fit-not-usable")


def test_gains_of_drives(robotid, dataset, tmp_path):
    """Currents become torques with the gains that a load of known mass shows."""
    robot = ARM / "arm.urdf"
    logs = [log(tmp_path / f"bare{n}.csv", TREE, n, GAINS, signal="current") for n in (1, 2)]
    logs += [log(tmp_path / "laden.csv", heavier(), 3, GAINS, signal="current")]
    data = dataset("currents", logs, "--test", "bare2")
    flags = ["--robot", robot, "--torque", "current", "--terms", "viscous,offset"]
    answer = robotid("fit", data, *flags, "--json")
    assert (answer.code, answer.json["error"]["code"]) == (78, "current-as-torque")
    load = ",".join(map(str, (MASS, *CENTRE, *SIX)))
    answer = robotid("fit", data, *flags, "--loaded", "*", "--load", load, "--json")
    assert (answer.code, answer.json["error"]["code"]) == (78, "all-loaded")
    assert "bare1" in answer.json["error"]["hint"]
    out = tmp_path / "fit"
    answer = robotid("fit", data, *flags, "--loaded", "laden", "--load", load, "-o", out)
    assert answer.code == 0, answer.err
    result = read_fit(out)
    assert [gain.joint for gain in result.gains] == list(TREE.joint_names)
    np.testing.assert_allclose([gain.value for gain in result.gains], GAINS, rtol=0.02)
    viscous = {p.owner: p.value for p in result.parameters if p.name.endswith(".viscous")}
    np.testing.assert_allclose(list(viscous.values()), 0.4, rtol=0.03)
    assert result.metrics["test"]["relative"].mean < 0.05
    assert result.recordings == {"bare1": "train", "bare2": "test"}
    assert not (out / "training.safetensors").exists()  # gains are part of its numbers
    assert all(facts.white for facts in result.whiteness.values())
    currents, _ = read_recording(data / "bare1.parquet")
    for gain in result.gains:  # one of them is negative
        tau = gain.value * currents[f"current.{gain.joint}"]
        assert result.ranges[gain.joint].tau == pytest.approx((tau.min(), tau.max()), rel=1e-12)
