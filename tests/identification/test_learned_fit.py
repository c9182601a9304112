"""Learned torque models through the stage and the command line: every kind, and what is refused."""

import json
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from robotid import checkpoints, progress
from robotid.contracts.dataset import read_index
from robotid.contracts.fit import read_fit
from robotid.contracts.learned import read_learned_result
from robotid.contracts.recording import iterate_recording
from robotid.errors import BadDataError, ConfigError
from robotid.information.regressor import dense_regressor
from robotid.models.learned_from_fit import read_learned
from robotid.stages import fit as stage
from robotid.stages import report
from robotid.stages.contract import Source
from robotid.stages.fit import FitConfig
from robotid.stages.report import ReportConfig
from tests.conftest import run_process, spawn
from tests.identification.conftest import with_factors

SAMPLES = Path(__file__).parents[2] / "sample_logs" / "arm"
QUICK = {"epochs": 3, "batch": 16, "sequence": 20}
NO_SEQUENCE = {"epochs": 3, "batch": 256}
SMALL = {"hidden": (8,), "memory": 6}


def fit(data, out, update=None, **keys):
    out.mkdir(exist_ok=True)
    inputs = {
        role: [Source("", path, "d" * 64)]
        for role, path in (
            ("dataset", data.dataset),
            ("robot", data.robot),
            ("factors", data.factors),
            ("update", update),
        )
        if path is not None
    }
    config = FitConfig(**keys)
    stage.check(config, set(inputs))
    notices = stage.run(config, inputs, out)
    return read_learned(out), notices


