"""`robotid predict`, as a user calls it, and its figures."""

import json
import resource
import subprocess
import sys

import numpy as np
import pytest

from robotid.contracts.dataset import write_index
from robotid.contracts.fit import Verdict
from robotid.contracts.predictions import read_predictions
from robotid.contracts.recording import (
    FilterFacts,
    Joint,
    RecordingFacts,
    read_recording,
    write_recording,
)
from robotid.errors import BadDataError
from robotid.evaluation.metrics import metrics_of_samples
from robotid.information import samples as sample_files
from robotid.models.from_fit import read_fitted
from robotid.models.prediction import ErrorSums, Predictor
from tests.exporting.fits import write_fit
from tests.information.motions import harmonics

RATE_HZ = 100.0


def recording(folder, model, seed=0, samples=700, leave_out=(), noise=0.1, more=()):
    """A filtered recording of a model that moves; its columns."""
    robot = model.layout.robot
    motion = harmonics(robot, samples, 0.3, seed, RATE_HZ)
    tau = model.torque(*motion)
    tau = tau + noise * np.random.default_rng(seed).normal(size=tau.shape)
    columns = {"t": (np.arange(samples) * 1e9 / RATE_HZ).astype(np.int64)}
    for signal, values in zip(("q", "qd", "qdd", "tau"), (*motion, tau), strict=True):
        for number, joint in enumerate(robot.joint_names):
            columns[f"{signal}.{joint}"] = np.ascontiguousarray(values[:, number])
    columns = {name: values for name, values in columns.items() if name not in leave_out}
    facts = RecordingFacts(
        joints=[Joint(name=name) for name in (*reversed(robot.joint_names), *more)],
        source_sha256="0" * 64,
        rate_hz=RATE_HZ,
        duration_s=samples / RATE_HZ,
        samples=samples,
        filter=FilterFacts(cutoff_hz=5, order=4, memory_s=0.1, trimmed=0),
    )
    folder.mkdir(parents=True, exist_ok=True)
    write_recording(folder, columns, facts)
    return columns, facts


def dataset(folder, model, count=2, **options):
    found = {}
    for number in range(count):
        name = f"run{number}"
        columns, facts = recording(folder, model, seed=number, **options)
        (folder / "recording.parquet").rename(folder / f"{name}.parquet")
        (folder / "recording.json").unlink()
        found[name] = columns, facts
    splits = {name: "train" if name == "run0" else "test" for name in found}
    write_index(folder, {name: facts for name, (_, facts) in found.items()}, splits)
    return {name: columns for name, (columns, _) in found.items()}


def test_predictions_and_errors(robotid, tmp_path):
    fit = write_fit(tmp_path / "fit", "ur10")
    model = read_fitted(fit).model
    recorded = dataset(tmp_path / "dataset", model)
    out = tmp_path / "out"
    answer = robotid("predict", fit, tmp_path / "dataset", "--out", out, "--json")
    assert answer.code == 0, answer.err
    index = read_predictions(out)
    assert index.joints == list(model.layout.robot.joint_names)
    assert index.splits == {"run0": "train", "run1": "test"}
    for name, columns in recorded.items():
        found, facts = read_recording(out / f"{name}.parquet")
        assert facts.rate_hz == RATE_HZ
        np.testing.assert_array_equal(found["t"], columns["t"])
        joints = index.joints
        motion = [
            np.column_stack([columns[f"{s}.{j}"] for j in joints]) for s in ("q", "qd", "qdd")
        ]
        wanted = model.torque(*motion)
        for number, joint in enumerate(joints):
            np.testing.assert_allclose(found[f"tau_pred.{joint}"], wanted[:, number], rtol=1e-12)
            np.testing.assert_array_equal(found[f"tau.{joint}"], columns[f"tau.{joint}"])
            said = index.recordings[name].errors[joint].model_dump()
            tau = columns[f"tau.{joint}"]
            expected = metrics_of_samples(tau, wanted[:, number], float(np.ptp(tau)))
            assert (
                said.pop("nmse_range") is None
            )  # this fit does not say in what range it was trained
            for metric in expected.keys() & said.keys():
                assert said[metric] == pytest.approx(expected[metric], rel=1e-9), metric
            assert said["rmse"] == pytest.approx(0.1, rel=0.2)
    assert robotid("predict", fit, tmp_path / "dataset", "--json").json["cached"] is True


