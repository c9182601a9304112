"""Learned models of a floating robot, from logs to reports, and their forces part by part."""

import numpy as np
import pytest
import torch

from robotid.contracts.decomposition import read_decomposition
from robotid.contracts.predictions import read_predictions
from robotid.contracts.truth import read_truth
from robotid.errors import BadDataError
from robotid.models.torque_models import read_torque_model
from robotid.robot.tree import BASE_ROWS
from robotid.stages.contract import Source
from robotid.stages.decompose import DecomposeConfig
from robotid.stages.decompose import run as decompose
from tests.identification.tripod import fitted

SHORT = {"epochs": 8, "batch": 100, "learning_rate": 0.005}
LAGRANGIANS = ("felan", "felan-bs", "delan-pp", "delan")
# 9 of an inertia about the base and a mass, or 21 of its factor; 7 of each leg; no zeros: 45.
ENTRIES = {"felan": 31, "felan-bs": 42, "delan-pp": 45, "delan": 45}


@pytest.fixture(scope="module")
def lagrangians(project, tmp_path_factory):
    """A fit of each kind."""
    folder = tmp_path_factory.mktemp("lagrangians")
    return folder, {
        model: fitted(project, folder / model, model=model, **SHORT)[0] for model in LAGRANGIANS
    }


@pytest.mark.parametrize("model", LAGRANGIANS)
def test_energies_are_learned(project, lagrangians, model):
    """Errors fall by far, and the mass comes near that of the truth."""
    fit = lagrangians[1][model]
    assert fit.architecture.body == model
    assert fit.architecture.lagrangian == (16, 16)
    assert fit.curve[-1].validation < 0.1 * fit.curve[0].validation
    assert tuple(fit.joints) == (*BASE_ROWS, "a_joint", "b_joint", "c_joint")
    nmse = fit.metrics["test"]["nmse_var"].joints
    assert np.median(list(nmse.values())) < (0.1 if model != "delan" else 0.4)
    mass = sum(link.phi[0] for link in read_truth(project / "logs").links)
    if model != "delan":  # whose gravity has nothing to do with its mass
        assert fit.mass.mean == pytest.approx(mass, rel=0.1)
    assert fit.mass.least <= fit.mass.mean <= fit.mass.largest
    assert fit.mass.nominal == pytest.approx(9.6)
    assert fit.mass.entries == ENTRIES[model]


def test_sparsity_and_consistency_outlive_training(lagrangians):
    """What a leg does is nothing to another, and the inertia about the base is one of a body."""
    folder, _ = lagrangians
    generator = torch.Generator().manual_seed(0)
    body = read_torque_model(folder / "felan").model.model.body
    q = 3 * torch.randn(500, 10, generator=generator, dtype=torch.float64)
    with torch.no_grad():
        H, mass, h = body.inertia(q)
    for one, other in ((6, 7), (6, 8), (7, 8)):
        assert not H[:, one, other].any()
    assert torch.linalg.eigvalsh(H).min() > 0
    about = H[:, 3:6, 3:6]
    second = torch.diagonal(about, dim1=1, dim2=2).sum(-1)[:, None, None] / 2 * torch.eye(3) - about
    pseudo = torch.cat([torch.cat([second, h[:, :, None]], 2),
                        torch.cat([h[:, None], mass[:, None, None]], 2)], 1)  # fmt: skip
    assert torch.linalg.eigvalsh(second).min() > 0
    assert torch.linalg.eigvalsh(pseudo).min() > 0


@pytest.mark.parametrize("keys", [{"model": "mlp"}, {"model": "hybrid", "rigid": "felan"}])
def test_networks_see_how_a_base_is_turned(project, tmp_path, keys):
    fit, _ = fitted(project, tmp_path / "fit", **keys, **SHORT | {"epochs": 30})
    assert fit.curve[-1].validation < 0.3 * fit.curve[0].validation
    nmse = fit.metrics["train"]["nmse_var"].joints
    assert np.median(list(nmse.values())) < 0.4


def test_reports_predictions_and_refusals(robotid, project, lagrangians, tmp_path):
    folder, fits = lagrangians
    answer = robotid("report", folder / "felan", "--out", tmp_path / "report")
    assert answer.code in (0, 4), answer.err
    page = (tmp_path / "report" / "report.html").read_text()
    assert "(robot file: 9.6 kg)" in page
    assert "take 31 numbers from networks" in page
    answer = robotid("predict", folder / "felan", project / "data", "--out", tmp_path / "said")
    assert answer.code in (0, 4), answer.err
    said = read_predictions(tmp_path / "said").recordings["run3"].errors["base.fz"].rmse
    assert said == pytest.approx(fits["felan"].metrics["test"]["rmse"].joints["base.fz"], rel=1e-6)
    answer = robotid("export", folder / "felan", "--format", "c", "--out", tmp_path / "code")
    assert answer.code == 78, answer.err
    assert "error[floating-robot]" in answer.err


def test_a_fixed_robot_has_no_floating_energy(robotid, project, tmp_path):
    answer = robotid("fit", project / "data", "--robot", project / "tripod.urdf", "--base", "fixed",
                     "--model", "felan", "--epochs", "1")  # fmt: skip
    assert answer.code == 78, answer.err
    assert "error[fixed-robot]" in answer.err
    assert "tripod is fixed" in answer.err


def test_forces_part_by_part(robotid, project, lagrangians, tmp_path):
    """An SDP has all parts right; energies nearly; a network has none, which is said."""
    folder, _ = lagrangians
    for name, keys in {"sdp": {"model": "sdp"}, "mlp": {"model": "mlp", "epochs": 1}}.items():
        fitted(project, folder / name, **keys)
    names = ("sdp", "felan", "mlp")
    answer = robotid(
        "decompose", *(folder / name for name in names), "--dataset", project / "data",
        "--truth", project / "logs", "--out", tmp_path / "parts", "--json",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert "no-parts" in answer.out
    found = read_decomposition(tmp_path / "parts")
    assert found.without == ["mlp"]
    assert found.recordings == ["run3"]
    for part in ("inertial", "coriolis", "gravity"):
        assert found.models["sdp"].parts[part].mean < 1e-3
        assert found.models["sdp"].parts[part].mean < found.models["felan"].parts[part].mean < 0.3
    weight = 9.81 * sum(link.phi[0] for link in read_truth(project / "logs").links)
    down = np.hypot.reduce([found.sizes["gravity"][row] for row in BASE_ROWS[:3]])
    assert down == pytest.approx(weight, rel=1e-3)
    page = (tmp_path / "parts" / "decomposition.html").read_text()
    assert "Forces of gravity: sdp is nearest to the true ones" in page


def test_parts_of_another_robot_are_refused(project, lagrangians, tmp_path):
    folder, _ = lagrangians
    inputs = {
        "fits": [Source("felan", folder / "felan", "")],
        "dataset": [Source("", project / "data", "")],
        "truth": [Source("", project / "logs", "")],
    }
    (tmp_path / "out").mkdir()
    with pytest.raises(BadDataError, match="no recording is for val"):
        decompose(DecomposeConfig(split="val"), inputs, tmp_path / "out")
