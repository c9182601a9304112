"""Which model follows best, and whether that is more than chance."""

from collections.abc import Mapping

import numpy as np
from scipy.special import stdtrit

from robotid.contracts.tracking import Outcome, Ranked, Task, TrackedModel

_CONFIDENCE = 0.95  # of all comparisons with one gain and length together
_NOTHING = 1e-12  # deg, m or 1: errors that are no errors


def ranked(models: Mapping[str, TrackedModel], task: Task, unit: str) -> list[Ranked]:
    """For every gain and length; `truth`, which nobody has, is not ranked.

    Args:
        models: by name.
        task: of all of them.
        unit: of means over joints.
    """
    rivals = {name: model for name, model in models.items() if model.kind != "truth"}
    first = next(iter(rivals.values()))
    return [
        _ranked({name: model.outcomes[place] for name, model in rivals.items()}, task, unit)
        for place in range(len(first.outcomes))
    ]


def _ranked(outcomes: Mapping[str, Outcome], task: Task, unit: str) -> Ranked:
    one = next(iter(outcomes.values()))
    means = {name: own.score.mean for name, own in outcomes.items() if own.score is not None}
    order = sorted(means, key=means.__getitem__)
    where = f"{one.gain}, {one.duration_s:g} s"
    if not order:
        said = f"{where}: no model is stable in all motions."
        return Ranked(gain=one.gain, duration_s=one.duration_s, best=None, sentence=said)
    figure = "velocity NMSE {:.3g}" if task == "reaching" else f"RMSE {{:.3g}} {unit}"
    best, others = order[0], order[1:]
    beyond = bool(others) and all(
        _worse(outcomes[name], outcomes[best], len(others)) for name in others
    )
    motions = len(one.by_motion)
    said = f"{where}: {best} follows best ({figure.format(means[best])})"
    if others:
        following = f"{others[0]} ({figure.format(means[others[0]])})"
        if beyond:
            said += f", beyond the spread of {motions} motions; next is {following}"
        elif motions == 1:
            said += f"; one motion tells no spread; next is {following}"
        else:
            said += f", not beyond the spread of {motions} motions: {following} may be as good"
    else:
        said += "; all others are unstable"
    return Ranked(
        gain=one.gain,
        duration_s=one.duration_s,
        best=best,
        next=others[0] if others else None,
        beyond_spread=beyond,
        sentence=f"{said}.",
    )


def _worse(other: Outcome, best: Outcome, comparisons: int) -> bool:
    """Whether one is worse, by a paired t test of the logarithms: errors differ by factors."""
    pairs = [
        (one, own)
        for one, own in zip(other.by_motion, best.by_motion, strict=True)
        if one is not None and own is not None
    ]
    if len(pairs) < 2:
        return False
    worse, better = np.maximum(np.array(pairs), _NOTHING).T
    times = np.log(worse / better)
    quantile = float(stdtrit(times.size - 1, 1 - (1 - _CONFIDENCE) / (2 * comparisons)))
    return bool(times.mean() > quantile * times.std(ddof=1) / np.sqrt(times.size))
