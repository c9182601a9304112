"""Torques of a model, and fit folders that do not hold what they should."""

import json

import numpy as np
import pytest

from robotid.contracts.fit import FIT, JointTerms
from robotid.errors import BadDataError, UsageError
from robotid.information.layout import TERMS, Layout
from robotid.information.regressor import random_motion, row_columns
from robotid.models.from_fit import read_fitted
from robotid.models.rigid_body import RigidBodyModel
from robotid.robot.load import load_robot
from tests.exporting.fits import random_parameters, write_fit
from tests.reference_models import pinocchio_model, random_tree

ROBOTS = ("panda", "ur10", "cartpole", "furuta")


@pytest.mark.parametrize("name", ROBOTS)
def test_torque_is_the_regressor_times_the_parameters(name):
    layout = Layout(load_robot(name).tree, TERMS)
    model = RigidBodyModel(layout, random_parameters(layout))
    motion = random_motion(layout.robot, 50, seed=0)
    W = row_columns(layout, motion)
    wanted = np.column_stack(
        [w @ model.phi[columns] for w, columns in zip(W, layout.columns, strict=True)]
    )
    torque = model.torque(*motion)
    assert torque.dtype == np.float64
    np.testing.assert_allclose(torque, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
    parts = model.parts(*motion)
    assert list(parts) == ["links", *TERMS]
    np.testing.assert_allclose(sum(parts.values()), torque, rtol=1e-12, atol=1e-12)
    viscous = model.own.reshape(-1, 4)[:, 0]
    np.testing.assert_array_equal(parts["viscous"], motion.qd * viscous)


def test_memory_goes_on_from_batch_to_batch(monkeypatch):
    layout = Layout(load_robot("furuta").tree, ["coulomb-held(0.5)"])
    model = RigidBodyModel(layout, random_parameters(layout))
    motion = random_motion(layout.robot, 40, seed=0)
    motion.qd[10:30] *= 0.01
    wanted = np.column_stack([
        w @ model.phi[c] for w, c in zip(row_columns(layout, motion), layout.columns, strict=True)
    ])  # fmt: skip
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(model.torque(*motion), wanted, **close)
    held = {}
    pieces = [model.torque(*(x[at : at + 8] for x in motion), held) for at in range(0, 40, 8)]
    np.testing.assert_allclose(np.concatenate(pieces), wanted, **close)
    assert set(held.values()) <= {-1.0, 1.0}
    monkeypatch.setattr("robotid.models.rigid_body._BATCH", 7)
    np.testing.assert_allclose(model.torque(*motion), wanted, **close)
    parts = model.parts(*motion)["coulomb-held"]
    assert (np.abs(parts[10:30]) > 0).all()  # at standstill as before


def test_terms_of_every_kind_and_coupled_joints():
    layout = Layout(
        load_robot("ur10").tree,
        ["viscous-asymmetric", "coulomb-asymmetric", "stribeck(0.1)", "load", "offset", "rotor"],
        {"elbow_joint": ["coulomb(0.3)"]},
        ["wrist_1_joint+wrist_2_joint"],
    )
    model = RigidBodyModel(layout, random_parameters(layout))
    motion = random_motion(layout.robot, 40, seed=0)
    wanted = np.column_stack([
        w @ model.phi[c] for w, c in zip(row_columns(layout, motion), layout.columns, strict=True)
    ])  # fmt: skip
    np.testing.assert_allclose(model.torque(*motion), wanted, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("seed", [1, 4])
def test_links_against_pinocchio(seed):
    import pinocchio as pin

    robot = random_tree(seed, floating=True)
    model = RigidBodyModel(Layout(robot), robot.phi.ravel())
    motion = random_motion(robot, 5, seed)
    reference = pinocchio_model(robot)
    data = reference.createData()
    wanted = [pin.rnea(reference, data, *state) for state in zip(*motion, strict=True)]
    np.testing.assert_allclose(model.torque(*motion), wanted, rtol=1e-9, atol=1e-9)


def test_how_samples_are_batched_changes_nothing(monkeypatch):
    layout = Layout(load_robot("furuta").tree, TERMS)
    model = RigidBodyModel(layout, random_parameters(layout))
    motion = random_motion(layout.robot, 100, seed=0)
    whole = model.torque(*motion)
    monkeypatch.setattr("robotid.models.rigid_body._BATCH", 7)
    np.testing.assert_allclose(model.torque(*motion), whole, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(sum(model.parts(*motion).values()), whole, rtol=1e-13, atol=1e-13)
    assert model.torque(*(x[:0] for x in motion)).shape == (0, 2)


def test_nine_entries_of_an_inertia():
    """A symmetric matrix gives what ten parameters give; another one does not."""
    layout = Layout(load_robot("ur10").tree, ("offset",))
    ten = RigidBodyModel(layout, random_parameters(layout))
    nine = ten.links[:, [0, 1, 2, 3, 4, 5, 7, 5, 6, 8, 7, 8, 9]]
    model = RigidBodyModel(layout, np.concatenate([nine.ravel(), ten.own]))
    assert (model.full, ten.full) == (True, False)
    motion = random_motion(layout.robot, 20, seed=0)
    np.testing.assert_allclose(model.torque(*motion), ten.torque(*motion), rtol=1e-12, atol=1e-12)
    nine[3, 5] += 1.0
    other = RigidBodyModel(layout, np.concatenate([nine.ravel(), ten.own]))
    assert np.abs(other.torque(*motion) - ten.torque(*motion)).max() > 0.1


def test_wrong_shapes_are_refused():
    layout = Layout(load_robot("furuta").tree)
    with pytest.raises(UsageError, match="3 parameters were given"):
        RigidBodyModel(layout, np.zeros(3))
    model = RigidBodyModel(layout, np.zeros(20))
    with pytest.raises(UsageError, match="qd has shape"):
        model.torque(np.zeros((4, 2)), np.zeros((3, 2)), np.zeros((4, 2)))


@pytest.mark.parametrize("full", [False, True])
def test_a_fit_folder_is_read_back(tmp_path, full):
    options = {"lock": ["panda_joint7=0.5"], "gravity": "0,0,-3.7"}
    fitted = read_fitted(write_fit(tmp_path, "panda", options=options, full=full))
    assert fitted.robot.tree.joint_names == tuple(f"panda_joint{n}" for n in range(1, 7))
    assert fitted.robot.tree.gravity.tolist() == [0, 0, -3.7]
    assert fitted.model.phi.tolist() == [p.value for p in fitted.fit.parameters]
    assert fitted.model.full is full


def changed(folder, change):
    path = folder / FIT
    fields = json.loads(path.read_text())
    change(fields)
    path.write_text(json.dumps(fields))
    return folder


def swap(fields):
    fields["parameters"][0], fields["parameters"][1] = fields["parameters"][1::-1]


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (swap, "fit-differs", "parameter 0 of the fit is"),
        (lambda f: f["parameters"].pop(), "fit-differs", "the fit has 27 parameters"),
        (lambda f: f["joints"].reverse(), "fit-differs", "the joints of the fit"),
        (lambda f: f["robot"].update(file="../nominal.urdf"), "bad-fit", "not the name of a file"),
        (lambda f: f["robot"].update(options={"locks": 1}), "bad-fit", "robot.options"),
        (lambda f: f["terms"].update(terms=["viscos"]), "unknown-term", "no term 'viscos'"),
        (lambda f: f.pop("model"), "bad-fit", "model: Field required"),
    ],
)
def test_folders_that_contradict_themselves(tmp_path, change, code, says):
    folder = changed(write_fit(tmp_path, "furuta"), change)
    with pytest.raises(BadDataError, match=says) as caught:
        read_fitted(folder)
    assert caught.value.notice.code == code
    assert "fit.json" in caught.value.notice.file


def test_another_robot_file_is_noticed(tmp_path):
    folder = write_fit(tmp_path, "furuta")
    (folder / "nominal.urdf").write_bytes(load_robot("cartpole").data)
    with pytest.raises(BadDataError, match="is not the one of the fit"):
        read_fitted(folder)


def test_terms_of_a_fit_are_those_of_its_layout(tmp_path):
    terms = ("viscous", "rotor")
    fitted = read_fitted(write_fit(tmp_path, "cartpole", terms=terms))
    assert fitted.fit.terms == JointTerms(terms=list(terms))
    assert fitted.model.layout.terms == terms