KINDS = {
    "mlp": {"model": "mlp", "hidden": (8, 8), **NO_SEQUENCE},
    "lstm": {"model": "lstm", **SMALL, **QUICK},
    "delan": {"model": "delan", "lagrangian": (8,), **NO_SEQUENCE},
    "delan and friction": {
        "model": "delan", "lagrangian": (8,), "lagrangian_inputs": "circles",
        "lagrangian_activation": "tanh", "actuator": "stribeck", **NO_SEQUENCE,
    },
    "hybrid": {"model": "hybrid", **SMALL, **QUICK},
    "from the robot file": {"model": "hybrid", "init": "prior", **SMALL, **QUICK},
    "at random": {"model": "hybrid", "init": "random", "rigid": "diffnea", **SMALL, **QUICK},
    "nine entries": {
        "model": "hybrid", "rigid": "diffnea", "inertia": "nostr", **SMALL, **QUICK,
    },
    "hybrid of layers": {"model": "hybrid", "residual": "mlp", "hidden": (8,), **NO_SEQUENCE},
    "two stages": {"model": "hybrid", "training": "2s", "rigid": "sdp", **SMALL, **QUICK},
    "two stages of a delan": {
        "model": "hybrid", "training": "2s", "rigid": "delan", "lagrangian": (8,), **SMALL, **QUICK,
    },
    "drive": {"model": "hybrid", "actuator": "coulomb", **SMALL, **QUICK},
    "network drive": {"model": "hybrid", "actuator": "nn-friction", **SMALL, **QUICK},
    "no residual": {"model": "hybrid", "residual": "none", **NO_SEQUENCE},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_written_read_and_reported(arm, tmp_path, kind):
    """Read again, a model predicts what its result says; a report shows it."""
    found, _ = fit(arm, tmp_path / "fit", **KINDS[kind])
    states, joints = found.fit, found.fit.joints
    assert states.learning.epochs >= 1
    assert set(states.metrics) == {"train", "test"}
    name = next(name for name, split in states.recordings.items() if split == "test")
    columns = [f"{s}.{j}" for s in ("q", "qd", "qdd", "tau") for j in joints]
    batches = list(iterate_recording(arm.dataset / f"{name}.parquet", columns))
    signals = np.column_stack([np.concatenate([b[c] for b in batches]) for c in columns])
    q, qd, qdd, tau = np.split(signals, 4, axis=1)
    rmse = np.sqrt(np.mean((found.model.torque(q, qd, qdd) - tau) ** 2, axis=0))
    stated = [states.metrics["test"]["rmse"].joints[joint] for joint in joints]
    np.testing.assert_allclose(rmse, stated, rtol=1e-5)
    out = tmp_path / "report"
    out.mkdir()
    report.run(ReportConfig(), {"fits": [Source("fit", tmp_path / "fit", "")]}, out)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert ('id="fit1-parts"' in page or "What its parts add" in page) == (
        states.architecture.body != "none"
    )


def test_the_rigid_part_of_two_stages_is_that_of_the_sdp(arm, tmp_path):
    found, _ = fit(arm, tmp_path / "two", **KINDS["two stages"])
    sdp = arm.fit(tmp_path / "sdp").result
    for one in found.fit.rigid:
        assert one.value == pytest.approx(one.sdp, rel=1e-5, abs=1e-8)
    wanted = {p.name: p.value for p in sdp.base_parameters}
    assert {one.name.split(" ")[0] for one in found.fit.rigid} == set(wanted)
    assert found.fit.baselines["sdp"]["test"]["rmse"].mean == pytest.approx(
        sdp.metrics["test"]["rmse"].mean, rel=1e-9
    )
    assert found.fit.without_residual["test"]["rmse"].mean == pytest.approx(
        sdp.metrics["test"]["rmse"].mean, rel=1e-3
    )


def test_blocks_are_those_of_other_fits_so_that_they_compare(arm, tmp_path):
    found, _ = fit(arm, tmp_path / "hybrid", **KINDS["hybrid"])
    sdp = arm.fit(tmp_path / "sdp").result
    assert [(b.recording, b.start_s, b.end_s) for b in found.fit.blocks] == [
        (b.recording, b.start_s, b.end_s) for b in sdp.blocks
    ]
    out = tmp_path / "report"
    out.mkdir()
    fits = [Source(name, tmp_path / name, "") for name in ("sdp", "hybrid")]
    report.run(ReportConfig(), {"fits": fits}, out)
    facts = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert facts["comparison"]["blocks"] > 0
    assert facts["comparison"]["models"]["hybrid"]["parts"] == "links + lstm"
    assert facts["fits"]["hybrid"]["architecture"]["residual"] == "lstm"


def test_errors_beyond_the_training_motions_are_told_apart(arm, tmp_path):
    found, _ = fit(arm, tmp_path / "fit", **KINDS["mlp"])
    beyond, error = found.fit.beyond, found.fit.metrics["test"]["rmse"].mean
    assert 0 <= beyond.share <= 1
    parts = [x for x in (beyond.inside, beyond.beyond) if x is not None]
    assert 0.95 * min(parts) <= error <= 1.05 * max(parts)  # means over joints differ a little
    other = found.fit.baselines["sdp"]["test"]["rmse"].mean
    known = [x for x in (beyond.sdp_inside, beyond.sdp_beyond) if x is not None]
    assert 0.95 * min(known) <= other <= 1.05 * max(known)


def test_the_same_seed_gives_the_same_bytes(arm, tmp_path):
    for name in ("one", "other"):
        fit(arm, tmp_path / name, **KINDS["hybrid"], seed=3)
    fit(arm, tmp_path / "third", **KINDS["hybrid"], seed=4)
    read = [
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "other", "third")
    ]
    assert read[0] == read[1]
    assert read[0]["weights.safetensors"] != read[2]["weights.safetensors"]


REFUSED = [
    ({"model": "hybrid", "rigid": "sdp"}, "links of an sdp stay as they are"),
    ({"model": "hybrid", "rigid": "sdp", "residual": "none", "training": "2s"}, "nothing is left"),
    ({"model": "hybrid", "residual": "none", "training": "2s"}, "after the body; fit with sdp"),
    ({"model": "hybrid", "rigid": "delan", "residual": "none", "training": "2s"}, "with delan"),
    ({"model": "sdp", "residual": "mlp"}, "residual is for hybrid"),
    ({"model": "mlp", "memory": 3}, "memory is for an lstm"),
    ({"model": "hybrid", "residual": "mlp", "sequence": 5}, "sequence is for an lstm"),
    ({"model": "hybrid", "lagrangian": (3,)}, "lagrangian is for delan, felan, felan-bs, delan-pp"),
    ({"model": "hybrid", "inertia": "cov"}, "inertia is for rigid diffnea"),
    ({"model": "hybrid", "training": "2s", "init": "prior"}, "init is for links that are trained"),
    ({"model": "delan", "hidden": (3,)}, "hidden is for networks that add to a body"),
    ({"model": "mlp", "hidden": (0,)}, "layers have 1 to 1024 units"),
    ({"model": "lstm", "cv": 3}, "cv is for fits on factors"),
    ({"model": "lstm", "loss": "forward"}, "forward is for"),
    ({"model": "lstm", "kinematics": "learned"}, "kinematics is for"),
    ({"model": "lstm", "optimizer": "adam"}, "optimizer is for"),
    ({"model": "sdp", "device": "cpu"}, "device is for"),
    ({"model": "sdp", "batch": 5}, "batch is for optimizer adam"),
]


