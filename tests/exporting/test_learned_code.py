"""Learned models as C: the torques of torch, step by step, and nothing but math.h."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from robotid.contracts.learned import Architecture
from robotid.exporting import learned_header as module
from robotid.exporting.c_compiler import Proof, compiled_torques
from robotid.exporting.learned_header import learned_header, learned_text
from robotid.exporting.outcome import LearnedRequest
from robotid.information.layout import Layout
from robotid.models.learned.architecture import empty
from robotid.models.learned.torques import LearnedTorques
from robotid.robot.catalog import shipped_path
from robotid.robot.load import load_robot

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")

LSTM = {"residual": "lstm", "hidden": (9, 7), "memory": 5}
KINDS = {
    "lstm": {"body": "none", **LSTM},
    "lstm of tanh": {"body": "none", "activation": "tanh", **LSTM},
    "mlp": {"body": "none", "residual": "mlp", "hidden": (9, 8)},
    "delan": {"body": "delan", "residual": "none", "lagrangian": (9, 8)},
    "delan of circles": {
        "body": "delan", "residual": "none", "lagrangian": (9,), "lagrangian_inputs": "circles",
        "lagrangian_activation": "tanh",
    },
    "hybrid": {"body": "links", "inertia": "diffbary", **LSTM},
    "nine entries": {"body": "links", "inertia": "nostr", **LSTM},
    "hybrid of a delan": {"body": "delan", "lagrangian": (9,), **LSTM},
    **{
        actuator: {"body": "links", "inertia": "log", "actuator": actuator, **LSTM}
        for actuator in ("viscous", "coulomb", "stribeck", "nn-friction", "nn-residual", "ff-nn")
    },
}  # fmt: skip


def request_of(kind, robot="panda", terms=("viscous", "coulomb", "stribeck(0.1)", "offset")):
    loaded = load_robot(shipped_path(robot))
    layout = Layout(loaded.tree, terms)
    model = empty(Architecture(**KINDS[kind]), layout)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for values in model.parameters():
            drawn = torch.randn(values.shape, generator=generator, dtype=torch.float64)
            values.add_(0.3 * drawn.to(values.dtype))
    fit = SimpleNamespace(
        robot=SimpleNamespace(name=robot),
        model="hybrid",
        verdict=SimpleNamespace(usable=True),
        learning=SimpleNamespace(rate_hz=100.0),
    )
    return LearnedRequest(SimpleNamespace(fit=fit, robot=loaded, model=LearnedTorques(layout, model)),
                          "0" * 64)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_it_compiles_and_gives_the_torques_of_torch(kind):
    written = learned_header(request_of(kind))
    assert written.checked
    assert written.difference < (1e-9 if KINDS[kind]["residual"] == "none" else 1e-5)


@pytest.mark.parametrize("kind", ["hybrid", "delan of circles"])
@pytest.mark.parametrize("robot", ["cartpole", "furuta"])
def test_other_robots(kind, robot):
    assert learned_header(request_of(kind, robot, ("viscous",))).difference < 1e-5


def test_a_memory_does_not_drift_apart_over_thousands_of_steps():
    request = request_of("hybrid")
    model = request.fitted.model
    t = np.arange(5000)[:, None] / 1000 + np.arange(7)
    states = (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t))
    proof = Proof("panda", 7, "panda_memory memory; panda_reset(&memory);", "&memory, ")
    found = compiled_torques("cc", learned_text(request), proof, states)
    size = np.abs(found).max(0)
    assert (np.abs(found - model.torque(*states)).max(0) / size).max() < 1e-5


def test_a_header_that_gives_other_torques_is_not_written(monkeypatch):
    true = learned_text(request_of("hybrid"))
    spoilt = true.replace("keep * memory->held[i] +", "memory->held[i] + 0 * keep +")
    assert spoilt != true
    monkeypatch.setattr(module, "learned_text", lambda _: spoilt)
    with pytest.raises(Exception, match="gives other torques than the fit"):
        learned_header(request_of("hybrid"))
