"""What the training data of a fit say of all parameters, as its folder keeps it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.contracts.information import Information, InformationFacts
from robotid.fitting.evidence import Evidence
from robotid.information.layout import Layout

Array = NDArray[np.float64]


def information_of(
    layout: Layout, evidence: Evidence, noise: Array, shares: ArrayLike = 1.0
) -> Information:
    """The information of evidence, with errors in units of their standard deviations.

    Args:
        layout: the robot and the terms of its joints.
        evidence: the training data.
        noise: standard deviation of the errors of each row [N m], shape (rows,).
        shares: with which blocks count, as robust fits find them; broadcasts to (blocks, rows).
    """
    system = evidence.system(np.asarray(shares, dtype=np.float64) / noise)
    facts = InformationFacts(
        robot=layout.robot.name,
        geometry_sha256=layout.digest,
        parameters=list(layout.names),
        noise=dict(zip(evidence.rows, noise.tolist(), strict=True)),
        independent=evidence.independent,
        count=system.count,
    )
    return Information(facts, system.R, system.z, system.rho)
