"""Targets, orders and online passes through the stage: what results say, and what is refused."""

import numpy as np
import pytest
from pydantic import ValidationError

from robotid.contracts.any_fit import read_any_fit
from robotid.stages import fit as stage
from robotid.stages import report
from robotid.stages.contract import Source
from robotid.stages.fit import FitConfig
from robotid.stages.report import ReportConfig

DIFFNEA = {"model": "diffnea", "optimizer": "adam", "inertia": "cov", "init": "published"}


def fit(data, out, **keys):
    out.mkdir()
    given = {"dataset": data.dataset, "robot": data.robot, "factors": data.factors}
    inputs = {role: [Source("", path, "")] for role, path in given.items()}
    notices = stage.run(FitConfig(**keys), inputs, out)
    return read_any_fit(out), {notice.code: notice.message for notice in notices}


TRAINED = {
    "diffnea": {**DIFFNEA, "learning_rate": 0.03},
    "by centre": {**DIFFNEA, "learning_rate": 0.03, "links_by": "centre"},
    "diffbary": {"model": "diffbary", "optimizer": "adam", "init": "random"},
    "mlp": {"model": "mlp", "hidden": (16,), "batch": 64, "learning_rate": 0.01},
    "hybrid": {"model": "hybrid", "residual": "mlp", "hidden": (8,), "init": "random",
               "batch": 64, "learning_rate": 0.02},
}  # fmt: skip


@pytest.mark.parametrize("kind", TRAINED)
def test_training_ends_when_every_joint_is_good_enough(arm, tmp_path, kind):
    """There are no validation data, so it is about the training data, of which the end is not."""
    found, codes = fit(arm, tmp_path / "fit", **TRAINED[kind], target=0.3, epochs=60, patience=60)
    epochs = found.status.iterations
    assert 0 < epochs < 60
    assert found.status.reached
    assert found.status.message == f"reached nmse_var 0.3 on every joint in epoch {epochs}"
    errors = found.metrics["train"]["nmse_var"].joints
    assert max(errors.values()) < 0.33  # with the end of the recordings, a tenth
    assert "target-not-reached" not in codes
    assert "not-converged" not in codes


@pytest.mark.parametrize("kind", ["diffnea", "mlp"])
def test_errors_count_in_the_units_of_the_loss(arm, tmp_path, kind):
    """The first training error in each unit, from the same start: by joint, then as one number."""
    found = {
        units: fit(arm, tmp_path / str(units), **TRAINED[kind], loss_units=units, epochs=1)[0]
        for units in ("si", "spread", "range", *(["noise"] if kind == "diffnea" else []), None)
    }
    first = {units: one.curve[0].train for units, one in found.items()}
    baseline = found["si"].baselines["mean"]["train"]["rmse"].joints
    spread = np.array(list(baseline.values()))  # of the mean as a prediction: its error
    assert spread.max() > 2 * spread.min()
    # One joint is more than twice the other, so the unit matters, and within these bounds.
    assert spread.min() ** 2 < first["si"] / first["spread"] < spread.max() ** 2
    assert first["range"] < first["spread"]
    assert first[None] == first["noise" if kind == "diffnea" else "range"]


def test_links_by_their_centre_end_where_others_do(arm, tmp_path):
    """Newton steps from the SDP: the least error does not depend on how links are written."""
    same = {"model": "diffnea", "inertia": "cov"}
    found = [
        fit(arm, tmp_path / by, **same, links_by=by)[0].metrics["train"]["rmse"].joints
        for by in ("moment", "centre")
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-4)


def test_noise_is_no_unit_of_learned_models():
    with pytest.raises(ValidationError, match="noise is for links"):
        FitConfig(model="mlp", loss_units="noise")
    with pytest.raises(ValidationError, match="optimizer adam"):
        FitConfig(model="diffnea", loss_units="si")


@pytest.mark.parametrize("kind", ["diffnea", "mlp"])
def test_a_target_that_was_not_reached_is_told(arm, tmp_path, kind):
    found, codes = fit(arm, tmp_path / "fit", **TRAINED[kind], target=1e-9, epochs=2)
    assert found.status.reached is False
    said = codes["target-not-reached"]
    assert "nmse_var 1e-09 was not reached on every joint in 2 epochs" in said
    assert "elbow" in said
    assert "target-not-reached" in {remark.code for remark in found.remarks}


