"""A robot in the form in which `robotid robots` answers."""

from math import isfinite
from typing import Any

from robotid.cli.answer import JointFacts, LinkFacts, RobotAnswer, RobotSummary
from robotid.robot.assembly import own_phi
from robotid.robot.catalog import ROBOTS
from robotid.robot.load import Loaded
from robotid.robot.tree import Joint, RobotTree


def summary_of_robot(name: str, loaded: Loaded) -> RobotSummary:
    """One line of the list."""
    tree = loaded.tree
    mass = _mass(tree)
    summary = ROBOTS[name].summary
    return RobotSummary(
        name=name, joints=tree.n, floating=tree.floating, mass=mass, summary=summary
    )


def answer_of_robot(loaded: Loaded, *, base_parameters: bool = False) -> RobotAnswer:
    """Joints, limits, links and findings of one robot; base parameters take a second longer."""
    tree = loaded.tree
    x, y, z = (float(g) for g in tree.gravity)
    return RobotAnswer(
        warnings=list(loaded.notices),
        name=tree.name,
        file=str(loaded.path),
        format=loaded.description.format,
        base=tree.base,
        floating=tree.floating,
        gravity=(x, y, z),
        mass=_mass(tree),
        joints=[
            _joint(tree, body, joint)
            for body, joint in enumerate(tree.joints)
            if joint.kind != "floating"
        ],
        links=_links(tree),
        base_parameters=_groupings(tree) if base_parameters else None,
    )


def _groupings(tree: RobotTree) -> list[str]:
    from robotid.dynamics.base_parameters import base_parameters
    from robotid.dynamics.groupings import groupings

    return [grouping.text() for grouping in groupings(base_parameters(tree))]


def _mass(tree: RobotTree) -> float:
    """Of all links: bodies hold those tied to them, those tied to the base come on top."""
    return float(tree.phi[:, 0].sum() + sum(x.phi[0] for x in tree.fixed if x.body < 0))


def _joint(tree: RobotTree, body: int, joint: Joint) -> JointFacts:
    parent = tree.parents[body]
    limits: dict[str, Any] = {
        name: value if isfinite(value) else None for name, value in joint.limits._asdict().items()
    }
    facts = {name: getattr(joint, name) for name in ("name", "kind", "axis", "damping", "friction")}
    return JointFacts(
        link=tree.links[body],
        parent=tree.base if parent < 0 else tree.links[parent],
        rotor_inertia=joint.rotor_inertia,
        **facts,
        **limits,
    )


def _links(tree: RobotTree) -> list[LinkFacts]:
    moving = [
        LinkFacts(name=name, mass=float(phi[0]), tied_to=None)
        for name, phi in zip(tree.links, own_phi(tree), strict=True)
    ]
    fixed = [
        LinkFacts(
            name=link.name,
            mass=float(link.phi[0]),
            tied_to=tree.links[link.body] if link.body >= 0 else _below(tree, link.name),
        )
        for link in tree.fixed
    ]
    return moving + fixed


def _below(tree: RobotTree, name: str) -> str:
    return "ground" if name == tree.base else tree.base
