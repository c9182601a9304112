"""`report.json`: what a report says, before it is laid out."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from robotid.contracts.fit import FitResult


class ReportFacts(BaseModel):
    """The fits by name, and the verdict on each in one sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    verdicts: dict[str, str]
    fits: dict[str, FitResult]


def report_facts(fits: Mapping[str, FitResult]) -> ReportFacts:
    """The facts of a report on fits."""
    return ReportFacts(verdicts={n: _sentence(fit) for n, fit in fits.items()}, fits=dict(fits))


def _sentence(fit: FitResult) -> str:
    own = fit.metrics["test"]["rmse"].mean
    best = min((m["test"]["rmse"].mean or 0.0, name) for name, m in fit.baselines.items())
    if own is None:
        return "There is no held-out error, so nothing can be said."
    held_out = "held-out recordings" if fit.split_by == "recording" else "a held-out stretch"
    compared = f"{own:.3g} N m on {held_out}, {best[0]:.3g} N m for the {best[1]} torque"
    known = sum(parameter.status == "identified" for parameter in fit.parameters)
    trust = f"{known} of {len(fit.parameters)} parameters are identified"
    if not fit.status.converged:
        return f"Not to be used: {fit.status.message}. Error {compared}."
    if own >= best[0]:
        return f"Not to be used: error {compared}."
    return f"Error {compared}; {trust}."
