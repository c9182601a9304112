"""What is said of forward models in the literature, and whether it holds of these.

The claims are those of Lutter et al. (2020). Each has a limit of its own, stated with what was
found; where the fits at hand cannot tell, nothing is concluded.
"""

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from robotid.contracts.conclusion import Conclusion
from robotid.contracts.rollout import LEAST_GROWTH, FitRollout
from robotid.reporting.grid.motions import Run
from robotid.reporting.numbers import number, percent
from robotid.reporting.words import counted

_ALIKE = 2.0  # factor within which errors count as comparable


def conclusions(runs: Sequence[Run]) -> list[Conclusion]:
    """All claims."""
    return [
        _pairs(
            runs,
            "Models that learn their kinematics do as well as those that know them",
            lambda fit: fit.kinematics,
            ("learned", "known"),
        ),
        _never_diverge(runs),
        _unbounded_gain_energy(runs),
        _misplaced_mass(runs),
        _pairs(
            runs,
            "What training starts from does not matter much",
            lambda fit: fit.init,
            ("random", "prior"),
        ),
        _best_are_stable(runs),
    ]


def _pairs(
    runs: Sequence[Run],
    claim: str,
    side: Callable[[FitRollout], str | None],
    sides: tuple[str, str],
) -> Conclusion:
    """Compare fits that differ in one thing only, by their errors at the horizon."""
    kept = ("kinematics", "init")
    found: dict[tuple[object, ...], dict[str, float]] = {}
    for run in runs:
        fit, own = run.fit, side(run.fit)
        others = [value for name in kept if (value := getattr(fit, name)) != own]
        start = tuple(run.rollout.starts[0].q.values())  # tells data of one kind apart
        same = (run.rollout.robot, start, fit.model, fit.actuator, fit.seed, *others)
        if own in sides and fit.error_at_horizon is not None:
            found.setdefault(same, {})[own] = fit.error_at_horizon
    ratios = [
        one[sides[0]] / one[sides[1]]
        for one in found.values()
        if len(one) == len(sides) and one[sides[1]] > 0
    ]
    if not ratios:
        return Conclusion(claim=claim, holds=None, found="There are no such pairs of fits.")
    middle = median(ratios)
    within = sum(1 / _ALIKE <= ratio <= _ALIKE for ratio in ratios)
    said = (
        f"Of {counted(len(ratios), 'pair')} of fits that differ in nothing else, the error at the "
        f"horizon is {number(middle)} times as large ({sides[0]} over {sides[1]}, median), and "
        f"{within} are within a factor of {_ALIKE:g}."
    )
    return Conclusion(claim=claim, holds=1 / _ALIKE <= middle <= _ALIKE, found=said)


def _never_diverge(runs: Sequence[Run]) -> Conclusion:
    claim = "Models whose energy is bounded never diverge"
    bounded = [run.fit for run in runs if run.fit.energy != "unbounded"]
    if not bounded:
        return Conclusion(claim=claim, holds=None, found="There are no such fits.")
    others = (run.fit for run in runs if run.fit.energy == "unbounded")
    own, rest = diverged_of(bounded), diverged_of(others)
    growth = max((fit.energy_growth or 0.0 for fit in bounded), default=0.0)
    said = (
        f"{own[0]} of {own[1]} motions of conserving and bounded models diverge, their energy "
        f"grows by {percent(growth)} at most; of unbounded ones, {rest[0]} of {rest[1]} do."
    )
    return Conclusion(claim=claim, holds=own[0] == 0 and growth <= LEAST_GROWTH, found=said)


def diverged_of(fits: Iterable[FitRollout]) -> tuple[int, int]:
    """How many motions diverged, and how many there are."""
    moved = [one for fit in fits for one in fit.moved]
    return sum(one.diverged for one in moved), sum(len(one.diverged_s) for one in moved)


def _unbounded_gain_energy(runs: Sequence[Run]) -> Conclusion:
    claim = "Models whose energy is not bounded gain energy with nobody driving"
    known = [
        run.fit.energy_growth
        for run in runs
        if run.fit.energy == "unbounded" and run.fit.energy_growth is not None
    ]
    if not known:
        return Conclusion(claim=claim, holds=None, found="There are no such fits with an energy.")
    grown = sum(value > LEAST_GROWTH for value in known)
    said = (
        f"{grown} of {counted(len(known), 'fit')} do, by {percent(median(known))} of the range of "
        f"energies (median) and {percent(max(known))} at most."
    )
    return Conclusion(claim=claim, holds=2 * grown > len(known), found=said)


def _misplaced_mass(runs: Sequence[Run]) -> Conclusion:
    claim = "Models that conserve energy put friction into their masses"
    rubbed = [run.fit for run in runs if run.rollout.friction not in (None, "none")]
    errors = {
        kind: [
            fit.inertia_error
            for fit in rubbed
            if fit.energy == kind and fit.inertia_error is not None
        ]
        for kind in ("conserving", "bounded")
    }
    if not all(errors.values()):
        said = "There are no such fits of simulated robots with friction."
        return Conclusion(claim=claim, holds=None, found=said)
    own, other = median(errors["conserving"]), median(errors["bounded"])
    said = (
        f"Where there is friction, mass matrices of conserving models are {percent(own)} wrong, "
        f"those of bounded ones {percent(other)} (medians)."
    )
    return Conclusion(claim=claim, holds=own > _ALIKE * other, found=said)


def _best_are_stable(runs: Sequence[Run]) -> Conclusion:
    claim = "The best long-term predictions come from models that cannot gain energy"
    errors: dict[tuple[str, str], dict[str, list[float]]] = {}
    for run in runs:
        place = run.rollout.robot, run.rollout.label
        error = run.fit.error_at_horizon
        if error is not None:
            errors.setdefault(place, {}).setdefault(run.fit.energy, []).append(error)
    least = [min(own, key=lambda kind: min(own[kind])) for own in errors.values() if len(own) > 1]
    if not least:
        return Conclusion(claim=claim, holds=None, found="There is only one kind of model.")
    count = sum(kind != "unbounded" for kind in least)
    every = counted(len(least), "robot and data set", "robots and data sets")
    said = f"They do for {count} of {every}."
    return Conclusion(claim=claim, holds=2 * count > len(least), found=said)
