"""Base parameters of a layout: what the generalised forces that count can tell of parameters."""

import numpy as np

from robotid.dynamics.base_parameters import (
    BaseParameters,
    base_parameters,
    parameter_names,
    priority,
    reduce,
)
from robotid.information.basis import random_columns
from robotid.information.layout import Layout
from robotid.information.projection import Projection


def base_of(layout: Layout) -> BaseParameters:
    """The base parameters of a layout.

    Rows of a floating base show all that rows of joints do of its links. Contacts whose forces are
    not known hide some: what a mass at such a link would do, a force there does as well.
    """
    if layout.forces.kind != "projected":
        return base_parameters(layout.robot, **layout.arguments)
    plain, forces = layout.plain, layout.forces
    motion, rows = random_columns(plain)
    whole = np.zeros((len(motion.q), layout.robot.nv, layout.parameters))
    for row, (W, columns) in enumerate(zip(rows, plain.columns, strict=True)):
        whole[:, row, columns] = W
    projection = Projection(layout.robot, forces.links, moments=forces.moments)
    touched = np.ones((len(motion.q), len(forces.links)))
    shown = projection.apply(projection.directions(motion.q, touched), whole)
    flat = shown.reshape(-1, layout.parameters)
    names = parameter_names(layout.robot, layout.own)
    return reduce(flat, names, priority(layout.robot, layout.parameters))