@pytest.mark.parametrize(("keys", "said"), REFUSED)
def test_keys_that_contradict_each_other(keys, said):
    with pytest.raises(ValidationError, match=said):
        FitConfig(**keys)


def test_gates_of_parameters_do_nothing_here(arm, tmp_path):
    with pytest.raises(ConfigError, match="full_rank: has no effect with model lstm"):
        fit(arm, tmp_path / "fit", model="lstm", full_rank=True)


def test_a_gate_of_errors_is_kept(arm, tmp_path):
    found, notices = fit(arm, tmp_path / "fit", **KINDS["hybrid"], max_rmse=1e-9)
    assert not found.fit.verdict.usable
    assert "gate-failed" in {notice.code for notice in notices}


def test_sequences_longer_than_the_data(arm, tmp_path):
    with pytest.raises(
        BadDataError, match="no training stretch holds a sequence of 90000"
    ) as error:
        fit(arm, tmp_path / "fit", model="lstm", sequence=90_000)
    assert error.value.notice.code == "sequences-too-long"
    assert "--sequence" in error.value.notice.hint


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there(arm, tmp_path):
    with pytest.raises(ConfigError, match="torch finds none"):
        fit(arm, tmp_path / "fit", model="lstm", device="gpu")


def test_few_steps_are_told(arm, tmp_path):
    _, notices = fit(arm, tmp_path / "fit", model="lstm", **SMALL, epochs=2, sequence=20)
    (said,) = [notice for notice in notices if notice.code == "few-steps"]
    assert re.search(r"an epoch has \d steps", said.message)


def test_weights_of_another_model_are_refused(arm, tmp_path):
    fit(arm, tmp_path / "fit", **KINDS["hybrid"])
    fit(arm, tmp_path / "other", **KINDS["mlp"])
    weights = (tmp_path / "other" / "weights.safetensors").read_bytes()
    (tmp_path / "fit" / "weights.safetensors").write_bytes(weights)
    with pytest.raises(BadDataError, match=r"not the weights of this model: body\.\S+ is missing"):
        read_learned(tmp_path / "fit")
    (tmp_path / "fit" / "weights.safetensors").write_bytes(b"torn")
    with pytest.raises(BadDataError, match="not the weights of a model"):
        read_learned(tmp_path / "fit")
    (tmp_path / "fit" / "weights.safetensors").unlink()
    with pytest.raises(BadDataError, match="the weights that belong to this fit are not there"):
        read_learned(tmp_path / "fit")


def test_readers_of_one_kind_refuse_the_other(arm, tmp_path):
    fit(arm, tmp_path / "learned", **KINDS["mlp"])
    arm.fit(tmp_path / "sdp")
    with pytest.raises(BadDataError, match="is a learned model"):
        read_fit(tmp_path / "learned")
    with pytest.raises(BadDataError, match="no learned model"):
        read_learned_result(tmp_path / "sdp")


