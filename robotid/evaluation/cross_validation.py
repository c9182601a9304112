"""Cross-validation over recordings: each is predicted by a fit that has not seen it."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import Fold, Metric, Status
from robotid.errors import BadDataError, UsageError
from robotid.evaluation.metrics import METRICS
from robotid.evaluation.scores import baselines, scores
from robotid.information.blocks import BySplit, DataBlock

Array = NDArray[np.float64]


class FoldFit(NamedTuple):
    """All parameters of a fit, shape (p,), and how it ended."""

    phi: Array
    status: Status


Fit = Callable[[Sequence[DataBlock]], FoldFit]


class CrossValidation(NamedTuple):
    """Errors where a fit has not been, by metric.

    Args:
        folds: what was left out each time, with its metrics.
        mean: of the folds, each counted once.
        spread: standard deviation over the folds; null where fewer than two have a value.
    """

    folds: list[Fold]
    mean: dict[str, Metric]
    spread: dict[str, Metric]


def groups(recordings: Sequence[str], count: int | None = None) -> list[tuple[str, ...]]:
    """Recordings that are left out together; the same ones every time.

    Neighbours go to different groups, so a session that warms up is spread over all of them.

    Args:
        recordings: names, in the order of the session.
        count: of groups; one for each recording by default, or if there are fewer recordings.
    """
    if len(recordings) < 2:
        said = f"cross-validation needs two recordings with data, there are {len(recordings)}"
        hint = "record more motions, or leave out cv"
        raise BadDataError("too-few-recordings", said, hint=hint)
    if count is not None and count < 2:
        said = f"cross-validation in {count} parts leaves nothing to learn from"
        raise UsageError(
            "too-few-folds",
            said,
            hint="two at least; without a number, recordings are left out one by one",
        )
    used = len(recordings) if count is None else min(count, len(recordings))
    return [tuple(recordings[start::used]) for start in range(used)]


def cross_validate(
    blocks: Sequence[DataBlock],
    fit: Fit,
    count: int | None = None,
    nominal: Array | None = None,
) -> CrossValidation:
    """Fit without some recordings, predict them, in turns until all have been left out.

    Whatever split blocks are in does not matter here; those for the final test are best not given.

    Args:
        blocks: of at least two recordings.
        fit: parameters from blocks.
        count: of folds, as for `groups`.
        nominal: parameters of the robot file, as for `scores.baselines`.
    """
    recordings = list(dict.fromkeys(block.recording for block in blocks if block.samples))
    folds = []
    for left_out in groups(recordings, count):
        seen = [block for block in blocks if block.recording not in left_out]
        unseen = [block.factors for block in blocks if block.recording in left_out]
        data: BySplit = {"train": [block.factors for block in seen], "test": unseen}
        found = fit(seen)
        folds.append(
            Fold(
                left_out=list(left_out),
                metrics=scores(data, found.phi)["test"],
                baselines={name: own["test"] for name, own in baselines(data, nominal).items()},
                status=found.status,
            )
        )
    return CrossValidation(folds, _over(folds, _mean), _over(folds, _spread))


def _over(
    folds: Sequence[Fold], combined: Callable[[list[float]], float | None]
) -> dict[str, Metric]:
    """Every number of the folds' metrics, combined."""
    result = {}
    for name in METRICS:
        found = [fold.metrics[name] for fold in folds]
        result[name] = Metric(
            mean=combined([one.mean for one in found if one.mean is not None]),
            joints={
                joint: combined(_known([one.joints for one in found], joint))
                for joint in found[0].joints
            },
        )
    return result


def _known(values: Sequence[Mapping[str, float | None]], joint: str) -> list[float]:
    return [value for one in values if (value := one[joint]) is not None]


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _spread(values: list[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None
