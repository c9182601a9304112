"""Widths of friction chosen among candidates that the factors carry, by the least training loss.

The common columns are projected out once; what is left of the candidates' columns is a small
matrix, so that each choice costs microseconds. One term after the other takes its best width with
the others held, until none changes. Friction against the motion is not negative here either: else a
width far from the right one may come first, with a parameter of the wrong sign.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import nnls
from scipy.special import chdtri

from robotid.contracts.fit import Choice
from robotid.dynamics.joint_columns import Candidates
from robotid.fitting.evidence import Evidence
from robotid.information.layout import Index, Layout
from robotid.information.on_file import ChangedBlock
from robotid.information.system import System, assemble
from robotid.information.triangular import triangle

Array = NDArray[np.float64]

_ROUNDING = 1e-11  # of a column: what others leave of it if it depends on them
_EQUAL = 1e-10  # of a loss
_CHANCE = 0.05  # that a term, or a width, that makes no difference seems to make one
_SWEEPS = 50


class Chosen(NamedTuple):
    """A problem with one width per term.

    Args:
        layout: without candidates.
        evidence: about the parameters that stay.
        kept: those parameters, as positions among the ones before.
        choices: what was chosen and how the others would have done.
    """

    layout: Layout
    evidence: Evidence
    kept: Index
    choices: tuple[Choice, ...]


def choose_widths(evidence: Evidence, layout: Layout) -> Chosen:
    """Choose a width for every term that has candidates.

    Errors of rows are weighted by one over their noise, as the best fit with all candidates at
    once leaves it. Losses are sums of squares in these units, of as many samples as are
    independent: differences of about one are chance.

    Args:
        evidence: of the training data.
        layout: with candidates, or without: then nothing changes.
    """
    groups = layout.candidates
    if not groups:
        return Chosen(layout, evidence, np.arange(layout.parameters), ())
    merged = evidence.merged()
    noise = np.array([factor.rho / np.sqrt(factor.count) for factor in merged])
    weights = 1.0 / np.maximum(noise, evidence.least_noise)
    named = dict(zip(evidence.rows, weights.tolist(), strict=True))
    rest = _Rest(assemble(merged, layout.parameters, named), layout)
    picks = [len(group.widths) // 2 for group in groups]
    for _ in range(_SWEEPS):
        before = list(picks)
        for number in range(len(groups)):
            picks[number] = _least(rest.losses(picks, number))
        if picks == before:
            break
    choices = tuple(
        _choice(group, pick, evidence.independent * np.array(rest.losses(picks, number, True)))
        for number, (group, pick) in enumerate(zip(groups, picks, strict=True))
    )
    plain, kept = layout.choosing(picks)
    return Chosen(plain, restricted(evidence, kept), kept, choices)


def _choice(group: Candidates, pick: int, losses: Array) -> Choice:
    """What was chosen, and whether that says anything.

    Args:
        group: of candidates.
        pick: the one of least loss.
        losses: of all, and last without any of them.
    """
    *own, without = losses.tolist()
    best, inner = own[pick], own[1:-1]
    # One more degree of freedom than parameters: the width was chosen as well.
    needed = without - best > float(chdtri(len(group.columns[pick]) + 1, _CHANCE))
    beyond = not inner or min(inner) - best > float(chdtri(1, _CHANCE))
    return Choice(
        owner=group.owner,
        term=group.term,
        candidates=list(group.widths),
        losses=own,
        chosen=group.widths[pick],
        at_edge=needed and beyond and pick in (0, len(own) - 1),
        without=without,
        needed=needed,
    )


def _least(losses: Sequence[float]) -> int:
    """The narrowest of the best: the first, at the edge, where friction of no width helps."""
    least = min(losses)
    return next(number for number, loss in enumerate(losses) if loss <= least * (1 + _EQUAL))


def restricted(evidence: Evidence, kept: Index) -> Evidence:
    """Evidence about the parameters that stay, such as that of test data after a choice."""
    blocks, fewer = (
        tuple(ChangedBlock(block, lambda factor: factor.restricted(kept)) for block in some)
        for some in (evidence.blocks, evidence.fewer)
    )
    return replace(evidence, blocks=blocks, fewer=fewer, parameters=kept.size)


class _Rest:
    """Columns of candidates, and torque, less what all other columns can do about them."""

    def __init__(self, system: System, layout: Layout) -> None:
        self._groups = layout.candidates
        everyone = [p for group in self._groups for columns in group.columns for p in columns]
        self._place = {position: number for number, position in enumerate(everyone)}
        common = np.setdiff1d(np.arange(layout.parameters), everyone)
        W = system.R[:, common]
        norms = np.linalg.norm(W, axis=0)
        W = W[:, norms > 0] / norms[norms > 0]
        Q, R, _ = qr(W, mode="economic", pivoting=True)
        Q = Q[:, np.abs(np.diag(R)) > _ROUNDING]
        left = np.column_stack([system.R[:, everyone], system.z])
        for _ in range(2):  # once more: the first pass leaves rounding
            left = left - Q @ (Q.T @ left)
        self._R = triangle(left)
        self._rho = system.rho

    def losses(self, picks: Sequence[int], number: int, without: bool = False) -> list[float]:
        """The loss for each width of one group, those of the others as picked.

        `without` adds one more, that of none of its widths.
        """
        others = [
            p
            for k, (group, pick) in enumerate(zip(self._groups, picks, strict=True))
            if k != number
            for p in group.columns[pick]
        ]
        own = [*self._groups[number].columns, *([()] if without else ())]
        return [self._loss([*others, *columns]) for columns in own]

    def _loss(self, positions: Sequence[int]) -> float:
        if not positions:
            return float(self._R[:, -1] @ self._R[:, -1]) + self._rho**2
        A = self._R[:, [self._place[p] for p in positions]]
        norms = np.linalg.norm(A, axis=0)
        A = A / np.where(norms > 0, norms, 1.0)
        _, left = nnls(A, self._R[:, -1])
        return float(left) ** 2 + self._rho**2