def test_a_training_goes_on_from_an_earlier_fit(arm, tmp_path):
    first, _ = fit(arm, tmp_path / "first", **KINDS["hybrid"])
    second, _ = fit(arm, tmp_path / "second", tmp_path / "first", **KINDS["hybrid"])
    assert second.fit.learning.began_with == "d" * 64
    assert second.fit.curve[0].train == pytest.approx(
        first.fit.metrics["train"]["nmse_range"].mean, rel=0.3
    )
    assert second.fit.curve[0].train < first.fit.curve[0].train


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"memory": 5}, "the earlier fit has memory 6, this one 5"),
        ({"residual": "mlp"}, "has residual 'lstm', this one 'mlp'"),
        ({"terms": ("viscous",)}, "other terms"),
    ],
)
def test_an_earlier_fit_of_another_model_is_refused(arm, tmp_path, keys, said):
    fit(arm, tmp_path / "first", **KINDS["hybrid"])
    given = {**KINDS["hybrid"], **keys}
    if "residual" in keys:
        given = {**given, "memory": 50, "sequence": 100}
    data = arm
    if "terms" in keys:
        data = with_factors(tmp_path, arm.dataset, arm.robot, "--terms", "viscous")
    with pytest.raises(BadDataError, match=said):
        fit(data, tmp_path / "second", tmp_path / "first", **given)


def test_an_earlier_fit_that_is_no_network_is_refused(arm, tmp_path):
    arm.fit(tmp_path / "sdp")
    with pytest.raises(BadDataError, match="no learned model"):
        fit(arm, tmp_path / "fit", tmp_path / "sdp", **KINDS["hybrid"])


def test_predictions_by_the_command_line(arm, tmp_path):
    """They are those of the model, state carried from batch to batch, and warn beyond training."""
    found, _ = fit(arm, tmp_path / "fit", **KINDS["hybrid"])
    answer = run_process(
        "--cache-dir", tmp_path / "cache", "predict", tmp_path / "fit", arm.dataset,
        "-o", tmp_path / "predicted", timeout=300,
    )  # fmt: skip
    assert answer.code in (0, 4), answer.err
    index = json.loads((tmp_path / "predicted" / "predictions.json").read_text(encoding="utf-8"))
    name = next(name for name, split in found.fit.recordings.items() if split == "test")
    for joint, errors in index["recordings"][name]["errors"].items():
        for metric in ("rmse", "nmse_range"):  # the latter over the range of the training data
            stated = found.fit.metrics["test"][metric].joints[joint]
            assert errors[metric] == pytest.approx(stated, rel=1e-4)


