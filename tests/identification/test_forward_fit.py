"""Forward fits through the stage: every model, what the result states, and what is refused."""

import json

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from robotid.contracts.any_fit import read_any_fit
from robotid.contracts.fit import read_fit
from robotid.contracts.forward import read_forward_result
from robotid.contracts.truth import read_truth
from robotid.errors import BadDataError, ConfigError
from robotid.models.forward_from_fit import read_forward
from robotid.robot.catalog import shipped_path
from robotid.stages import report
from robotid.stages.contract import Source
from robotid.stages.fit import FitConfig, check, run
from robotid.stages.report import ReportConfig
from tests.conftest import PROJECT
from tests.identification.conftest import filtered, with_factors

CARTPOLE = PROJECT / "sample_logs" / "cartpole"
QUICK = {"optimizer": "adam", "epochs": 3, "hidden": (8,)}
FORMULAS = ("none", "viscous", "coulomb", "stribeck")
NETWORKS = ("nn-friction", "nn-residual", "ff-nn")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cartpole")
    robot = shipped_path("cartpole")
    logs = sorted(CARTPOLE.glob("run*.csv"))
    return with_factors(folder, filtered(folder, logs, robot), robot)


def fit(data, out, **keys):
    out.mkdir()
    inputs = {
        role: [Source("", path, "")]
        for role, path in (
            ("dataset", data.dataset),
            ("robot", data.robot),
            ("factors", data.factors),
        )
    }
    run(FitConfig(loss="forward", **keys), inputs, out)
    return read_forward(out)


def share(found):
    """Of the variance that is unexplained in the test."""
    return found.fit.metrics["test"]["nmse_var"].mean


@pytest.mark.parametrize("kinematics", ["known", "learned"])
@pytest.mark.parametrize("actuator", [*FORMULAS, *NETWORKS])
def test_every_actuator(data, tmp_path, actuator, kinematics):
    keys = QUICK if actuator in NETWORKS else {"iterations": 30}
    found = fit(
        data, tmp_path / "fit", model="diffnea", init="prior", actuator=actuator,
        kinematics=kinematics, **keys,
    )  # fmt: skip
    assert (found.fit.actuator, found.fit.kinematics) == (actuator, kinematics)
    assert found.fit.energy == found.model.energy_class
    assert all(link.consistent for link in found.fit.links)
    assert (found.fit.placements is None) == (kinematics == "known")
    assert bool(found.fit.combinations) == (kinematics == "known")
    assert share(found) < found.fit.baselines["zero"]["test"]["nmse_var"].mean
    assert {value.name for value in found.fit.actuator_values} == {
        "viscous": {"viscous"},
        "coulomb": {"coulomb"},
        "stribeck": {"coulomb", "stribeck", "sharpness", "viscous"},
    }.get(actuator, set())


def test_friction_makes_the_difference(data, tmp_path):
    """Without it the model errs more, and takes the cart for heavier than it is."""
    free = fit(data, tmp_path / "none", model="diffnea")
    viscous = fit(data, tmp_path / "viscous", model="diffnea", actuator="viscous")
    assert share(viscous) < 0.2 * share(free)
    true = {link.name: link.phi[0] for link in read_truth(CARTPOLE).links}
    total = sum(true.values())
    found = sum(link.mass for link in viscous.fit.links)
    assert found == pytest.approx(total, rel=0.15)
    assert sum(link.mass for link in free.fit.links) > found


def test_prior_and_random_start_lead_to_the_same(data, tmp_path):
    errors = [
        share(fit(data, tmp_path / init, model="diffnea", actuator="viscous", init=init))
        for init in ("sdp", "prior", "random")
    ]
    np.testing.assert_allclose(errors, errors[0], rtol=0.05)


def test_linear_regression_and_a_network(data, tmp_path):
    nea = fit(data, tmp_path / "nea", model="nea")
    assert nea.fit.status.message == "solved by linear regression"
    assert nea.fit.energy == "conserving"
    network = fit(data, tmp_path / "ffnn", model="ffnn", **{**QUICK, "epochs": 30})
    assert (network.fit.links, network.fit.energy) == ([], "unbounded")
    assert network.model.energy(*torch.zeros(2, 1, 2, dtype=torch.float64)) is None
    assert len(network.fit.curve) == network.fit.status.iterations + 1


