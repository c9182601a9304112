"""A factor in the independent columns that another factor of the same row has.

Which columns of a row are taken as independent may depend on the terms that were there when it was
made (candidates of widths that are gone since), and their combinations on the processor, in the
last digit. What the factors say does not.
"""

from dataclasses import replace

import numpy as np

from robotid.errors import UsageError
from robotid.information.factor import Factor
from robotid.information.triangular import triangle

_ROUNDING = 1e-10  # of the largest column; some count as independent that are so by 1e-12 only


def in_basis_of(factor: Factor, like: Factor) -> Factor:
    """The same factor with the expansion of another, so that both can be merged.

    R_b E phi is kept for every phi: the new R_b is X with X E' = R_b E, made triangular.

    Args:
        factor: to be written otherwise.
        like: a factor of the same row, with the same columns of parameters.
    """
    if factor.same_columns(like):
        return factor
    if factor.row != like.row or not np.array_equal(factor.columns, like.columns):
        raise _differ(factor, like)
    norms = np.linalg.norm(like.expansion, axis=0)
    scale = 1.0 / np.where(norms > 0, norms, 1.0)  # parameters have different units
    given = factor.R[:-1, :-1] @ factor.expansion * scale
    X = np.linalg.lstsq((like.expansion * scale).T, given.T)[0].T
    left = np.linalg.norm(X @ (like.expansion * scale) - given, axis=0)
    if (left > _ROUNDING * np.linalg.norm(given, axis=0).max()).any():
        raise _differ(factor, like)
    rows = np.vstack([X, np.zeros(X.shape[1])])
    R = triangle(np.column_stack([rows, factor.R[:, -1]]))
    return replace(factor, expansion=like.expansion, R=R)


def _differ(factor: Factor, like: Factor) -> UsageError:
    said = f"factors of {factor.row} and {like.row} are not of the same columns"
    return UsageError("factors-differ", said, hint="same robot, joint and terms are needed")
