"""The verdict in plain words: what was identified, how well, beside what, what not to trust."""

from collections import Counter
from typing import NamedTuple

from robotid.contracts.fit import FitResult, Status
from robotid.contracts.words import BASELINES, DATA
from robotid.reporting.beside import compared
from robotid.reporting.numbers import number, percent, whole
from robotid.reporting.same_data import names_in
from robotid.reporting.sections.identifiability import only_just
from robotid.reporting.sections.robot_file import no_baseline
from robotid.reporting.view import FitView
from robotid.reporting.words import counted, listed

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
        tiles=_tiles(view),
        identified=_identified(view.fit),
        predicted=_predicted(view),
        findings=findings(view.fit),
    )


def findings(fit: FitResult) -> list[Finding]:
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


def _tiles(view: FitView) -> list[Tile]:
    fit, split = view.fit, view.held_out
    tiles = []
    if split in fit.metrics:
        own = fit.metrics[split]
        unit = " or ".join(sorted(set(view.units.values()), reverse=True))
        rmse, relative = own["rmse"].mean, own["relative"].mean
        kind = "mean over the joints of their RMSE" if len(fit.joints) > 1 else "RMSE"
        note = f"{kind}, {percent(relative)} of the torque"
        tiles.append(Tile(f"error on {DATA[split]}", f"{_short(rmse)} {unit}", note))
        others = {name: each[split]["rmse"].mean for name, each in fit.baselines.items()}
        known = {name: value for name, value in others.items() if value is not None}
        if known:
            best = min(known, key=lambda name: known[name])
            said = compared(rmse, others)
            sign = {True: "✓ ", False: "✗ ", None: ""}[said.better]
            name = f"best baseline: {BASELINES.get(best, best)}"
            tiles.append(Tile(name, f"{_short(known[best])} {unit}", f"{sign}{said.said}"))
    data = fit.identifiability
    name, note = "determined by the data", "sums of parameters that torques can show"
    if only_just(data):
        name = "shown by the data"
        note += f"; some only just, the condition number is {number(data.condition)}"
    tiles.append(Tile(name, f"{data.rank} of {data.structural_rank}", note))
    used = {word: len(names_in(fit, split)) for split, word in _USES.items()}
    note = listed([f"{count} for {word}" for word, count in used.items() if count])
    tiles.append(Tile("recordings", str(len(fit.recordings)), note))
    return tiles


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _identified(fit: FitResult) -> list[str]:
    trained = names_in(fit, "train")
    samples = f" ({whole(fit.samples['train'])} samples)" if "train" in fit.samples else ""
    robot = f"{fit.robot.name} ({counted(len(fit.joints), 'joint')})"
    data = f"{counted(len(trained), 'recording')}{samples}"
    said = [f"The dynamics of {robot} with model {fit.model}, from {data}."]
    found = Counter[str](parameter.status for parameter in fit.parameters)
    shares = [f"{found[k]} {words[found[k] > 1]}" for k, words in _STATUSES.items() if found[k]]
    said.append(f"Of {len(fit.parameters)} parameters, {listed(shares)}.")
    impossible = [link.name for link in fit.links if not link.consistent]
    if fit.links:
        said.append(
            f"No real body can have the parameters of {listed(impossible)}."
            if impossible
            else "All links are bodies that can exist (positive masses, possible inertias)."
        )
    return [*said, ended(fit.status)]


def _predicted(view: FitView) -> list[str]:
    fit, split = view.fit, view.held_out
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
            f"{where}, the error is {percent(known[best])} of the torque ({best})."
            if len(known) == 1
            else f"{where}, errors are between {percent(known[best])} of the torque ({best}) and "
            f"{percent(known[worst])} ({worst})."
        )
    if split == "train":
        said.append("Nothing was held out, so this says little about other motions.")
    if fit.baselines:
        said.append(_beside_baselines(fit, split))
    if why := no_baseline(view):
        said.append(why)
    return said


def _beside_baselines(fit: FitResult, split: str) -> str:
    own = fit.metrics[split]["rmse"].joints
    others = {name: each[split]["rmse"].joints for name, each in fit.baselines.items()}
    worse = [
        joint
        for joint, error in own.items()
        if not compared(error, {name: each.get(joint) for name, each in others.items()}).better
    ]
    names = listed([BASELINES.get(name, name) for name in fit.baselines])
    if not worse:
        return f"It is better than every baseline ({names}) for each joint."
    return f"It is no better than the best of the baselines ({names}) for {listed(worse)}."
