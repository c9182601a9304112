"""Which parameters there are, and which of them each row of torque depends on."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.forces import Forces
from robotid.dynamics.joint_columns import (
    Candidates,
    JointColumn,
    Specs,
    candidates_of,
    checked_specs,
    own_columns,
    specs_of,
)
from robotid.dynamics.terms import DEFAULT_TERMS
from robotid.errors import ConfigError, UsageError
from robotid.robot.tree import RobotTree

Index = NDArray[np.int64]

TERMS = DEFAULT_TERMS  # of joints, where nothing else is asked for
_ALL = Forces()
LINK_PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
LINK_UNITS = ("kg", *["kg m"] * 3, *["kg m²"] * 6)


@dataclass(frozen=True, eq=False)
class Layout:
    """Parameters and rows of a robot with some terms per joint.

    Parameters are those of the links, ten per body, then the terms joint by joint, then those of
    coupled joints. Rows are the torques of the driven joints; those of a floating base (its wrench)
    come first.

    Args:
        robot: the robot.
        terms: of joints without terms of their own, such as `viscous` or `stribeck(0.05,0.1)`.
        joint_terms: of single joints or couplings, by name.
        coupled: motors that drive two joints, such as `j5+j6`.
        forces: which generalised forces count; by default all of them.

    Besides, `specs` are the terms of every joint and coupling, and `own` the parameters after those
    of the links with their columns.
    """

    robot: RobotTree
    terms: Sequence[str] = ()
    joint_terms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    coupled: Sequence[str] = ()
    forces: Forces = _ALL
    specs: Specs = field(init=False)
    own: tuple[JointColumn, ...] = field(init=False)

    def __post_init__(self) -> None:
        specs = specs_of(self.robot, self.terms, self.joint_terms, self.coupled)
        usual = checked_specs(self.terms)
        texts = {name: tuple(map(str, specs[name])) for name in self.joint_terms}
        if self.forces.kind == "base":
            self._check_base()
        for name, value in (
            ("specs", specs),
            ("terms", tuple(map(str, usual))),
            ("joint_terms", texts),
            ("coupled", tuple(self.coupled)),
            ("own", own_columns(self.robot, specs, self.coupled)),
        ):
            object.__setattr__(self, name, value)

    def _check_base(self) -> None:
        """Rows of a base need one, and joints then have no rows for terms of their own."""
        if not self.robot.floating:
            said = f"rows: robot {self.robot.name} has a fixed base, and no rows of one"
            raise ConfigError("fixed-base", said, hint="let it float: --base floating")
        if self.terms or self.joint_terms or self.coupled:
            said = "terms: rows of a base show nothing of what joints have of their own"
            raise ConfigError("key-without-effect", said, hint="leave out terms of joints")

    @property
    def arguments(self) -> dict[str, Any]:
        """What makes this layout, besides the robot; plain lists, as `JointTerms` of a fit."""
        return {
            "terms": list(self.terms),
            "joint_terms": {name: list(texts) for name, texts in self.joint_terms.items()},
            "coupled": list(self.coupled),
        }

    @property
    def links(self) -> int:
        """How many parameters the links have."""
        return 10 * self.robot.bodies

    @property
    def parameters(self) -> int:
        """How many parameters there are."""
        return self.links + len(self.own)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows: joints, and the six of a floating base; or these alone."""
        return self.robot.rows[:6] if self.forces.kind == "base" else self.robot.rows

    @property
    def plain(self) -> "Layout":
        """The same with all generalised forces as they are."""
        return replace(self, forces=_ALL)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters, such as `forearm.Ixx` and `elbow.viscous`."""
        links = [f"{link}.{name}" for link in self.robot.links for name in LINK_PARAMETERS]
        return (*links, *(column.name for column in self.own))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Units of the parameters."""
        return (*LINK_UNITS * self.robot.bodies, *(column.unit for column in self.own))

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Which parameters of joints cannot be negative, shape (p,); none of the links."""
        own = [column.positive for column in self.own]
        return np.array([False] * self.links + own, dtype=bool)

    @cached_property
    def candidates(self) -> tuple[Candidates, ...]:
        """Terms that are there with several widths, of which one is to be chosen."""
        return candidates_of(self.own, self.links)

    def choosing(self, picks: Sequence[int]) -> "tuple[Layout, Index]":
        """The layout with one width of each of the `candidates`, and which parameters stay.

        Args:
            picks: for each of the candidates, which of its widths.
        """
        if len(picks) != len(self.candidates):
            said = f"{len(picks)} choices for {len(self.candidates)} terms with candidates"
            raise UsageError("wrong-shape", said)
        if not picks:
            return self, np.arange(self.parameters)
        specs, gone = dict(self.specs), set[int]()
        for group, pick in zip(self.candidates, picks, strict=True):
            specs[group.owner] = tuple(
                spec._replace(widths=(group.widths[pick],)) if spec.term == group.term else spec
                for spec in specs[group.owner]
            )
            gone.update(p for w, some in enumerate(group.columns) if w != pick for p in some)
        texts = {name: tuple(map(str, some)) for name, some in specs.items()}
        kept = [position for position in range(self.parameters) if position not in gone]
        own = Layout(self.robot, (), texts, self.coupled, self.forces)
        return own, np.array(kept, dtype=np.int64)

    def with_terms(self, wanted: Sequence[str]) -> "tuple[Layout, Index]":
        """The layout with no other terms than these, and which parameters stay."""
        texts = {
            name: tuple(str(spec) for spec in some if spec.term in wanted)
            for name, some in self.specs.items()
        }
        places = [place for place, column in enumerate(self.own) if column.term in wanted]
        kept = [*range(self.links), *(self.links + place for place in places)]
        own = Layout(self.robot, (), texts, self.coupled, self.forces)
        return own, np.array(kept, dtype=np.int64)

    def body(self, row: int) -> int:
        """The body that a row's torque moves."""
        return max(0, row - 5) if self.robot.floating else row

    def subtree(self, row: int) -> Index:
        """Bodies whose parameters a row depends on, parents first."""
        return np.flatnonzero(self.robot.ancestors[:, self.body(row)]).astype(np.int64)

    def joint(self, row: int) -> int | None:
        """Position of a row's joint among the driven ones; None for rows of a floating base."""
        at = row - 6 * self.robot.floating
        return at if at >= 0 else None

    def own_of(self, row: int) -> list[int]:
        """Which of `own` act on a row, ascending."""
        joint = self.joint(row)
        return [] if joint is None else self._acting[joint]

    @cached_property
    def _acting(self) -> list[list[int]]:
        """Which of `own` act on each joint."""
        result: list[list[int]] = [[] for _ in range(self.robot.n)]
        for position, column in enumerate(self.own):
            for joint, _ in column.motor.members:
                result[joint].append(position)
        return result

    @cached_property
    def columns(self) -> tuple[Index, ...]:
        """For each row the positions of its columns among the parameters: subtree, then terms.

        What is projected depends on all of them.
        """
        if self.forces.kind == "projected":
            return (np.arange(self.parameters),) * self.robot.nv
        result = []
        for row in range(len(self.rows)):
            links = (10 * self.subtree(row)[:, None] + np.arange(10)).ravel()
            own = [self.links + position for position in self.own_of(row)]
            result.append(np.concatenate([links, np.array(own, dtype=np.int64)]))
        return tuple(result)

    @property
    def digest(self) -> str:
        """SHA-256 of all that the columns depend on, besides the terms."""
        return geometry_digest(self.robot, with_links=self.loaded)

    @property
    def loaded(self) -> bool:
        """Whether a column depends on the parameters of the links in the robot file."""
        return any(column.form.kind == "loaded" for column in self.own)


def geometry_digest(robot: RobotTree, *, with_links: bool = False) -> str:
    """SHA-256 of all that regressors depend on.

    Args:
        robot: the robot.
        with_links: also the parameters of the links, which only friction by load depends on.
    """
    joints = [(joint.name, joint.kind) for joint in robot.joints]
    digest = hashlib.sha256(json.dumps([robot.links, joints, robot.parents]).encode())
    axes = np.array([joint.axis for joint in robot.joints], dtype=np.float64)
    for values in (axes, robot.placements, robot.gravity, *([robot.phi] if with_links else [])):
        digest.update((values + 0.0).tobytes())  # -0.0 becomes 0.0
    return digest.hexdigest()
