"""Models as inverse dynamics of a robot, in sentences and tables, for page and terminals alike."""

from collections.abc import Callable

from robotid.contracts.tracking import Outcome, Spread, Tracking
from robotid.reporting.numbers import number, percent
from robotid.reporting.summary import BEST, LEAST, Statement, Summary, Table
from robotid.reporting.words import counted

Cell = Callable[[Outcome], str]
_DASH = number(None)
_NOTE = f"{BEST} better than all others beyond the spread of motions, {LEAST} least; truth aside."


def summary(found: Tracking) -> Summary:
    """All models, in short."""
    remarks = [
        f"{remark.message}{f' ({remark.hint})' if remark.hint else ''} [{remark.code}]"
        for remark in found.remarks
    ]
    return Summary(statements(found), tables(found), remarks)


def statements(found: Tracking) -> list[Statement]:
    """Which model follows best, for every gain and length; good news where it is a fit."""
    return [
        Statement(one.best is not None and found.models[one.best].kind == "fit", one.sentence)
        for one in found.ranked
    ]


def tables(found: Tracking) -> list[Table]:
    """Models side by side, one in each column; gains and lengths downward."""
    return [error_table(found), *_further(found)]


def error_table(found: Tracking) -> Table:
    """What models are ranked by, published figures behind them."""
    if found.task == "reaching":
        title, published = "Velocity error of the hand (NMSE)", "velocity_nmse"
    else:
        title, published = f"Error (RMSE) [{found.mean_unit}], mean of all joints", "rmse"
    rows = [
        [
            *_row(found, place, lambda one: _spread(one.score), marked=True),
            *(number(getattr(p, published).get(ranked.gain)) for p in found.published.values()),
        ]
        for place, ranked in enumerate(found.ranked)
    ]
    sources = tuple(f"{name}: {figures.source}." for name, figures in found.published.items())
    header = ["", *found.models, *found.published]
    motions = f", ± standard deviation of {counted(found.motions, 'motion')}"
    return Table(title + motions * (found.motions > 1), header, rows, [], notes=(_NOTE, *sources))


def _further(found: Tracking) -> list[Table]:
    mean = f"[{found.mean_unit}], mean of all joints"
    shown: list[tuple[str, Cell]] = (
        [("Distance from the path (RMS) [m]", _distance), ("Distance at the end [m]", _hand_offset)]
        if found.task == "reaching"
        else [(f"Offset at the end {mean}", _offset)]
    )
    shown.append(("Share of feedback in the torque (rms)", lambda o: _share(o.feedback_share)))
    outcomes = [own for model in found.models.values() for own in model.outcomes]
    if any(own.saturated for own in outcomes):
        shown.append(("Share of the time at torque limits", lambda o: percent(o.saturated)))
    if any(own.unstable for own in outcomes):
        shown.append(("Unstable motions", _unstable))
    return [_table(found, title, cell) for title, cell in shown]


def joint_tables(found: Tracking) -> list[Table]:
    """Errors joint by joint, a table for each gain and length; none for a hand."""
    return [
        Table(
            f"{ranked.gain}, {ranked.duration_s:g} s",
            ["RMSE", *found.models],
            [
                [f"{joint} [{found.units[joint]}]"]
                + [_of_joint(model.outcomes[place], joint) for model in found.models.values()]
                for joint in found.joints
            ],
            [],
        )
        for place, ranked in enumerate(found.ranked)
        if found.task != "reaching"
    ]


def _table(found: Tracking, title: str, cell: Cell) -> Table:
    rows = [_row(found, place, cell) for place in range(len(found.ranked))]
    return Table(title, ["", *found.models], rows, [])


def _row(found: Tracking, place: int, cell: Cell, *, marked: bool = False) -> list[str]:
    ranked = found.ranked[place]
    row = [f"{ranked.gain}, {ranked.duration_s:g} s"]
    for name, model in found.models.items():
        mark = (BEST if ranked.beyond_spread else LEAST) if marked and name == ranked.best else ""
        row.append(f"{cell(model.outcomes[place])} {mark}".rstrip())
    return row


def _of_joint(own: Outcome, joint: str) -> str:
    return _DASH if own.rmse is None else _spread(own.rmse.joints[joint])


def _offset(own: Outcome) -> str:
    return _DASH if own.final_offset is None else _spread(own.final_offset.mean)


def _distance(own: Outcome) -> str:
    return _DASH if own.hand is None else _spread(own.hand.position_rmse)


def _hand_offset(own: Outcome) -> str:
    return _DASH if own.hand is None else _spread(own.hand.final_offset)


def _spread(value: Spread | None) -> str:
    if value is None:
        return _DASH
    return f"{value.mean:.3g}" + (f" ± {value.std:.3g}" if value.std is not None else "")


def _share(value: Spread | None) -> str:
    return percent(None if value is None else value.mean)


def _unstable(own: Outcome) -> str:
    if not own.unstable:
        return "none"
    first = min(own.unstable, key=lambda one: one.time_s)
    return f"{len(own.unstable)}, {first.joint} from {first.time_s:.3g} s"
