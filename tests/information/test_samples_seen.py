"""What factors keep of samples is what reading them again would give, bit for bit."""

import numpy as np
import pytest

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.factors import MIDDLE
from robotid.contracts.forces import Forces
from robotid.contracts.recording import read_recording, write_recording
from robotid.evaluation.excerpts import excerpt
from robotid.information.layout import Layout
from robotid.information.recording import factor_recording
from robotid.information.samples import SampleReader, coordinates, samples_of
from robotid.robot.load import load_robot
from tests.floating import simulated, true_recordings

FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
KINDS = {
    "all": Forces(),
    "base": Forces(kind="base"),
    "projected": Forces(kind="projected", links=FEET),
}


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """One recording of a quadruped with temperatures of some joints: its folder and facts."""
    folder = tmp_path_factory.mktemp("walked")
    found = simulated("quadruped", duration_s=25.0, rate_hz=100.0, recordings=1)
    (path,) = true_recordings(folder, found).values()
    columns, facts = read_recording(path)
    for joint in found.robot.joint_names[:3]:
        columns[f"temperature.{joint}"] = 30.0 + np.arange(facts.samples) * 1e-3
    (folder / "warm").mkdir()
    write_recording(folder / "warm", columns, facts)
    (folder / "warm" / "recording.parquet").rename(folder / "run.parquet")
    return folder, facts


@pytest.mark.parametrize("kind", KINDS)
def test_an_excerpt_is_the_same_without_the_recording(walked, tmp_path, kind):
    """Also where the recording is gone: it is not opened."""
    folder, facts = walked
    robot, forces = load_robot("quadruped").tree, KINDS[kind]
    _, made = factor_recording(folder / "run.parquet", Layout(robot, forces=forces))
    assert facts.samples > MIDDLE
    index = DatasetIndex(joints=facts.joints, recordings={"run": facts}, splits={"run": "train"})

    def predict(q, qd, qdd):
        return 0.5 * qd + qdd

    options = {"forces": forces, "most": 1500}
    read = excerpt(folder, index, robot, predict, **options)
    known = {"run": lambda: made.middle}
    kept = excerpt(tmp_path, index, robot, predict, **options, middles=known)
    assert read.joints == kept.joints
    assert sum(window.t.size for window in read.windows) == 1500
    for ours, theirs in zip(kept.windows, read.windows, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    assert np.isfinite(kept.windows[0].temperature).sum() == (1500 * 3 if kind != "base" else 0)


@pytest.mark.parametrize("kind", KINDS)
def test_extremes_are_those_of_all_samples(walked, tmp_path, kind):
    """Of the base from generalised samples, of joints from what was measured."""
    folder, facts = walked
    robot, forces = load_robot("quadruped").tree, KINDS[kind]
    columns, _ = read_recording(folder / "run.parquet")
    if kind == "base":  # whose rows need no torques of joints
        columns = {name: x for name, x in columns.items() if not name.startswith("tau.")}
    write_recording(tmp_path, columns, facts)
    path = tmp_path / "recording.parquet"
    _, made = factor_recording(path, Layout(robot, forces=forces))
    low, high = made.extremes[..., 0].min(axis=0), made.extremes[..., 1].max(axis=0)
    signals = np.hstack([own for _, own in SampleReader(path, robot, forces=forces).batches()])
    q, *others = samples_of(robot, signals)
    for place, values in enumerate((coordinates(robot, q), *others[:2])):
        own = slice(place * robot.nv, (place + 1) * robot.nv)
        np.testing.assert_array_equal(low[own], values.min(axis=0))
        np.testing.assert_array_equal(high[own], values.max(axis=0))
    np.testing.assert_array_equal(low[-robot.nv :][:6], others[2][:, :6].min(axis=0))
    for place, joint in enumerate(robot.joint_names):
        measured = columns.get(f"tau.{joint}", np.array([np.nan]))
        np.testing.assert_array_equal(low[-robot.n + place], measured.min())
        np.testing.assert_array_equal(high[-robot.n + place], measured.max())