def test_without_measured_torque(tmp_path):
    """Of one joint, or of all."""
    model = read_fitted(write_fit(tmp_path / "fit", "furuta")).model
    first, second = model.layout.robot.joint_names
    recording(tmp_path / "a", model, leave_out=[f"tau.{first}"])
    predictor = Predictor(model, tmp_path / "a" / "recording.parquet")
    assert f"tau.{second}" in next(predictor.batches())
    assert predictor.errors()[first] is None
    assert predictor.errors()[second].rmse == pytest.approx(0.1, rel=0.2)
    recording(tmp_path / "b", model, leave_out=[f"tau.{first}", f"tau.{second}"])
    predictor = Predictor(model, tmp_path / "b" / "recording.parquet")
    (batch,) = predictor.batches()
    assert list(batch) == ["t", f"tau_pred.{first}", f"tau_pred.{second}"]


def test_n38_motions_beyond_those_of_the_training_are_said(robotid, tmp_path):
    """With how far and how often; a little beyond is not beyond."""
    fit = write_fit(tmp_path / "fit", "cartpole")
    model = read_fitted(fit).model
    cart, pole = model.layout.robot.joint_names
    columns = dataset(tmp_path / "dataset", model, count=1)["run0"]

    def span(signal, joint, factor):
        values = columns[f"{signal}.{joint}"]
        return float(values.min()), float(factor * values.max() + (1 - factor) * values.min())

    ranges = {
        cart: {"q": span("q", cart, 0.5), "qd": span("qd", cart, 0.97), "qdd": (-1e3, 1e3)},
        pole: {"q": (-1e3, 1e3), "qd": (-1e3, 1e3), "qdd": (0.0, 0.0)},
    }
    keys = json.loads((fit / "fit.json").read_text())
    keys["ranges"] = {joint: {**own, "tau": (0.0, 0.0)} for joint, own in ranges.items()}
    (fit / "fit.json").write_text(json.dumps(keys))
    answer = robotid("predict", fit, tmp_path / "dataset", "--out", tmp_path / "out", "--json")
    assert answer.code == 0, answer.err
    said = {(w["code"], w["joint"]): w["message"] for w in answer.json["warnings"]}
    assert set(said) == {("outside-trained-range", cart), ("outside-trained-range", pole)}
    assert "position" in said["outside-trained-range", cart]
    assert " m, in " in said["outside-trained-range", cart]
    assert " rad/s², in 100 % of the samples" in said["outside-trained-range", pole]
    outside = read_predictions(tmp_path / "out").recordings["run0"].outside
    assert {joint: list(signals) for joint, signals in outside.items()} == {
        cart: ["q"],
        pole: ["qdd"],
    }
    low, high = ranges[cart]["q"]
    q = columns[f"q.{cart}"]
    assert outside[cart]["q"].share == np.mean(q > high + 0.05 * (high - low))
    assert outside[cart]["q"].beyond == pytest.approx(q.max() - high, rel=1e-12)


def test_how_often_a_range_is_left_does_not_depend_on_batches():
    from robotid.contracts.fit_data import JointRange
    from robotid.models.trained_range import TrainedRange

    span = {"q": (-0.5, 0.5), "qd": (-0.1, 0.1), "qdd": (-9.0, 9.0), "tau": (0.0, 0.0)}
    values = np.random.default_rng(0).uniform(-1, 1, size=(1000, 1))
    whole, pieces = (TrainedRange({"a": JointRange(**span)}) for _ in range(2))
    whole.add(("a",), values, values, values)
    for part in np.array_split(values, 7):
        pieces.add(("a",), part, part, part)
    assert whole.found() == pieces.found()
    assert whole.found()["a"]["q"].share == np.mean(np.abs(values) > 0.55)
    assert set(whole.found()["a"]) == {"q", "qd"}


def test_what_cannot_be_predicted(robotid, tmp_path):
    fit = write_fit(tmp_path / "fit", "furuta")
    model = read_fitted(fit).model
    first, second = model.layout.robot.joint_names
    dataset(tmp_path / "raw", model, count=1, leave_out=[f"qdd.{second}"])
    answer = robotid("predict", fit, tmp_path / "raw")
    assert (answer.code, "filter the dataset first" in answer.err) == (65, True)
    columns, facts = recording(tmp_path / "bad", model)
    path = tmp_path / "bad" / "recording.parquet"
    other = read_fitted(write_fit(tmp_path / "other", "cartpole")).model
    with pytest.raises(BadDataError, match="of robot cartpole is not in the recording"):
        Predictor(other, path)
    columns[f"qd.{first}"][3] = np.nan
    write_recording(tmp_path / "bad", columns, facts)
    with pytest.raises(BadDataError, match=rf"qd.{first} has no finite value in row 3"):
        list(Predictor(model, path).batches())


