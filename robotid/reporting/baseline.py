"""Fits beside those of an older report: whether errors on held-out data have grown."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.contracts.fit import AnyFit, Metrics, held_out
from robotid.contracts.splits import Split
from robotid.contracts.versions import first_fault, other_version
from robotid.errors import BadDataError
from robotid.reporting.facts import REPORT, BaselineCheck, Change, Regression

_MATTERS = 1e-3  # of what is predicted: errors below that may grow
_ROUNDING = 1e-9


class _Read(BaseModel):
    """Only what is compared is read, so reports of neighbouring versions will do."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Robot(_Read):
    name: str


class _Recording(_Read):
    source_sha256: str


class OldFit(_Read):
    """What of a fit in an older report is compared."""

    predicts: str = "torque"
    robot: _Robot
    joints: list[str]
    metrics: Metrics
    recordings: dict[str, Split]
    split_by: str = "recording"
    data: dict[str, _Recording] = {}


class OldReport(_Read):
    """An older report."""

    format: Literal[1]
    fits: dict[str, OldFit]


def read_baseline(path: Path) -> OldReport:
    """An older report: its folder, or its `report.json`."""
    file = path / REPORT if path.is_dir() else path
    try:
        return OldReport.model_validate_json(file.read_bytes())
    except ValidationError as error:
        version = other_version(error, 1, "make it again from its fits")
        if version is not None:
            said, hint = version
            raise BadDataError("report-other-version", said, file=str(file), hint=hint) from error
        said = f"not a report of robotid: {first_fault(error)}"
        hint = f"give a report's folder, or the {REPORT} in it"
        raise BadDataError("bad-report", said, file=str(file), hint=hint) from error


def check_baseline(
    fits: Mapping[str, AnyFit], old: OldReport, limit: float | None, file: str = ""
) -> BaselineCheck:
    """Each fit beside the one of the same name, or the only one beside the only one.

    Args:
        fits: by name.
        old: the older report.
        limit: share that errors may grow by; None compares only.
        file: of the older report, for messages.
    """
    pairs = _pairs(fits, old.fits)
    if not pairs:
        raise BadDataError(
            "baseline-no-match",
            f"no fit of the older report ({_names(old.fits)}) is one of these ({_names(fits)})",
            file=file or None,
            hint="fits are matched by name",
        )
    remarks = []
    if unmatched := sorted(fits.keys() - pairs.keys()):
        remarks.append(f"Not in the older report: {', '.join(unmatched)}.")
    if gone := sorted(old.fits.keys() - set(pairs.values())):
        remarks.append(f"Only in the older report: {', '.join(gone)}.")
    found = []
    for name, before in pairs.items():
        _check_comparable(name, fits[name], old.fits[before], file)
        found.append(_regression(name, before, fits[name], old.fits[before], limit, file))
        if unknown := [c.joint or "the mean" for c in found[-1].changes if c.before is None]:
            said = f"{name}: the older report has no error to compare with for"
            remarks.append(f"{said} {', '.join(unknown)}.")
        if _other_recordings(fits[name], old.fits[before]):
            remarks.append(f"{name}: the held-out recordings are not those of the older report.")
    return BaselineCheck(limit=limit, fits=found, remarks=remarks)


def _pairs(fits: Mapping[str, AnyFit], old: Mapping[str, OldFit]) -> dict[str, str]:
    if len(fits) == len(old) == 1:
        return dict(zip(fits, old, strict=True))
    return {name: name for name in fits if name in old}


def _check_comparable(name: str, fit: AnyFit, old: OldFit, file: str) -> None:
    if fit.predicts != old.predicts:
        raise BadDataError(
            "baseline-other-kind",
            f"{name} is a fit of {fit.predicts}s, the older one of {old.predicts}s",
            file=file or None,
            hint="give a report of fits that predict the same",
        )
    if fit.robot.name != old.robot.name:
        said = f"{name} is a fit of {fit.robot.name!r}, the older one of {old.robot.name!r}"
    elif odd := sorted(set(fit.joints) ^ set(old.joints)):
        said = f"{name} and the older fit have different joints: {', '.join(odd)}"
    else:
        return
    raise BadDataError(
        "baseline-other-robot", said, file=file or None, hint="give a report of the same robot"
    )


def _regression(
    name: str, before: str, fit: AnyFit, old: OldFit, limit: float | None, file: str
) -> Regression:
    split = held_out(fit.metrics)
    if "rmse" not in old.metrics.get(split, {}) or "rmse" not in fit.metrics.get(split, {}):
        raise BadDataError(
            "baseline-no-match",
            f"{name}: errors are of the {split} data, of which one of the fits has none "
            f"(there: {', '.join(old.metrics) or 'no errors'})",
            file=file or None,
            hint="split the recordings as they were split for the older report",
        )
    now, then = fit.metrics[split]["rmse"], old.metrics[split]["rmse"]
    share = fit.metrics[split]["relative"].joints if "relative" in fit.metrics[split] else {}
    changes = [_change(None, then.mean, now.mean, limit, None)]
    changes += [
        _change(joint, then.joints.get(joint), now.joints.get(joint), limit, share.get(joint))
        for joint in fit.joints
    ]
    passed = not any(change.worse for change in changes)
    return Regression(fit=name, baseline=before, split=split, changes=changes, passed=passed)


def _change(
    joint: str | None,
    before: float | None,
    now: float | None,
    limit: float | None,
    share: float | None,
) -> Change:
    change = now / before - 1 if before and now is not None else None
    if limit is None or before is None:
        worse = False
    elif now is None:  # an error that is gone is no better one
        worse = True
    else:
        grown = now > before * (1 + limit) * (1 + _ROUNDING)
        worse = grown and (share is None or share > _MATTERS)
    return Change(joint=joint, before=before, now=now, change=change, worse=worse)


def _other_recordings(fit: AnyFit, old: OldFit) -> bool:
    """Whether logs differ; of recordings that were cut, each may have held-out data."""
    split, cut = held_out(fit.metrics), "segment" in (fit.split_by, old.split_by)
    now, then = (
        {name for name, own in one.recordings.items() if cut or own == split} for one in (fit, old)
    )
    if now <= fit.data.keys() and then <= old.data.keys():
        own = {fit.data[name].source_sha256 for name in now}
        return own != {old.data[name].source_sha256 for name in then}
    return now != then


def _names(fits: Mapping[str, object]) -> str:
    return ", ".join(fits)
