"""Which of several fits to use, in plain words: what comes before all tables."""

from math import inf
from typing import NamedTuple

from robotid.contracts.fit import AnyFit
from robotid.contracts.words import DATA
from robotid.reporting.beside import compared
from robotid.reporting.energy import PROMISES
from robotid.reporting.facts import ComparedModel, Comparison, ReportFacts
from robotid.reporting.words import counted, listed


class Advice(NamedTuple):
    """What to do, and why.

    Args:
        use: name of a fit; None where none is to be used.
        title: that in words.
        said: why, how good it is, and what speaks against the others.
    """

    use: str | None
    title: str
    said: list[str]


def advice(facts: ReportFacts) -> Advice | None:
    """Which fit to use; None where there is nothing to choose from."""
    comparison = facts.comparison
    if comparison is None or len(comparison.models) < 2:
        return None
    name = chosen(comparison)
    others = [other for other in comparison.models if other != name]
    against = {other: _against(comparison, other, facts.fits[other]) for other in others}
    said = [comparison.sentence]
    if name is not None:
        if name != comparison.least:
            said.append(
                f"{name} is preferred: all its links can exist, and its error is not told apart."
            )
        said += _how_good(comparison, name, facts)
        said += _caveats(comparison, name, facts)
    said += [f"Against {other}: {'; '.join(why)}." for other, why in against.items() if why]
    if name is not None and (clear := [other for other, why in against.items() if not why]):
        said.append(f"Nothing speaks against {listed(clear)}: as good a choice.")
    title = "No fit is to be used" if name is None else f"Use {name}"
    if not comparison.same_data:
        title = "Fits are judged on different recordings"
    return Advice(name, title, said)


def chosen(comparison: Comparison) -> str | None:
    """The fit of least error; before one with impossible links, one not told apart without them."""
    models, least = comparison.models, comparison.least
    if least is None or not models[least].usable or not comparison.same_data:
        return None
    if models[least].consistent is not False:
        return least
    alike = [
        name
        for name, model in models.items()
        if model.usable and model.consistent and not _worse(model)
    ]
    return min(alike, key=lambda name: _error(models[name]), default=least)


def _how_good(comparison: Comparison, name: str, facts: ReportFacts) -> list[str]:
    metrics, split = comparison.models[name].metrics, comparison.split
    rmse = _error(comparison.models[name])
    where = f" ({listed(comparison.recordings)})" if comparison.recordings else ""
    mean = "a mean error over the joints" if len(comparison.joints) > 1 else "an error"
    share = metrics["relative"].mean if "relative" in metrics else None
    of = "" if share is None else f", {100 * share:.3g} % of the {facts.quantity.name}"
    others = {
        baseline: own[split]["rmse"].mean
        for baseline, own in facts.fits[name].baselines.items()
        if "rmse" in own.get(split, {}) and own[split]["rmse"].mean is not None
    }
    beside = compared(rmse, others, facts.quantity.baselines)
    than = f": {beside.said}, the best baseline" if others else ""
    said = f"{name} has {mean} of {rmse:.3g} {facts.unit} on {DATA[split]}{where}"
    return [f"{said}{of}{than}."]


def _caveats(comparison: Comparison, name: str, facts: ReportFacts) -> list[str]:
    """What to know of the fit that is to be used."""
    fit, predicts = facts.fits[name], facts.quantity.names
    found = []
    impossible = _impossible(fit)
    if impossible:
        found.append(f"{name} predicts {predicts}, but {impossible}, which simulators may refuse.")
        able = [n for n, m in comparison.models.items() if m.usable and m.consistent]
        if able:
            best = min(able, key=lambda other: _error(comparison.models[other]))
            found.append(f"Where links have to exist, use {best}.")
    if _gains_energy(comparison.models[name]):
        found.append(
            f"Nothing keeps {name} from gaining energy with nobody driving: see what robotid "
            "rollout makes of it before it is left to run."
        )
    codes = list(dict.fromkeys(remark.code for remark in fit.remarks))
    if codes:
        found.append(f"What to know of {name} is under its verdict: {', '.join(codes)}.")
    return found


def _against(comparison: Comparison, name: str, fit: AnyFit) -> list[str]:
    model, found = comparison.models[name], []
    if not model.usable:
        sentence = fit.verdict.sentence.rstrip(".")
        found.append(sentence[:1].lower() + sentence[1:])
    elif larger := _larger(comparison, model):
        found.append(larger)
    if _gains_energy(model):
        found.append("nothing keeps it from gaining energy with nobody driving")
    if impossible := _impossible(fit):
        found.append(impossible)
    return found


def _larger(comparison: Comparison, model: ComparedModel) -> str:
    """How much larger an error is than the least one; empty where it is not told apart."""
    if comparison.least is None or (model.behind is not None and not model.behind.worse):
        return ""
    least = _error(comparison.models[comparison.least])
    above = _error(model) - least
    if not above > 0:
        return ""
    share = 100 * above / least if least > 0 else inf
    grown = f"{share:.2g} %" if share < 10 else f"{share:.0f} %" if share < 1000 else "far"
    return f"its error is {grown} larger{', beyond chance' if model.behind else ''}"


def _gains_energy(model: ComparedModel) -> bool:
    return model.forward is not None and not PROMISES[model.forward.energy].certain


def _impossible(fit: AnyFit) -> str:
    names = [link.name for link in fit.links if not link.consistent]
    if not names:
        return ""
    return f"{len(names)} of {counted(len(fit.links), 'link')} cannot exist ({', '.join(names)})"


def _worse(model: ComparedModel) -> bool:
    return model.behind is not None and model.behind.worse


def _error(model: ComparedModel) -> float:
    error = model.metrics["rmse"].mean if "rmse" in model.metrics else None
    return inf if error is None else error