def test_a_memory_begins_anew_behind_a_gap(arm, tmp_path):
    """As in training and in the errors of the fit: rows are cut out of the test recording."""
    raw = tmp_path / "logs"
    raw.mkdir()
    for number in (1, 2, 3):
        lines = (SAMPLES / f"run{number}.csv").read_text(encoding="utf-8").splitlines()
        kept = lines if number < 3 else lines[:1000] + lines[1400:]
        (raw / f"run{number}.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    cache = ["--cache-dir", tmp_path / "cache"]
    words = (
        ("ingest", *sorted(raw.glob("*.csv")), "--robot", arm.robot, "--test", "run3", "-o", tmp_path / "data"),
        ("filter", tmp_path / "data", "--cutoff-hz", "10", "-o", tmp_path / "cut"),
        ("fit", tmp_path / "cut", "--robot", arm.robot, "--model", "lstm", "--hidden", "8", "--memory", "6",
         "--batch", "16", "--sequence", "20", "--epochs", "3", "-o", tmp_path / "fit"),
        ("predict", tmp_path / "fit", tmp_path / "cut", "-o", tmp_path / "predicted"),
    )  # fmt: skip
    for own in words:
        answer = run_process(*cache, *own, timeout=300)
        assert answer.code in (0, 3, 4), answer.err
    index = json.loads((tmp_path / "predicted" / "predictions.json").read_text(encoding="utf-8"))
    stated = read_learned(tmp_path / "fit").fit.metrics["test"]["rmse"].joints
    assert len(read_index(tmp_path / "cut").recordings["run3"].filter.segments) == 2
    for joint, errors in index["recordings"]["run3"]["errors"].items():
        assert errors["rmse"] == pytest.approx(stated[joint], rel=1e-5)


def test_a_memory_called_at_another_rate_is_told(arm, tmp_path):
    """By `predict` as a warning; a controller whose rate is no multiple is refused."""
    found, _ = fit(arm, tmp_path / "fit", **KINDS["hybrid"])
    rate = found.fit.learning.rate_hz
    cache = ["--cache-dir", tmp_path / "cache"]
    answer = run_process(
        *cache, "filter", arm.dataset.parent / "raw", "--cutoff-hz", "10", "--rate-hz", rate / 2,
        "-o", tmp_path / "slow", timeout=300,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    answer = run_process(*cache, "predict", tmp_path / "fit", tmp_path / "slow", timeout=300)
    assert f"{rate / 2:g} samples per second, but the memory of the model" in answer.err
    track = [*cache, "track", tmp_path / "fit", "--robot", arm.robot, "--durations-s", "0.1",
             "--motions", "1", "--gains", "medium", "--warm-up", "5"]  # fmt: skip
    answer = run_process(*track, "--control-hz", 1.5 * rate, timeout=300)
    assert answer.code == 65
    assert "its memory was trained with" in answer.err
    answer = run_process(
        *track, "--control-hz", 2 * rate, "--bodies", "-o", tmp_path / "track", timeout=300
    )
    assert answer.code in (0, 4), answer.err
    tracking = json.loads((tmp_path / "track" / "tracking.json").read_text(encoding="utf-8"))
    assert tracking["models"]["fit"]["model"] == "hybrid"
    body = tracking["models"]["body of fit"]
    assert (body["kind"], body["model"]) == ("body", "hybrid, without its network")
    assert body["outcomes"][0]["rmse"] != tracking["models"]["fit"]["outcomes"][0]["rmse"]


def test_a_killed_fit_is_taken_up_by_the_command_line(arm, tmp_path):
    """SIGKILL in the middle of training: the next run goes on, to the bytes of one not killed."""
    keys = ["--model", "lstm", "--hidden", "8", "--memory", "6", "--batch", "2",
            "--sequence", "20", "--epochs", "40", "--patience", "40"]  # fmt: skip

    def command(cache, out):
        return ("--cache-dir", cache, "fit", arm.dataset, "--robot", arm.robot, *keys, "-o", out)

    running = spawn(*command(tmp_path / "cache", tmp_path / "killed"))
    folder = tmp_path / "cache" / "checkpoints" / "fit"
    end = time.monotonic() + 120
    while not list(folder.glob("*/*.checkpoint")) and time.monotonic() < end:
        assert running.poll() is None, "it ended before anything was kept: train for longer"
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    time.sleep(1)
    answer = run_process(*command(tmp_path / "cache", tmp_path / "again"), timeout=300)
    assert answer.code in (0, 4), answer.err
    assert not list(folder.glob("*/*"))
    answer = run_process(*command(tmp_path / "fresh", tmp_path / "whole"), timeout=300)
    assert answer.code in (0, 4), answer.err
    weights = [
        (tmp_path / name / "weights.safetensors").read_bytes() for name in ("again", "whole")
    ]
    assert weights[0] == weights[1]


def test_both_trainings_of_two_stages_are_taken_up(arm, tmp_path, monkeypatch):
    """Killed in the second, the first is not done again; killed in the first, it goes on."""
    keys = KINDS["two stages of a delan"]
    whole, _ = fit(arm, tmp_path / "whole", **keys)
    monkeypatch.setattr("robotid.training.checkpoint._EVERY_S", 0.0)
    epochs = []

    def told(fraction, doing):
        epochs.append(doing)
        if len(epochs) == stop:
            raise KeyboardInterrupt

    for stop in (2, 5):  # three epochs each
        with (
            checkpoints.kept_in(tmp_path / "kept"),
            progress.listen(told),
            suppress(KeyboardInterrupt),
        ):
            fit(arm, tmp_path / f"killed{stop}", **keys)
        assert len(epochs) == stop
    with checkpoints.kept_in(tmp_path / "kept"), progress.listen(told):
        again, _ = fit(arm, tmp_path / "again", **keys)
    # Of the second run: the last epoch of the body once more, and what was left of the network.
    assert len(epochs) <= 5 + 1 + 3
    for name in whole.model.model.state_dict():
        pair = (found.model.model.state_dict()[name] for found in (whole, again))
        assert torch.equal(*pair)


def test_rates_of_learning_are_the_published_ones():
    """0.004 (a DeLaN, also inside a hybrid, 0.001)."""
    rates = {
        0.004: ({"model": "lstm"}, {"model": "hybrid"}, {"model": "hybrid", "rigid": "diffnea"}),
        0.001: ({"model": "delan"}, {"model": "hybrid", "rigid": "delan"}),
    }
    for rate, models in rates.items():
        for keys in models:
            assert FitConfig(**keys).usual.learning_rate == rate


def test_training_data_can_tell_when_to_stop(arm, tmp_path):
    """Nothing is held out then, and weights of the least training error are kept."""
    held, _ = fit(arm, tmp_path / "held", **KINDS["mlp"])
    found, _ = fit(arm, tmp_path / "fit", **KINDS["mlp"], stop_by="training")
    assert found.fit.learning.validated_by == "train"
    assert found.fit.learning.units > held.fit.learning.units
    assert [point.validation for point in found.fit.curve][-1] == pytest.approx(
        found.fit.metrics["train"]["nmse_range"].mean, rel=1e-6
    )
    with pytest.raises(ValidationError, match="stop_by: online passes the data once"):
        FitConfig(model="mlp", online=True, stop_by="training")
    with pytest.raises(ValidationError, match="stop_by is for"):
        FitConfig(model="sdp", stop_by="training")


def test_samples_in_no_sequence_are_told(arm, tmp_path):
    keys = {"model": "lstm", **SMALL, "epochs": 1, "sequence": 1000, "batch": 1}
    _, notices = fit(arm, tmp_path / "fit", **keys)
    said = {notice.code: notice for notice in notices}
    assert "training samples are in no sequence of 1000" in said["samples-left-out"].message
    assert said["few-steps"].hint == "record more, or train on shorter sequences"


def test_how_far_links_are_from_those_of_the_sdp(arm, tmp_path):
    """By parameters and by torques; terms of joints do not count."""
    terms = ("viscous", "coulomb")  # without rotors, which add to inertias
    data = with_factors(
        tmp_path, arm.dataset, arm.robot, *(w for t in terms for w in ("--terms", t))
    )
    found, _ = fit(data, tmp_path / "fit", **KINDS["from the robot file"], terms=terms)
    apart, model = found.fit.rigid_apart, found.model
    sdp = data.fit(tmp_path / "sdp", terms=terms)
    links = model.model.body.links().detach().numpy()
    rows = [(one.value, one.sdp) for one in found.fit.rigid if one.unit in ("kg", "kg m", "kg m²")]
    value, other = np.array(rows).T
    assert apart.parameters == pytest.approx(
        np.linalg.norm(value - other) / np.linalg.norm(other), rel=1e-6
    )
    squares = []
    for name in (n for n, split in found.fit.recordings.items() if split == "train"):
        columns = [f"{s}.{j}" for s in ("q", "qd", "qdd") for j in found.fit.joints]
        batches = list(iterate_recording(arm.dataset / f"{name}.parquet", columns))
        signals = np.column_stack([np.concatenate([b[c] for b in batches]) for c in columns])
        Y = dense_regressor(model.layout.robot, *map(np.ascontiguousarray, np.split(signals, 3, 1)))
        own = np.array([p.value for p in sdp.result.parameters])[: links.size]
        squares.append([((Y @ x) ** 2).sum() for x in (links.ravel() - own, own)])
    off, size = np.sum(squares, axis=0)
    assert apart.torque == pytest.approx(np.sqrt(off / size), rel=0.02)


def test_it_is_exported_as_c_and_nothing_else(arm, tmp_path):
    cache = ["--cache-dir", tmp_path / "cache"]
    answer = run_process(
        *cache, "fit", arm.dataset, "--robot", arm.robot, "--model", "hybrid", "--hidden", "8",
        "--memory", "6", "--batch", "8", "--sequence", "20", "--epochs", "2",
        "-o", tmp_path / "fit", timeout=300,
    )  # fmt: skip
    assert answer.code in (0, 4), answer.err
    answer = run_process(*cache, "export", tmp_path / "fit", "-o", tmp_path / "code", timeout=300)
    assert answer.code in (0, 4), answer.err
    index = json.loads((tmp_path / "code" / "export.json").read_text(encoding="utf-8"))
    (file,) = index["files"]
    assert file["format"] == "c"
    assert file["difference"] < 1e-5
    answer = run_process(*cache, "export", tmp_path / "fit", "--format", "urdf", timeout=300)
    assert answer.code == 78
    assert "a learned model cannot be written as urdf" in answer.err
