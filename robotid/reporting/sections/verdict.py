"""The verdict in plain words: what was identified, how well, beside what, what not to trust."""

from collections import Counter
from typing import NamedTuple

from robotid.contracts.fit import AnyFit, FitResult, Status
from robotid.contracts.words import DATA
from robotid.reporting.beside import compared
from robotid.reporting.numbers import number, percent, whole
from robotid.reporting.same_data import names_in
from robotid.reporting.sections.identifiability import only_just
from robotid.reporting.sections.robot_file import no_baseline
from robotid.reporting.view import FitView, View
from robotid.reporting.words import counted, listed
from robotid.robot.tree import BASE_ROWS

# of one parameter, and of several
_STATUSES = {
    "identified": ("is determined by itself", "are determined one by one"),
    "in combination": ("is known only in sums with others", "are known only in sums with others"),
    "uncertain": ("is too uncertain to be quoted", "are too uncertain to be quoted"),
    "not vouched for": (
        "is not vouched for, as the fit is not to be used",
        "are not vouched for, as the fit is not to be used",
    ),
    "from prior": (
        "comes from the robot file or another prior",
        "come from the robot file or another prior",
    ),
    "held by a bound": (
        "is held by a bound where the data would not put it",
        "are held by bounds where the data would not put them",
    ),
    "not excited": ("was not excited by the motion", "were not excited by the motion"),
}
_USES = {"train": "training", "val": "validation", "test": "the test"}

# Which generalised forces were compared.
_FORCES = {
    "all": "",
    "base": " Only the wrench on its base was compared, no torques of joints.",
    "projected": " Forces of contacts were not known: what they may have added at {links} was "
    "taken out of all generalised forces, and errors are of what is left.",
}


class Tile(NamedTuple):
    """A figure at a glance: what it is, the figure, and what it means."""

    name: str
    value: str
    note: str


class Finding(NamedTuple):
    """What not to trust, where, and what to do about it; `refuses` if the fit is not to be used.

    The code is what documentation, `report.json` and scripts know it by.
    """

    messages: list[str]
    hint: str | None
    refuses: bool
    code: str


class Verdict(NamedTuple):
    """What the template shows."""

    tiles: list[Tile]
    identified: list[str]
    predicted: list[str]
    findings: list[Finding]


def section(view: FitView) -> Verdict:
    """The verdict; every fit has one."""
    return Verdict(
        tiles=[*error_tiles(view), _determined(view.fit), recordings_tile(view.fit)],
        identified=_identified(view.fit),
        predicted=predicted(view),
        findings=findings(view.fit),
    )


def findings(fit: AnyFit) -> list[Finding]:
    """Reasons, then remarks; those of one kind with the same advice are together."""
    refused = [
        Finding([reason.message], reason.hint, True, reason.code) for reason in fit.verdict.reasons
    ]
    grouped: dict[tuple[str, str | None], list[str]] = {}
    for remark in fit.remarks:
        where = ", ".join(place for place in (remark.joint, remark.recording) if place)
        said = f"{where}: {remark.message}" if where else remark.message
        grouped.setdefault((remark.code, remark.hint), []).append(said)
    return refused + [Finding(said, hint, False, code) for (code, hint), said in grouped.items()]


def ended(status: Status) -> str:
    """How the fit ended; solvers that count their iterations in words need not be helped."""
    said, count = status.message, status.iterations
    if count is not None and str(count) not in said:
        said += f", {counted(count, 'iteration')}"
    if not status.converged:
        return f"The fit did not converge: {said}."
    return f"The fit {said}." if said.startswith("converged") else f"The fit converged: {said}."


def error_tiles(view: View[AnyFit]) -> list[Tile]:
    """The error and that of the best baseline; none without figures."""
    fit, split, of = view.fit, view.held_out, view.quantity
    if split not in fit.metrics:
        return []
    own = fit.metrics[split]
    rmse, relative = own["rmse"].mean, own["relative"].mean
    rows = "joints and the base" if any(j in BASE_ROWS for j in fit.joints) else "joints"
    kind = f"mean over the {rows} of their RMSE" if len(fit.joints) > 1 else "RMSE"
    note = f"{kind}, {percent(relative)} of the {of.name}"
    tiles = [Tile(f"error on {DATA[split]}", f"{_short(rmse)} {view.unit}", note)]
    others = {name: each[split]["rmse"].mean for name, each in fit.baselines.items()}
    known = {name: value for name, value in others.items() if value is not None}
    if known:
        best = min(known, key=lambda name: known[name])
        said = compared(rmse, others, of.baselines)
        sign = {True: "✓ ", False: "✗ ", None: ""}[said.better]
        name = f"best baseline: {of.called(best)}"
        tiles.append(Tile(name, f"{_short(known[best])} {view.unit}", f"{sign}{said.said}"))
    return tiles


