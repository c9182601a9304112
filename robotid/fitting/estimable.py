"""What data determine: base parameters, with those grouped that the motion does not tell apart."""

import numpy as np

from robotid.dynamics.base_parameters import TOLERANCE, BaseParameters, reduce
from robotid.information.system import System


def estimable(
    system: System, base: BaseParameters, *, tolerance: float = TOLERANCE
) -> BaseParameters:
    """The base parameters of the robot where data determine all of them, fewer sums otherwise.

    Columns that say nothing in these data become `unidentifiable`; one that others express, to the
    tolerance and relative to its length, is grouped with them.
    """
    columns = base.reduced(system.R)
    found = reduce(columns, base.base_names, range(base.rank), tolerance)
    if found.rank == base.rank:
        return base
    projection = found.projection @ base.projection
    independent = tuple(base.independent[kept] for kept in found.independent)
    others = [column for column in range(len(base.names)) if column not in independent]
    silent = tuple(column for column in others if not projection[:, column].any())
    dependent = tuple(column for column in others if column not in silent)
    K = np.ascontiguousarray(projection[:, dependent])
    K.setflags(write=False)
    gap = (max(found.gap[0], base.gap[0]), min(found.gap[1], base.gap[1]))
    return BaseParameters(base.names, independent, dependent, silent, K, gap)


def each_alone(base: BaseParameters) -> BaseParameters:
    """All parameters as their own base parameters: what a prior makes of them."""
    everything = tuple(range(len(base.names)))
    return BaseParameters(
        base.names, everything, (), (), np.zeros((len(everything), 0)), (0.0, 1.0)
    )
