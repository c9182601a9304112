"""Results of fits to lay out, made by hand."""

from robotid.contracts.fit import BaseParameter, Fold, Link, Metric, Reason, Verdict
from robotid.reporting.view import FitView
from tests.exporting.fits import write_fit

JOINTS = ("shoulder", "elbow")


def metrics(error):
    one = Metric(mean=error, joints=dict.fromkeys(JOINTS, error))
    names = ("rmse", "relative", "r2", "nmse_var", "nmse_range")
    return {split: dict.fromkeys(names, one) for split in ("train", "test")}


def view(folder, *, usable=True, name="ols", **changes):
    """A fit of the double pendulum, with every section of a page."""
    sentence = "Error 0.1 N m on held-out data; 7 of 28 parameters are identified."
    reason = Reason(code="not-converged", message="the fit did not converge", hint=None)
    bad = Verdict(usable=False, sentence=f"Not to be used: {reason.message}.", reasons=[reason])
    fields = {
        "metrics": metrics(0.1),
        "baselines": {"zero": metrics(2.0), "mean": metrics(1.0)},
        "verdict": Verdict(usable=True, sentence=sentence, reasons=[]) if usable else bad,
        "base_parameters": [
            BaseParameter(
                name="L1yy", grouping="L1yy + 1/4 m2", unit="kg m²", value=0.25, std=0.01,
                lower=0.23, upper=0.27, nominal=0.3, status="identified",
            )
        ],
        "links": [
            Link(
                name="upper", mass=1.5, centre=[0.0, 0.0, -0.2], moments=[0.01, 0.02, 0.02],
                margin=0.1, consistent=True,
            )
        ],
        "active": ["elbow.viscous is zero"],
        "folds": [Fold(left_out=["run1"], metrics=metrics(0.2)["test"])],
        **changes,
    }  # fmt: skip
    return FitView.read(name, write_fit(folder, "double_pendulum", **fields))


def changed(given, *, name=None, **changes):
    """The same view with other facts."""
    fit = given.fit.model_copy(update=changes)
    return FitView(given.name if name is None else name, given.folder, fit)