def test_the_same_seed_gives_the_same_bytes(data, tmp_path):
    for name in "ab":
        fit(data, tmp_path / name, model="diffnea", actuator="nn-friction", init="random", **QUICK)
    for file in ("fit.json", "weights.safetensors"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


REFUSED = [
    ({"model": "sdp"}, "loss: forward is for diffnea, nea, ffnn, not for sdp"),
    ({"model": "nea", "actuator": "viscous"}, "actuator is for diffnea and .*, not for nea"),
    ({"model": "nea", "kinematics": "learned"}, "linear regression .* needs known ones"),
    ({"model": "ffnn", "actuator": "viscous", "optimizer": "adam"}, "actuator is for diffnea"),
    ({"model": "ffnn"}, "take adam"),
    ({"model": "diffnea", "actuator": "ff-nn"}, "take adam"),
    ({"model": "diffnea", "kinematics": "learned"}, "start from prior or random"),
    ({"model": "diffnea", "inertia": "nostr", "optimizer": "adam"}, "no forward dynamics"),
    ({"model": "diffnea", "hidden": (4,)}, "hidden is for ffnn and actuators"),
    ({"model": "ffnn", "optimizer": "adam", "hidden": (0,)}, "1 to 1024 units"),
    ({"model": "diffnea", "cv": 2}, "cv is for loss torque"),
    ({"model": "diffnea", "loaded": ("a",), "load": "1"}, "loaded is for loss torque"),
]


@pytest.mark.parametrize(("keys", "said"), REFUSED, ids=lambda value: str(value))
def test_what_cannot_be(keys, said):
    with pytest.raises(ValidationError, match=said):
        FitConfig(loss="forward", **keys)


@pytest.mark.parametrize(
    ("keys", "said"),
    [({"model": "ffnn", "optimizer": "adam"}, "needs loss forward"),
     ({"model": "diffnea", "actuator": "viscous"}, "actuator is for loss forward")],
)  # fmt: skip
def test_keys_of_forward_models_are_refused_elsewhere(keys, said):
    with pytest.raises(ValidationError, match=said):
        FitConfig(**keys)


@pytest.mark.parametrize("gate", [{"max_rmse": 0.1}, {"full_rank": True}], ids=str)
def test_gates_of_torques_are_refused(gate):
    """They would be passed unseen."""
    with pytest.raises(ConfigError, match="has no effect with loss forward"):
        check(FitConfig(loss="forward", model="nea", **gate), ())
    check(FitConfig(model="ols", **gate), ())


def test_each_reader_names_the_other_kind(data, tmp_path):
    fit(data, tmp_path / "fit", model="nea")
    with pytest.raises(BadDataError, match="predicts accelerations, not torques") as caught:
        read_fit(tmp_path / "fit")
    assert caught.value.notice.code == "predicts-acceleration"
    assert read_any_fit(tmp_path / "fit").model == "nea"
    path = tmp_path / "fit" / "fit.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "energy": "free"}))
    with pytest.raises(BadDataError, match="not a fit as robotid writes it"):
        read_forward_result(tmp_path / "fit")
    path.write_text(json.dumps({**content, "predicts": "torque"}))
    with pytest.raises(BadDataError, match="predicts torques"):
        read_forward_result(tmp_path / "fit")


def test_report_of_what_was_learned(data, tmp_path):
    """From logs to the page: figures on it are those of the fit."""
    found = fit(data, tmp_path / "fit", model="diffnea", init="prior", actuator="viscous").fit
    out = tmp_path / "report"
    out.mkdir()
    assert report.run(ReportConfig(), {"fits": [Source("fit", tmp_path / "fit", "")]}, out) == []
    page = (out / "report.html").read_text()
    numbers = [found.metrics["test"]["rmse"].joints["pivot"], found.combinations[0].value]
    numbers += [value.value for value in found.actuator_values] + [found.links[0].mass]
    for number in numbers:
        assert f"{number:.4g}" in page
    assert {one.unit for one in found.combinations} == {"kg", "kg m", "kg m²"}
    assert "rad/s²" in page


def test_damaged_weights_are_refused(data, tmp_path):
    found = fit(data, tmp_path / "fit", model="nea")
    path = tmp_path / "fit" / "weights.safetensors"
    whole = path.read_bytes()
    for damaged in (whole[:50], whole[:-8], b""):
        path.write_bytes(damaged)
        with pytest.raises(BadDataError, match="not the weights of a model"):
            read_forward(tmp_path / "fit")
    weights = {name: values.clone() for name, values in found.model.state_dict().items()}
    weights["theta"][0, 0] = torch.nan
    from safetensors.torch import save_file

    save_file(weights, path)
    with pytest.raises(BadDataError, match="not finite"):
        read_forward(tmp_path / "fit")


def test_an_sdp_is_a_start_with_the_friction_it_found(data, tmp_path):
    found = fit(data, tmp_path / "fit", model="diffnea", actuator="viscous").fit
    assert found.curve[0].train < 2 * found.curve[-1].train


def test_a_random_start_in_front_of_a_network_knows_of_friction(data, tmp_path):
    """Searched without any, its links would take in what friction does: no training mends that."""
    keys = {**QUICK, "epochs": 1, "init": "random"}
    found = fit(data, tmp_path / "fit", model="diffnea", actuator="nn-friction", **keys)
    true = sum(link.phi[0] for link in read_truth(CARTPOLE).links)
    assert sum(link.mass for link in found.fit.links) == pytest.approx(true, rel=0.4)  # else 2.5 x
