"""A factor in another basis says the same, and merges with what is in that basis."""

from dataclasses import replace

import numpy as np
import pytest

from robotid.errors import UsageError
from robotid.information.factor import Factor, merge
from robotid.information.other_basis import in_basis_of
from robotid.information.triangular import triangle

EXPANSION = np.array([[1.0, 0.0, 2.0, 0.5], [0.0, 1.0, -1.0, 30.0]])


def factor(seed, expansion=EXPANSION):
    rng = np.random.default_rng(seed)
    W, tau = rng.normal(size=(50, 2)), rng.normal(size=50)
    R = triangle(np.column_stack([W, tau]))
    columns = np.array([0, 3, 4, 7])
    return Factor("j", columns, expansion, R, 50, tau.sum(), tau.min(), tau.max())


@pytest.mark.parametrize("independent", [(2, 3), (0, 3), (3, 1)])
def test_other_columns_are_independent(independent):
    """The last two columns make the others as well, in other units."""
    T = EXPANSION[:, independent]
    like, given = factor(1, np.linalg.solve(T, EXPANSION)), factor(2)
    found = in_basis_of(given, like)
    assert found.same_columns(like)
    rng = np.random.default_rng(0)
    for phi in rng.normal(size=(5, 8)):
        assert found.loss(phi) == pytest.approx(given.loss(phi), rel=1e-12)
        both = merge([found, like])
        assert both.loss(phi) == pytest.approx(given.loss(phi) + like.loss(phi), rel=1e-12)
    assert found.power == pytest.approx(given.power, rel=1e-12)
    assert in_basis_of(given, factor(3)) is given


def test_other_columns_at_all_are_refused():
    other = EXPANSION + np.array([[0.0, 0.0, 0.0, 0.1], [0.0, 0.0, 0.0, 0.0]])
    with pytest.raises(UsageError, match="not of the same columns"):
        in_basis_of(factor(1), factor(2, other))
    with pytest.raises(UsageError, match="not of the same columns"):
        in_basis_of(factor(1), replace(factor(2, other), row="k"))
