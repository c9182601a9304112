"""Cross-validation leaves out whole recordings, each once, and never lets a fit see them."""

import numpy as np
import pytest

from robotid.contracts.fit import Status
from robotid.errors import BadDataError, UsageError
from robotid.evaluation.cross_validation import FoldFit, cross_validate, groups
from robotid.evaluation.scores import baselines, scores
from robotid.information.blocks import DataBlock
from robotid.information.layout import Layout
from robotid.information.system import assemble
from robotid.robot.load import load_robot
from tests.evaluation.factors import plain_factors
from tests.information.motions import data_of, harmonics

LAYOUT = Layout(load_robot("double_pendulum").tree, ("viscous", "offset"))
NAMES = ("a", "b", "c", "d", "e")


def recording(name, seed):
    """Two blocks of 20 s each."""
    data = data_of(LAYOUT, harmonics(LAYOUT.robot, 800, 0.5, seed, rate_hz=20.0), seed=seed)
    # The truth is the same in all recordings: terms are drawn from the seed.
    tau = data.tau + np.column_stack(
        [w @ (TRUTH - data.phi)[c] for w, c in zip(data.W, LAYOUT.columns, strict=True)]
    )
    return [
        DataBlock(
            name,
            "train",
            begin / 20.0,
            begin / 20.0 + 20.0,
            plain_factors(
                LAYOUT, [w[begin : begin + 400] for w in data.W], tau[begin : begin + 400]
            ),
        )
        for begin in (0, 400)
    ]


TRUTH = np.concatenate([LAYOUT.robot.phi.ravel(), [0.3, 0.1, 0.2, -0.1]])
BLOCKS = [block for seed, name in enumerate(NAMES) for block in recording(name, seed)]


def fit(blocks):
    system = assemble([f for block in blocks for f in block.factors], LAYOUT.parameters)
    phi = np.linalg.lstsq(system.R, system.z, rcond=1e-9)[0]
    return FoldFit(phi, Status(converged=len(blocks) < 7, message="done"))


@pytest.mark.parametrize("count", [None, 2, 3, 99])
def test_each_recording_is_left_out_once(count):
    found = groups(NAMES, count)
    assert sorted(name for group in found for name in group) == sorted(NAMES)
    assert len(found) == min(count or 5, 5)
    sizes = [len(group) for group in found]
    assert max(sizes) - min(sizes) <= 1
    assert found == groups(NAMES, count)


@pytest.mark.parametrize("count", [None, 2])
def test_folds_are_fits_without_what_is_left_out(count):
    seen_by_fits = []

    def watched(blocks):
        seen_by_fits.append({block.recording for block in blocks})
        return fit(blocks)

    found = cross_validate(BLOCKS, watched, count, nominal=TRUTH)
    assert len(found.folds) == (count or 5)
    for fold, seen in zip(found.folds, seen_by_fits, strict=True):
        assert seen == set(NAMES) - set(fold.left_out)
        rest = [block for block in BLOCKS if block.recording in seen]
        data = {
            "train": [block.factors for block in rest],
            "test": [block.factors for block in BLOCKS if block.recording in fold.left_out],
        }
        assert fold.metrics == scores(data, fit(rest).phi)["test"]
        beside = baselines(data, TRUTH)
        assert fold.baselines == {name: own["test"] for name, own in beside.items()}
        assert set(fold.baselines) == {"zero", "mean", "nominal"}
        assert fold.status.converged == (len(rest) < 7)
    values = [fold.metrics["rmse"].mean for fold in found.folds]
    assert found.mean["rmse"].mean == pytest.approx(np.mean(values))
    assert found.spread["rmse"].mean == pytest.approx(np.std(values, ddof=1))
    joint = LAYOUT.rows[1]
    values = [fold.metrics["relative"].joints[joint] for fold in found.folds]
    assert found.mean["relative"].joints[joint] == pytest.approx(np.mean(values))
    assert 0.05 < found.mean["relative"].mean < 0.2  # noise is 0.1 of the torque


def test_fewer_than_two_recordings_are_refused():
    with pytest.raises(BadDataError, match=r"needs two recordings with data, there are 1"):
        cross_validate(BLOCKS[:2], fit)
    with pytest.raises(BadDataError, match="there are 0"):
        cross_validate([], fit)
    with pytest.raises(UsageError, match="leaves nothing to learn from"):
        cross_validate(BLOCKS, fit, 1)