def test_joints_that_are_no_concern_of_the_robot(tmp_path):
    """A gripper that was recorded too, or a joint that the fit has locked."""
    fit = write_fit(tmp_path / "fit", "furuta")
    model = read_fitted(fit).model
    recording(tmp_path / "more", model, more=["finger"])
    predictor = Predictor(model, tmp_path / "more" / "recording.parquet")
    assert sum(len(batch["t"]) for batch in predictor.batches()) == 700


def test_a_fit_that_is_not_usable(robotid, tmp_path):
    verdict = Verdict(usable=False, sentence="It explains less than the mean.", reasons=[])
    fit = write_fit(tmp_path / "fit", "furuta", verdict=verdict)
    dataset(tmp_path / "dataset", read_fitted(fit).model, count=1)
    answer = robotid("predict", fit, tmp_path / "dataset", "--json")
    assert answer.code == 4
    assert [w["message"] for w in answer.json["warnings"]] == [f"predict: {verdict.sentence}"]


def test_friction_with_memory_over_batches(tmp_path, monkeypatch):
    fit = write_fit(tmp_path / "fit", "furuta", terms=["coulomb-held(0.3)"])
    model = read_fitted(fit).model
    columns, _ = recording(tmp_path / "run", model, noise=0.0)
    slow = sample_files.iterate_recording
    monkeypatch.setattr(sample_files, "iterate_recording", lambda p, c: slow(p, c, rows=13))
    predictor = Predictor(model, tmp_path / "run" / "recording.parquet")
    assert len(list(predictor.batches())) > 50
    for joint in model.layout.robot.joint_names:
        assert predictor.errors()[joint].largest < 1e-9 * np.abs(columns[f"tau.{joint}"]).max()


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_errors_from_sums(offset):
    """In any batches, also far from zero, and of a torque that does not change."""
    rng = np.random.default_rng(0)
    tau = offset + rng.normal(size=1000)
    predicted = tau + rng.normal(size=1000) * 0.1 + 0.05
    sums = ErrorSums()
    for begin in range(0, 1000, 77):
        here = slice(begin, begin + 77)
        sums.add(np.arange(1000)[here] * 0.01, tau[here], predicted[here])
    found = sums.errors((-2.0, 5.0)).model_dump()
    expected = metrics_of_samples(tau, predicted, 7.0)
    assert expected.keys() - found.keys() == {"nmse_sum"}  # there are no training data
    for metric in expected.keys() & found.keys():
        assert found[metric] == pytest.approx(expected[metric], rel=1e-7), metric
    e = tau - predicted
    assert found["mean"] == pytest.approx(e.mean())
    assert found["largest"] == np.abs(e).max()
    assert found["largest_at_s"] == pytest.approx(0.01 * np.argmax(np.abs(e)))
    flat = ErrorSums()
    flat.add(np.zeros(3), np.full(3, 0.1), np.zeros(3))
    assert (flat.errors(None).r2, flat.errors(None).nmse_range) == (None, None)
    assert flat.errors(None).rmse == pytest.approx(0.1)


_MEMORY = """
import json, resource, sys
from pathlib import Path
from robotid.models.from_fit import read_fitted
from robotid.models.prediction import Predictor
model = read_fitted(Path(sys.argv[1])).model
peaks = []
for path in sys.argv[2:]:
    for batch in Predictor(model, Path(path)).batches():
        pass
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(json.dumps(peaks))
"""


@pytest.mark.skipif(not hasattr(resource, "RUSAGE_SELF"), reason="no peak memory here")
@pytest.mark.alone
def test_memory_does_not_grow_with_the_recording(tmp_path):
    fit = write_fit(tmp_path / "fit", "furuta")
    model = read_fitted(fit).model
    paths = []
    for number, samples in enumerate((40_000, 400_000)):
        recording(tmp_path / f"run{number}", model, samples=samples)
        paths.append(str(tmp_path / f"run{number}" / "recording.parquet"))
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(fit), *paths],
        capture_output=True,
        text=True,
        check=True,
    )
    short, long = json.loads(done.stdout)
    assert long - short < 15_000  # kB; the columns alone would be 29 MB
