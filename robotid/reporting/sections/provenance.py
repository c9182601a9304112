"""Where the fit comes from and how to make it again."""

from typing import Any, NamedTuple

from robotid.contracts.fit import AnyFit
from robotid.contracts.fit_data import Provenance
from robotid.reporting.view import FitView, LearnedView, View

_REPORT = "robotid report FIT --out REPORT"
_OF_REPORT = {"REPORT": "a new folder for the report; several fits can stand in one"}


class Origin(NamedTuple):
    """The section.

    Args:
        provenance: None in fits of older versions.
        commands: that make the fit again, and this report of it.
        placeholders: what words in capitals stand for, in the commands.
        logs: digest of the log of each recording.
        earlier: names and digests of logs that only the earlier fit has read.
        options: of the fit, as text.
        robot: what was changed in the robot file, as text.
        seed: of random starts; None where the fit has none.
        terms: of the joints.
    """

    provenance: Provenance | None
    commands: list[str]
    placeholders: dict[str, str]
    logs: dict[str, str]
    earlier: list[tuple[str, str]]
    options: dict[str, str]
    robot: dict[str, str]
    seed: str | None
    terms: dict[str, str]


def with_terms(view: FitView | LearnedView) -> Origin | None:
    """The same of a model whose joints have terms."""
    found, given = section(view), view.fit.terms
    terms = {"all joints": ", ".join(given.terms)} if given.terms else {}
    terms |= {joint: ", ".join(own) for joint, own in given.joint_terms.items()}
    return found and found._replace(terms=terms)


def section(view: View[AnyFit]) -> Origin | None:
    """What the template shows; None where nothing is known."""
    fit = view.fit
    options = {name: _text(value) for name, value in sorted(fit.options.items())}
    commands = fit.provenance.commands if fit.provenance else []
    stated = fit.provenance.placeholders if fit.provenance else {}
    found = Origin(
        provenance=fit.provenance,
        commands=[*commands, _REPORT] if commands else [],
        placeholders=stated | _OF_REPORT if stated else {},
        logs={name: used.source_sha256 for name, used in fit.data.items()},
        earlier=_earlier(fit),
        options=options,
        robot={name: _text(value) for name, value in sorted(fit.robot.options.items()) if value},
        seed=options.get("seed"),
        terms={},
    )
    return found if found.provenance or found.logs or options else None


def _earlier(fit: AnyFit) -> list[tuple[str, str]]:
    found = fit.continues.recordings if fit.continues else []
    return [(recording.name, recording.source_sha256) for recording in found]


def _text(value: Any) -> str:
    """A value as people write it; `–` for none."""
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_text(one)}" for name, one in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value)) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)
