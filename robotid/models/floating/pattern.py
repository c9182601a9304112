"""Which entries the factor L of a floating robot's mass matrix has, and what they depend on.

H = Lᵀ L with L lower-triangular, over base coordinates (three of translation, three of rotation)
and joints. Entry (i, j) of a joint i is there if j is a base coordinate, or a joint on the way from
the base to i: joints of different branches do not feel each other. It depends on the joints behind
i and on those between j and i. Joints come in chains without branching; what depends on the same
joints is one network.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from robotid.robot.tree import RobotTree

BASE = 6  # coordinates of the base


class Network(NamedTuple):
    """A network: joints that it sees, and the entries (row, column) of L that it gives.

    Rows and columns count base coordinates first.
    """

    joints: tuple[int, ...]
    entries: tuple[tuple[int, int], ...]


def chains(robot: RobotTree) -> list[tuple[int, ...]]:
    """Driven joints in chains without branching, parents first."""
    first = int(robot.floating)  # body of the first driven joint
    children: dict[int, list[int]] = {}
    for body in range(first, robot.bodies):
        children.setdefault(robot.parents[body], []).append(body)
    found, begins = [], list(children.get(first - 1, []))
    while begins:
        chain = [begins.pop(0)]
        while len(behind := children.get(chain[-1], [])) == 1:
            chain.append(behind[0])
        begins += behind
        found.append(tuple(body - first for body in chain))
    return sorted(found)


def branched(robot: RobotTree) -> list[Network]:
    """Networks of the rows of joints, with the sparsity of the tree."""
    first = int(robot.floating)
    on_the_way = robot.ancestors[first:, first:]  # (i, j): joint j moves joint i
    parts = chains(robot)
    found: list[Network] = []
    for chain in parts:
        behind = np.flatnonzero(on_the_way[:, chain[-1]]).tolist()
        ways = [
            part for part in parts if on_the_way[chain[0], part[0]]
        ]  # to this chain, itself last
        targets: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        for number, part in enumerate(ways):
            between = {joint for other in ways[number:] for joint in other}
            targets.append((tuple(BASE + j for j in part), tuple(sorted(between | set(behind)))))
        every = tuple(sorted({joint for part in ways for joint in part} | set(behind)))
        targets.insert(0, (tuple(range(BASE)), every))
        for seen in dict.fromkeys(joints for _, joints in targets):
            columns = [c for some, joints in targets if joints == seen for c in some]
            entries = ((BASE + row, c) for row in chain for c in columns if c <= BASE + row)
            found.append(Network(seen, tuple(entries)))
    return found


def of_base(robot: RobotTree) -> Network:
    """All entries between coordinates of the base, which depend on all joints."""
    entries = ((row, column) for row in range(BASE) for column in range(row + 1))
    return Network(tuple(range(robot.n)), tuple(entries))


def dense(robot: RobotTree) -> Network:
    """All entries of L, from one network that sees all joints."""
    size = BASE + robot.n
    entries = ((row, column) for row in range(size) for column in range(row + 1))
    return Network(tuple(range(robot.n)), tuple(entries))


def count(networks: Sequence[Network]) -> int:
    """How many entries networks give."""
    return sum(len(network.entries) for network in networks)
