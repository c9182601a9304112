"""What a fit must be told about: not determined, or no better than a guess."""

from robotid.contracts.fit import FitResult
from robotid.errors import Effect, Notice


def verdict(result: FitResult) -> list[Notice]:
    """Findings that fail the quality gate; none when the fit can be used."""
    notices = []
    if not result.status.converged:
        notices.append(
            Notice(
                code="not-determined",
                message=f"the data do not determine the model: {result.status.message}",
                hint=result.status.remedy,
                effect=Effect.QUALITY,
            )
        )
    own = result.metrics["test"]["rmse"].mean
    for name, metrics in result.baselines.items():
        other = metrics["test"]["rmse"].mean
        if own is not None and other is not None and own >= other:
            notices.append(
                Notice(
                    code="baseline-not-beaten",
                    message=f"test error {own:.4g} N m, the {name} torque gives {other:.4g} N m",
                    hint="do not use this model; check the torque signal and the excitation",
                    effect=Effect.QUALITY,
                )
            )
    return notices
