"""Models left to run, in sentences and a table, for page and terminals alike."""

from collections.abc import Callable
from math import sqrt

from robotid.contracts.rollout import LEAST_GROWTH, FitRollout, Moved, Rollout
from robotid.contracts.words import DATA
from robotid.reporting.energy import PROMISES
from robotid.reporting.numbers import number, percent
from robotid.reporting.summary import BEST, Statement, Summary, Table
from robotid.reporting.words import counted

_NOTES = (
    "error: mean squared error of positions and velocities over the squared training range.",
    "diverged motions have no mean error and count as infinite in the median.",
)


def summary(found: Rollout) -> Summary:
    """All fits, in short."""
    remarks = [
        f"{remark.message}{f' ({remark.hint})' if remark.hint else ''} [{remark.code}]"
        for remark in found.remarks
    ]
    return Summary(statements(found), [fits_table(found)], remarks)


def statements(found: Rollout) -> list[Statement]:
    """A sentence on each fit, the best one first said."""
    said = [Statement(_sound(one), _in_words(found, name)) for name, one in found.fits.items()]
    if found.best is None:
        return said
    best = f"{found.best} is nearest to what was recorded after {found.horizon_s:g} s."
    return [Statement(True, best), *said]


def fits_table(found: Rollout) -> Table:
    """Fits side by side, one in each column."""
    fits = found.fits.values()
    rows: list[list[str]] = []

    def row(title: str, cell: Callable[[FitRollout], str]) -> None:
        rows.append([title, *map(cell, fits)])

    row("model", lambda one: one.model)
    row("actuator", lambda one: one.actuator)
    row("energy", lambda one: PROMISES[one.energy].short)
    if found.split is not None:
        row("error at the horizon", lambda one: number(one.error_at_horizon))
        row("median over starts", lambda one: number(one.median_at_horizon))
        for joint in found.joints:
            row(f"position of {joint}", lambda one, j=joint: _last(one, "q", j))  # type: ignore[misc]
            row(f"velocity of {joint}", lambda one, j=joint: _last(one, "qd", j))  # type: ignore[misc]
        row("diverged", lambda one: _diverged(one.driven))
        row("leave limits", lambda one: _left(one.driven))
    row("uncontrolled: diverged", lambda one: _diverged(one.uncontrolled))
    row("uncontrolled: leave limits", lambda one: _left(one.uncontrolled))
    row("uncontrolled: energy grows", lambda one: percent(one.energy_growth))
    row("steps halved", lambda one: percent(one.halved))
    row("most halvings", lambda one: str(one.most_halvings))
    place = None if found.best is None else 1 + list(found.fits).index(found.best)
    title = f"{counted(len(found.starts), 'start')}, {found.horizon_s:g} s each"
    notes = _NOTES if found.split is not None else ()
    return Table(title, ["", *found.fits], rows, [], place, mark=BEST, notes=notes)


def _in_words(found: Rollout, name: str) -> str:
    one, starts = found.fits[name], len(found.starts)
    driven = one.driven or one.uncontrolled
    parts = []
    if found.split is not None and one.error_at_horizon is not None:
        share = percent(sqrt(one.error_at_horizon))
        parts.append(
            f"after {found.horizon_s:g} s motions are {share} of the training range away from "
            f"{DATA[found.split]}"
        )
    if driven.diverged:
        first = f"the first after {driven.first_diverged_s:.3g} s"
        parts.append(f"{driven.diverged} of {counted(starts, 'motion')} diverge, {first}")
    else:
        parts.append(f"none of {counted(starts, 'motion')} diverges")
    if one.energy_growth is None:
        parts.append("the model has no energy")
    elif one.energy_growth > LEAST_GROWTH:
        parts.append(f"its energy grows by {percent(one.energy_growth)} with nobody driving")
    else:
        parts.append("its energy does not grow with nobody driving")
    said = "; ".join(parts)
    return f"{name}: {said}." if len(found.fits) > 1 else f"{said[0].upper()}{said[1:]}."


def _sound(one: FitRollout) -> bool:
    return (
        not any(moved.diverged for moved in one.moved)
        and (one.energy_growth or 0.0) <= LEAST_GROWTH
    )


def _last(one: FitRollout, signal: str, joint: str) -> str:
    curve = one.error
    return number(None if curve is None else getattr(curve, signal)[joint][-1])


def _diverged(moved: Moved | None) -> str:
    if moved is None:
        return number(None)
    if not moved.diverged:
        return "none"
    return f"{moved.diverged} of {len(moved.diverged_s)}, from {moved.first_diverged_s:.3g} s"


def _left(moved: Moved | None) -> str:
    if moved is None or moved.limit_left is None:
        return "none"
    return f"{moved.limit_left.joint}, from {moved.limit_left.time_s:.3g} s"
