"""Whether a fit can be used: determined by the data, and better than a guess on held-out data."""

from collections.abc import Mapping, Sequence

from robotid.contracts.fit import Metrics, Parameter, Reason, Status, Verdict


def judge(
    status: Status,
    metrics: Metrics,
    baselines: Mapping[str, Metrics],
    parameters: Sequence[Parameter],
) -> Verdict:
    """The verdict on a fit from its errors on the test split beside those of the baselines."""
    reasons = []
    if not status.converged:
        said = f"the data do not determine the model: {status.message}"
        reasons.append(Reason(code="not-determined", message=said, hint=status.remedy))
    own = metrics["test"]["rmse"].mean
    others = {name: other["test"]["rmse"].mean for name, other in baselines.items()}
    for name, other in others.items():
        if own is None or other is None or own >= other:
            said = f"test error {_shown(own)}, the {name} torque gives {_shown(other)}"
            hint = "check the torque signal and the excitation"
            reasons.append(Reason(code="baseline-not-beaten", message=said, hint=hint))
    if reasons:
        why = "; ".join(reason.message for reason in reasons)
        return Verdict(usable=False, sentence=f"Not to be used: {why}.", reasons=reasons)
    known = sum(parameter.status == "identified" for parameter in parameters)
    compared = ", ".join(f"{_shown(other)} for the {name} torque" for name, other in others.items())
    sentence = (
        f"Error {_shown(own)} on held-out data, {compared}; "
        f"{known} of {len(parameters)} parameters are identified."
    )
    return Verdict(usable=True, sentence=sentence, reasons=[])


def _shown(rmse: float | None) -> str:
    return "unknown" if rmse is None else f"{rmse:.3g} N m"
