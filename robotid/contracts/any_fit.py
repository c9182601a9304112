"""A fit folder, whatever kind of fit it holds."""

from pathlib import Path

from robotid.contracts.fit import FIT, FitResult, read_fit
from robotid.contracts.forward import ForwardResult, read_forward_result
from robotid.contracts.learned import LearnedResult, read_learned_result
from robotid.contracts.versions import kind_of


def read_any_fit(folder: Path) -> FitResult | ForwardResult | LearnedResult:
    """The facts of a fit."""
    kind = kind_of((folder / FIT).read_bytes())
    if kind == "forward":
        return read_forward_result(folder)
    return read_learned_result(folder) if kind == "learned" else read_fit(folder)
