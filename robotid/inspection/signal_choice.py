"""Which of several columns of the same signal to use: the measured ones."""

from collections.abc import Sequence

import numpy as np

from robotid.inspection.column_groups import Group
from robotid.inspection.remarks import Passed

# What a mark is worth; what is not in the table is not taken at all.
_WORTH: dict[str, float] = {
    "measured": 3.0,
    "current": 0.0,
    "motor": -0.5,
    "filtered": -2.0,
    "commanded": -5.0,
    "computed": -6.0,
}
_REASON = {
    "filtered": "filtered already",
    "commanded": "asked for, not measured",
    "computed": "computed, not measured",
    "motor": "of the motors",
    "error": "a difference",
    "limit": "a limit",
    "cartesian": "not of a joint",
    "external": "of something outside",
    "switch": "not a signal",
}
_DEAD, _OTHER_COUNT, _SHORT, _WEAK = -8.0, -4.0, -10.0, -1.0
_SAME_PLACE, _SAME_WORD, _SMOOTH = 1.0, 0.5, -5.5
_SMOOTHER = 5.0  # times: then a torque was computed rather than measured
_FEW_ROWS = 0.1  # of the longest stream


class Choice:
    """The groups of a log by signal, from which the best are taken."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = list(groups)
        self._longest = max((group.stream.rows for group in groups), default=0)
        self.passed: list[Passed] = []
        self._smooth = _smooth_torques(groups)

    def best(self, signal: str, like: Group | None, *, commanded: bool = False) -> Group | None:
        """The best group of a signal; all others are noted as passed over.

        Args:
            signal: such as `tau`.
            like: the positions, which others should have as many columns as.
            commanded: take only what was asked for.
        """
        named = [g for g in self._groups if g.facts.signal == signal]
        usable = [g for g in named if g.facts.marks <= set(_WORTH)]
        if commanded:
            usable = [g for g in usable if "commanded" in g.facts.marks and not g.dead]
        if like is not None:
            usable = [g for g in usable if len(g.columns) == len(like.columns)]
        usable.sort(key=lambda g: -self._score(g, like))
        if not usable or self._score(usable[0], like) <= _SHORT:
            return None
        if not commanded:
            for group in [*usable[1:], *(g for g in named if g not in usable)]:
                self.passed.append(Passed(signal, group.shown, self._reason(group, like)))
        return usable[0]

    def _score(self, group: Group, like: Group | None) -> float:
        score = sum(_WORTH[mark] for mark in group.facts.marks)
        score += _DEAD * group.dead + _WEAK * group.facts.weak
        score += _SMOOTH * (group.shown in self._smooth)
        if group.stream.rows < _FEW_ROWS * self._longest:
            score += _SHORT
        if like is not None:
            score += _SAME_PLACE * (group.stream is like.stream)
            score += _SAME_WORD * len(set(group.facts.words) & set(like.facts.words))
        else:
            score += 0.01 * len(group.columns)
        return score

    def _reason(self, group: Group, like: Group | None) -> str:
        if group.dead:
            return "never changes"
        if group.shown in self._smooth:
            return self._smooth[group.shown]
        for mark in ("error", "limit", "switch", "cartesian", "external", "computed", "commanded"):
            if mark in group.facts.marks:
                return _REASON[mark]
        if like is not None and len(group.columns) != len(like.columns):
            return f"{len(group.columns)} columns for {len(like.columns)} joints"
        if group.stream.rows < _FEW_ROWS * self._longest:
            return f"{group.stream.rows} rows only"
        for mark in ("filtered", "motor"):
            if mark in group.facts.marks:
                return _REASON[mark]
        return "would do as well"


def _smooth_torques(groups: Sequence[Group]) -> dict[str, str]:
    """Torques without the noise that others of the same log have: computed by a model, it seems."""
    torques = [
        g
        for g in groups
        if g.facts.signal == "tau"
        and not g.dead
        and not g.facts.marks & {"commanded", "computed", "filtered", "error", "limit"}
    ]
    found: dict[str, str] = {}
    for group in torques:
        if group.facts.marks:
            continue  # its name says where it comes from
        for other in torques:
            if not other.facts.marks or len(other.columns) != len(group.columns):
                continue
            pairs = [
                ((b.roughness or 0) * (b.std or 0), (a.roughness or 0) * (a.std or 0))
                for a, b in zip(group.columns, other.columns, strict=True)
            ]
            times = [noisy / own for noisy, own in pairs if own > 0 and noisy > 0]
            if times and np.median(times) > _SMOOTHER:
                found[group.shown] = (
                    f"{np.median(times):.0f} times smoother than {other.shown}: "
                    "it looks computed by a model"
                )
    return found
