"""Several fits side by side on the same held-out recordings; which one is best, if any is."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from robotid.contracts.fit import FitResult, held_out
from robotid.contracts.learned import LearnedResult
from robotid.errors import ConfigError, nearest
from robotid.reporting.architecture import in_short
from robotid.reporting.facts import (
    CONFIDENCE,
    ComparedModel,
    Comparison,
    Difference,
    ForwardModel,
    Published,
    Result,
)
from robotid.reporting.paired import LEAST_BLOCKS, Blocks, half_width
from robotid.reporting.quantities import quantity_of
from robotid.reporting.same_data import (
    blocks_of,
    check_same_robot,
    common_recordings,
    held_out_otherwise,
    names_in,
)
from robotid.reporting.words import counted

METRICS = ("rmse", "relative", "nmse_var", "nmse_range")
_MATTERS = 1e-3  # of the error: models closer than that are the same


def compare(
    fits: Mapping[str, Result], published: Mapping[str, Published] | None = None
) -> Comparison | None:
    """The fits side by side; None for a single one with nothing to stand beside it."""
    if len(fits) < 2 and not published:
        return None
    check_same_robot(fits)
    joints = next(iter(fits.values())).joints
    for source, figures in (published or {}).items():
        for joint in figures.rmse_by_joint:
            if joint not in joints:
                said = f"published.{source}.rmse_by_joint: no joint is called {joint!r}"
                raise ConfigError("bad-value", said, hint=nearest(joint, joints))
    split = held_out(next(iter(fits.values())).metrics)
    apart = held_out_otherwise(fits, split)
    known = {name: {} for name in fits} if apart else common_recordings(fits, split)
    blocks = _common_blocks(fits, known, split)
    count = next(iter(blocks.values())).weight.size
    models = {name: _model(fit, split) for name, fit in fits.items()}
    least = None if apart else _least(models)  # errors of different recordings rank nothing
    if least is not None and count >= LEAST_BLOCKS:
        models = {
            name: model.model_copy(update={"behind": _behind(name, least, models, blocks)})
            for name, model in models.items()
        }
    return Comparison(
        split=split,
        recordings=sorted({own for fit in fits.values() for own in names_in(fit, split)}),
        joints=joints,
        blocks=count,
        models=models,
        least=least,
        best=least if _told_apart(models, least) else None,
        sentence="Errors are of different recordings, so none of them is the least."
        if apart
        else _sentence(models, least, count if any(map(blocks_of, fits.values())) else None),
        remarks=_remarks(fits, split),
        published=dict(published or {}),
        same_data=not apart,
    )


def _model(fit: Result, split: str) -> ComparedModel:
    metrics = fit.metrics.get(split, {})
    return ComparedModel(
        model=fit.model,
        metrics={name: metrics[name] for name in METRICS if name in metrics},
        consistent=all(link.consistent for link in fit.links) if fit.links else None,
        usable=fit.verdict.usable,
        **_of_kind(fit),
    )


def _of_kind(fit: Result) -> dict[str, Any]:
    """What only fits of torques, or only those of accelerations, have to compare."""
    if isinstance(fit, FitResult):
        identified = sum(parameter.status == "identified" for parameter in fit.parameters)
        return {"identified": identified, "parameters": len(fit.parameters)}
    if isinstance(fit, LearnedResult):
        return {"parts": in_short(fit.architecture), "weights": fit.learning.weights}
    forward = ForwardModel(actuator=fit.actuator, kinematics=fit.kinematics, energy=fit.energy)
    return {"forward": forward}


def _error(model: ComparedModel) -> float | None:
    return model.metrics["rmse"].mean if "rmse" in model.metrics else None


def _least(models: Mapping[str, ComparedModel]) -> str | None:
    """The fit of least error; one that is not to be used only where no other is there."""
    ranked = [
        (not model.usable, error, name)
        for name, model in models.items()
        if (error := _error(model)) is not None
    ]
    return min(ranked, key=lambda entry: entry[:2])[2] if ranked else None


def _common_blocks(
    fits: Mapping[str, Result], known: Mapping[str, Mapping[str, str]], split: str
) -> dict[str, Blocks]:
    """Errors of every fit in the stretches that all of them have, in the same order."""
    joints = next(iter(fits.values())).joints
    found: dict[str, dict[tuple[str, float, float], list[float]]] = {}
    for name, fit in fits.items():
        key = {recording: digest for digest, recording in known[name].items()}
        found[name] = {
            (key[b.recording], round(b.start_s, 6), round(b.end_s, 6)): [b.rmse[j] for j in joints]
            for b in blocks_of(fit)
            if b.split == split and b.recording in key and set(joints) <= b.rmse.keys()
        }
    shared = sorted(set.intersection(*(set(own) for own in found.values())))
    weight = np.array([max(end - start, 1e-9) for _, start, end in shared])
    changes = [one[0] != other[0] for one, other in pairwise(shared)]
    recording = np.cumsum([0, *changes], dtype=np.int64)[: len(shared)]
    return {
        name: Blocks(
            power=np.square(np.array([own[place] for place in shared]).reshape(-1, len(joints))),
            weight=weight,
            recording=recording,
        )
        for name, own in found.items()
    }


def _behind(
    name: str, least: str, models: Mapping[str, ComparedModel], blocks: Mapping[str, Blocks]
) -> Difference | None:
    own, best = _error(models[name]), _error(models[least])
    if name == least or own is None or best is None:
        return None
    pairs = len(models) * (len(models) - 1) / 2
    half = half_width(blocks[name], blocks[least], 1 - (1 - CONFIDENCE) / pairs)
    value = own - best
    if not np.isfinite([value + half, value - half]).all():  # errors too large to be squared
        return None
    worse = value - half > 0 and value > _MATTERS * best
    return Difference(value=value, lower=value - half, upper=value + half, worse=worse)


def _told_apart(models: Mapping[str, ComparedModel], least: str | None) -> bool:
    others = [model for name, model in models.items() if name != least and model.usable]
    return bool(others) and all(model.behind and model.behind.worse for model in others)


def _sentence(models: Mapping[str, ComparedModel], least: str | None, blocks: int | None) -> str:
    """Which fit is best, in words; `blocks` that they have in common, None where none has any."""
    if least is None:
        return "No fit has an error on these recordings."
    if len(models) == 1:
        return "Beside published figures."
    if not models[least].usable:
        return f"No fit is to be used; {least} has the least error."
    if sum(model.usable for model in models.values()) == 1:
        return f"{least} is the only fit that can be used."
    if blocks is None or blocks < LEAST_BLOCKS:
        why = "the fits do not state errors of single stretches of data"
        if blocks is not None:
            common = counted(blocks, "stretch", "stretches")
            why = f"the fits have {common} of data in common, {LEAST_BLOCKS} are needed"
        return f"{least} has the least error; whether by chance cannot be told: {why}."
    alike = [
        name
        for name, model in models.items()
        if name != least and model.usable and not (model.behind and model.behind.worse)
    ]
    if alike:
        return f"{least} has the least error, but is not told apart from {', '.join(alike)}."
    others = "every other fit" if all(m.usable for m in models.values()) else "what can be used"
    return (
        f"{least} is best: {others} is worse beyond chance "
        f"({100 * CONFIDENCE:.0f} % for all pairs together, {blocks} stretches of data)."
    )


def _remarks(fits: Mapping[str, Result], split: str) -> list[str]:
    """Why errors may differ for reasons other than the model."""
    found = []
    held = {name: "/".join(names_in(fit, split)) for name, fit in fits.items()}
    if held_out_otherwise(fits, split):
        found.append(
            f"Errors are of different recordings: {_each(held)}. A recording that is easy to "
            "predict makes a fit look good; `robotid tabulate` takes means over splits."
        )
    signals = {name: fit.torque for name, fit in fits.items()}
    if len(set(signals.values())) > 1:
        found.append(f"Torque comes from different signals: {_each(signals)}.")
    known = {name: {used.cutoff_hz for used in fit.data.values()} for name, fit in fits.items()}
    cutoffs = {name: "/".join(sorted(f"{x:g}" for x in own if x)) for name, own in known.items()}
    if len(set(cutoffs.values())) > 1:
        shown = {name: f"{cutoff} Hz" if cutoff else "no" for name, cutoff in cutoffs.items()}
        of = quantity_of(fits).names.capitalize()
        found.append(f"{of} were filtered differently, which changes errors: {_each(shown)}.")
    samples = {name: str(fit.samples.get(split, 0)) for name, fit in fits.items()}
    if len(set(samples.values())) > 1:
        found.append(f"Errors are of different numbers of samples: {_each(samples)}.")
    unusable = [name for name, fit in fits.items() if not fit.verdict.usable]
    if unusable:
        found.append(f"Not to be used, whatever the error: {', '.join(unusable)}.")
    return found


def _each(values: Mapping[str, str]) -> str:
    groups: dict[str, list[str]] = {}
    for name, value in values.items():
        groups.setdefault(value, []).append(name)
    return "; ".join(f"{value} ({', '.join(names)})" for value, names in groups.items())
