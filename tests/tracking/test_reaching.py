"""A hand that follows a path, and sines."""

import numpy as np
import pytest
import torch

from robotid.dynamics.kinematics import body_poses
from robotid.robot.load import load_robot
from robotid.tracking.bounds import room_of
from robotid.tracking.closed_loop import Followed
from robotid.tracking.law import Seen, Variances
from robotid.tracking.moves import minimum_jerk, random_postures
from robotid.tracking.options import TrackOptions
from robotid.tracking.outcomes import outcomes
from robotid.tracking.reaching import HandLaw, hand_of
from robotid.tracking.sums import Figures
from tests.tracking.test_closed_loop import outcome, tracked


def test_the_hand_is_the_last_link():
    assert hand_of(load_robot("double_pendulum").tree, None).link == "tip"
    assert hand_of(load_robot("double_pendulum").tree, "upper_arm").body == 0


def test_paths_are_those_of_the_hand():
    tree, options = load_robot("panda").tree, TrackOptions(task="reaching", motions=2)
    path = minimum_jerk(random_postures(room_of(tree, options), options, 2, 1.0), 1.0, 0.0, 1000.0)
    hand = hand_of(tree, None)
    law = HandLaw(tree, hand, path, np.ones((1, 7)), 10.0, 1.0, 1e-3)
    pose = body_poses(tree, torch.tensor(path.q))[:, :, hand.body].numpy()
    x = pose[..., :3, :3] @ hand.point + pose[..., :3, 3]
    xd = np.gradient(x, 1e-3, axis=0)
    seen = path.q[700][None, None], path.qd[700][None, None]
    found = law.command(700, Seen(*seen), Seen(*seen))
    np.testing.assert_allclose(found.desired, x[700], atol=1e-12)
    np.testing.assert_allclose(found.error, 0.0, atol=1e-12)
    # Variance of differences over two steps of 1 ms against that of exact speeds.
    np.testing.assert_allclose(law.variances.velocity[:, 0], xd.var(0).sum(-1), rtol=1e-3)


def test_better_models_reach_better():
    keys = {"task": "reaching", "targets": 2, "gains": ("medium",), "motions": 2}
    keys |= {"durations_s": (1.5,), "position_share": 0.2}  # away from where the arm is stretched
    found = tracked(**keys)
    none, nominal, truth = (outcome(found, name, "medium") for name in ("none", "nominal", "truth"))
    assert truth.rmse is truth.final_offset is None
    assert truth.velocity_nmse.mean < nominal.velocity_nmse.mean < none.velocity_nmse.mean
    assert truth.velocity_nmse.mean < 1e-3
    assert truth.hand.position_rmse.mean < 2e-3
    assert truth.by_motion == pytest.approx([truth.velocity_nmse.mean] * 2, rel=2)
    assert found.tracking.link == "tip"
    assert "velocity NMSE" in found.tracking.ranked[0].sentence
    assert found.motions[0].actual.shape[1] == 3


def test_sines_are_followed():
    found = tracked(task="sines", gains=("stiff",), durations_s=(2.0,))
    assert outcome(found, "truth").rmse.mean.mean < 0.02
    assert outcome(found, "truth").rmse.mean.mean < outcome(found, "nominal").rmse.mean.mean


def test_normalised_errors_are_those_of_the_figures():
    """Of joints: mean over them of mean squared error over variance; standing ones do not count."""
    rng = np.random.default_rng(0)
    squares, last = rng.random((1, 1, 3, 4)), rng.random((1, 1, 3, 4))
    rest = [rng.random((1, 1, 3, 2)) for _ in range(3)]
    followed = Followed(Figures(squares, last, *rest), None, [])
    tree = load_robot("double_pendulum").tree
    variances = Variances(np.array([[2.0, 4.0], [1.0, 0.0], [0.0, 0.0]]), np.full((3, 2), 0.5))
    ((joints,),) = outcomes(followed, tree, ["own"], 1.0, variances, hand=False)
    by_hand = [(squares[0, 0, 0, :2] / [2, 4]).mean(), squares[0, 0, 1, 0], 0.0]
    assert joints.position_nmse.mean == pytest.approx(np.mean(by_hand))
    assert joints.velocity_nmse.mean == pytest.approx(squares[0, 0, :, 2:].mean() / 0.5)
    whole = Variances(*(part.sum(-1, keepdims=True) for part in variances))
    ((hand,),) = outcomes(followed, tree, ["own"], 1.0, whole, hand=True)
    assert hand.velocity_nmse.mean == pytest.approx(squares[0, 0, :, 2:].sum(-1).mean())
    assert hand.by_motion == pytest.approx(squares[0, 0, :, 2:].sum(-1).tolist())
