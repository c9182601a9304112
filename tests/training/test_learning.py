"""What trainings share: errors by joint, orders, one pass."""

import math

import numpy as np
import pytest
import torch

from robotid.models.learning import all_within, batches, evenly, normalised_error, one_pass


def test_error_is_over_the_variance():
    tau = np.array([[1.0, 5.0, 0.0], [3.0, 5.0, 2.0]])
    found = normalised_error(tau, np.array([[2.0, 5.0, 0.0], [2.0, 4.0, np.nan]]))
    assert found[0] == 1.0
    assert np.isnan(found[1])  # constant: it has no such error
    assert found[2] == np.inf


@pytest.mark.parametrize(
    ("errors", "within"),
    [([0.1, 0.05], True), ([0.1, 0.11], False), ([0.1, np.nan], True), ([np.nan], False),
     ([np.inf, 0.0], False)],
)  # fmt: skip
def test_every_joint_counts_that_has_an_error(errors, within):
    assert all_within(np.array(errors), 0.1) is within


def test_orders():
    generator = torch.Generator().manual_seed(0)
    assert [own.tolist() for own in batches(5, 2, "time", generator)] == [[0, 1], [2, 3], [4]]
    shuffled = torch.cat(list(batches(50, 20, "shuffled", generator)))
    assert shuffled.tolist() != list(range(50))
    assert sorted(shuffled.tolist()) == list(range(50))


def test_a_pass_learns_from_each_sample_once_in_order():
    given, error = [], [1.0]

    def step(chosen):
        given.extend(chosen.tolist())
        error[0] *= 0.9
        return 1.0

    found = one_pass(1005, 2, step, lambda: np.array(error))
    assert given == list(range(1005))
    assert found.converged
    assert [point.samples for point in found.curve[:2]] == [0, 6]  # 503 steps, every third kept
    assert found.curve[-1].samples == 1005
    assert len(found.curve) <= 202


def test_a_pass_that_diverges_or_learns_nothing():
    found = one_pass(10, 2, lambda chosen: math.nan if 4 in chosen else 1.0, lambda: np.ones(1))
    assert not found.converged
    assert "diverged in step 3 of 5" in found.message
    assert "lower learning rate" in one_pass(10, 2, lambda _: 1.0, lambda: np.ones(1)).message


def test_evenly():
    assert evenly(3, 5).tolist() == [0, 1, 2]
    assert evenly(101, 3).tolist() == [0, 50, 100]