def _determined(fit: FitResult) -> Tile:
    data = fit.identifiability
    name, note = "determined by the data", "sums of parameters that torques can show"
    if only_just(data):
        name = "shown by the data"
        note += f"; some only just, the condition number is {number(data.condition)}"
    return Tile(name, f"{data.rank} of {data.structural_rank}", note)


def recordings_tile(fit: AnyFit) -> Tile:
    """How many recordings there are, and for what."""
    used = {word: len(names_in(fit, split)) for split, word in _USES.items()}
    note = listed([f"{count} for {word}" for word, count in used.items() if count])
    if fit.continues is not None:
        note += f"; {len(fit.continues.recordings)} more by an earlier fit"
    return Tile("recordings", str(len(fit.recordings)), note)


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _identified(fit: FitResult) -> list[str]:
    found = Counter[str](parameter.status for parameter in fit.parameters)
    shares = [f"{found[k]} {words[found[k] > 1]}" for k, words in _STATUSES.items() if found[k]]
    parameters = f"Of {len(fit.parameters)} parameters, {listed(shares)}."
    return [
        f"The dynamics of {robot_of(fit)} with model {fit.model}, from {training_data(fit)}."
        + _FORCES[fit.forces.kind].format(links=listed(list(fit.forces.links))),
        parameters,
        *links_exist(fit),
        ended(fit.status),
    ]


def robot_of(fit: AnyFit) -> str:
    """The robot, how many joints it has, and whether its base floats."""
    joints = [name for name in fit.joints if name not in BASE_ROWS]
    floats = len(joints) < len(fit.joints)
    said = [counted(len(joints), "joint")] if joints else []
    return f"{fit.robot.name} ({' on '.join([*said, *(['a floating base'] if floats else [])])})"


def training_data(fit: AnyFit) -> str:
    """How much was trained on."""
    samples = f" ({whole(fit.samples['train'])} samples)" if "train" in fit.samples else ""
    earlier = ""
    if fit.continues is not None:
        earlier = f" and {counted(len(fit.continues.recordings), 'recording')} of an earlier fit"
    return f"{counted(len(names_in(fit, 'train')), 'recording')}{earlier}{samples}"


def links_exist(fit: AnyFit) -> list[str]:
    """Whether links can exist, in a sentence; none for a fit without links."""
    if not fit.links:
        return []
    impossible = [link.name for link in fit.links if not link.consistent]
    if impossible:
        return [f"No real body can have the parameters of {listed(impossible)}."]
    return ["All links are bodies that can exist (positive masses, possible inertias)."]


def predicted(view: View[AnyFit]) -> list[str]:
    """How large errors are, also beside baselines."""
    fit, split, of = view.fit, view.held_out, view.quantity.name
    if split not in fit.metrics:
        return ["There are no figures on how well it predicts."]
    shares = fit.metrics[split]["relative"].joints
    known = {joint: value for joint, value in shares.items() if value is not None}
    held = names_in(fit, split)
    where = f"On {DATA[split]} ({listed(held)})" if held else f"On {DATA[split]}"
    said = []
    if known:
        best, worst = (f(known, key=lambda joint: known[joint]) for f in (min, max))
        said.append(
            f"{where}, the error is {percent(known[best])} of the {of} ({best})."
            if len(known) == 1
            else f"{where}, errors are between {percent(known[best])} of the {of} ({best}) and "
            f"{percent(known[worst])} ({worst})."
        )
    if split == "train":
        said.append("Nothing was held out, so this says little about other motions.")
    if fit.baselines:
        said.append(_beside_baselines(view, split))
    if why := no_baseline(view):
        said.append(why)
    return said


def _beside_baselines(view: View[AnyFit], split: str) -> str:
    fit, called = view.fit, view.quantity.baselines
    own = fit.metrics[split]["rmse"].joints
    others = {name: each[split]["rmse"].joints for name, each in fit.baselines.items()}
    beside = {joint: {name: each.get(joint) for name, each in others.items()} for joint in own}
    worse = [joint for joint in own if not compared(own[joint], beside[joint], called).better]
    names = listed([view.quantity.called(name) for name in fit.baselines])
    if not worse:
        return f"It is better than every baseline ({names}) for each joint."
    return f"It is no better than the best of the baselines ({names}) for {listed(worse)}."
