"""The parameters of a fit by link and by joint."""

from typing import NamedTuple

from robotid.contracts.fit import Parameter
from robotid.reporting.view import FitView


class Owned(NamedTuple):
    """A link or joint (or coupled joints) with its parameters, labelled without its name."""

    owner: str
    parameters: list[tuple[str, Parameter]]


class Owners(NamedTuple):
    """Links in the order of bodies; joints in the order of the fit, coupled ones after them."""

    links: list[Owned]
    joints: list[Owned]


def owners(view: FitView) -> Owners:
    """Parameters by owner; a link and a joint may have the same name."""
    model, robot = view.fitted.model, view.fitted.robot.tree
    each = model.links.shape[1]
    parameters = view.fit.parameters
    labels = [name.rpartition(".")[2] for name in model.layout.names[: 10 * robot.bodies]]
    if model.full:
        labels = [p.name.rpartition(".")[2] for p in view.fitted.fit.parameters]
    labels = [*labels[: each * robot.bodies], *(column.label for column in model.layout.own)]
    named = list(zip(labels, parameters, strict=True))
    links = [
        Owned(link, named[each * body : each * (body + 1)]) for body, link in enumerate(robot.links)
    ]
    joints: dict[str, Owned] = {}
    for column, pair in zip(model.layout.own, named[each * robot.bodies :], strict=True):
        joints.setdefault(column.owner, Owned(column.owner, [])).parameters.append(pair)
    return Owners(links, list(joints.values()))