ONLINE = {
    **{name: {**DIFFNEA, "inertia": name} for name in ("nostr", "symm", "spd", "tri", "cov")},
    "diffbary": {"model": "diffbary", "optimizer": "adam", "init": "random"},
    "mlp": {"model": "mlp", "hidden": (16,)},
    "delan": {"model": "delan", "lagrangian": (8,), "init": "random"},
    "hybrid": {"model": "hybrid", "residual": "mlp", "hidden": (8,), "init": "prior"},
}


@pytest.mark.parametrize("kind", ONLINE)
def test_errors_on_all_data_are_recorded_on_the_way(arm, tmp_path, kind):
    found, _ = fit(arm, tmp_path / "fit", **ONLINE[kind], online=True)
    samples = found.samples["train"]
    assert found.options["batch"] == 256
    assert found.status.iterations == 1
    assert found.curve == []
    seen = [point.seen for point in found.online]
    assert seen == [*range(0, samples, 256), samples]
    assert set(found.online[0].nmse_var.joints) == set(found.joints)
    # The last point is of what was kept, on an excerpt of train and test together.
    own = [split["nmse_var"].mean for split in found.metrics.values()]
    assert 0.9 * min(own) < found.online[-1].nmse_var.mean < 1.1 * max(own)
    out = tmp_path / "report"
    out.mkdir()
    report.run(ReportConfig(), {"fits": [Source("fit", tmp_path / "fit", "")]}, out)
    assert "Learning in the order of time" in (out / "report.html").read_text(encoding="utf-8")


REFUSED = [
    ({"model": "sdp", "target": 0.1}, "target is for optimizer adam"),
    ({"model": "diffnea", "order": "time"}, "order is for optimizer adam"),
    ({"model": "diffnea", "online": True}, "online is for optimizer adam"),
    ({**DIFFNEA, "init": "random", "loss": "forward", "target": 0.1}, "target is for loss torque"),
    ({**DIFFNEA, "loss": "forward"}, "published is for diffnea and diffbary of torques"),
    ({"model": "hybrid", "init": "published"}, "published is for diffnea"),
    ({"model": "delan", "init": "published"}, "published is for diffnea"),
    ({"model": "mlp", "init": "random"}, "init is for"),
    ({"model": "diffnea", "links_by": "centre"}, "links_by is for inertia nostr, symm"),
    ({"model": "diffbary", "links_by": "centre"}, "links_by is for diffnea"),
    ({**DIFFNEA, "init": "random", "loss": "forward", "links_by": "centre"}, "for loss torque"),
    ({**DIFFNEA, "online": True, "epochs": 3}, "epochs: online passes the data once"),
    ({**DIFFNEA, "online": True, "patience": 3}, "patience: online passes the data once"),
    ({**DIFFNEA, "online": True, "target": 0.1}, "target: online passes the data once"),
    ({**DIFFNEA, "online": True, "order": "time"}, "in the order of time by itself"),
    ({**DIFFNEA, "online": True, "cv": 3}, "cv: online"),
    ({**DIFFNEA, "online": True, "init": "sdp"}, "an sdp has seen all data before"),
    ({"model": "delan", "online": True}, "an sdp has seen all data before"),
    ({"model": "delan", "online": True, "init": "random", "actuator": "viscous"}, "actuator:"),
    ({"model": "lstm", "online": True}, r"a memory \(lstm\) learns from sequences"),
    ({"model": "hybrid", "online": True, "init": "random"}, r"a memory \(lstm\)"),
    ({"model": "hybrid", "residual": "mlp", "training": "2s", "online": True}, "online needs e2e"),
    ({"model": "mlp", "online": True, "decay": 0.5}, "decay: online passes the data once"),
]


@pytest.mark.parametrize(("keys", "said"), REFUSED)
def test_keys_that_contradict_each_other(keys, said):
    with pytest.raises(ValidationError, match=said):
        FitConfig(**keys)
