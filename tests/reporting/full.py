"""A fit with something in every field, made by hand: what a page shows at most."""

import numpy as np

from robotid.contracts.fit import (
    FIT,
    BaseParameter,
    BlockErrors,
    Choice,
    CurvePoint,
    DriveGain,
    Fold,
    Link,
    Metric,
    PayloadFound,
    Reason,
    Verdict,
    read_fit,
)
from robotid.contracts.fit_data import (
    Autocorrelation,
    FilteredData,
    JointRange,
    Provenance,
    RecordingUsed,
    Remark,
    Whiteness,
)
from robotid.contracts.repair import Repair
from robotid.contracts.residuals import Excerpt, Window, write_residuals
from robotid.reporting.view import FitView
from robotid.robot.load import load_robot
from tests.exporting.fits import write_fit

METRICS = ("rmse", "relative", "r2", "nmse_var", "nmse_range")
SPLITS = {"run1": "train", "run2": "val", "run3": "test"}


def full_view(folder, robot="double_pendulum", *, name="full", samples=600, lines=65, **changes):
    """A fit of a robot (shipped, or a file), `samples` in its excerpt, `lines` in its spectra."""
    tree = load_robot(robot).tree
    fields = {**facts_of(tree.joint_names, tree.links, lines), **changes}
    write_fit(folder, robot, file=robot, **fields)
    fit = read_fit(folder).model_copy(update={"options": {"prior": "nominal", "w": ["given", 2]}})
    (folder / FIT).write_text(fit.model_dump_json(), encoding="utf-8")
    write_residuals(folder, _excerpt(tree.joint_names, samples))
    return FitView(name, folder, fit)


def metrics_of(joints, error):
    joints = {joint: error * (1 + place) for place, joint in enumerate(joints)}
    one = Metric(mean=float(np.mean(list(joints.values()))), joints=joints)
    return {split: dict.fromkeys(METRICS, one) for split in SPLITS.values()}


def facts_of(joints, links, lines):
    rng = np.random.default_rng(0)
    reason = Reason(code="gate-failed", message="the error is too large", hint="more data")
    nothing = Metric(mean=None, joints=dict.fromkeys(joints))
    fold = metrics_of(joints, 0.2)["test"]
    return {
        "samples": dict.fromkeys(SPLITS.values(), 12_000),
        "recordings": SPLITS,
        "verdict": Verdict(usable=False, sentence="Not to be used: too large.", reasons=[reason]),
        "metrics": metrics_of(joints, 0.1),
        "baselines": {
            "zero": metrics_of(joints, 2.0),
            "nominal": metrics_of(joints, 0.05),
            "still": {split: dict.fromkeys(METRICS, nothing) for split in SPLITS.values()},
        },
        "base_parameters": [
            BaseParameter(
                name=f"sum{number}", grouping=f"sum{number} + 1/4 m2", unit="kg m²", value=0.25,
                std=0.01, lower=0.23, upper=0.27, nominal=0.3, status="identified",
            )
            for number in range(8 * len(joints))
        ],
        "links": [
            Link(
                name=link, mass=1.5, centre=[0.0, 0.0, -0.2], moments=[0.01, 0.02, 0.02],
                margin=0.1, consistent=bool(number % 2),
            )
            for number, link in enumerate(links)
        ],
        "active": ["a bound that holds"],
        "essential": ["sum1"],
        "choices": [
            Choice(
                owner=joint, term="stribeck", candidates=[0.01, 0.1], losses=[1.0, 2.0], chosen=0.01,
                at_edge=True,
            )
            for joint in joints
        ],
        "blocks": [
            BlockErrors(
                recording=recording, split=split, start_s=10.0 * k, end_s=10.0 * (k + 1),
                rmse=dict.fromkeys(joints, 0.1 + 0.01 * k), mean=dict.fromkeys(joints, 0.01),
            )
            for recording, split in SPLITS.items()
            for k in range(16)
        ],
        "whiteness": {
            joint: Whiteness(
                lag_s=0.2, share=0.1, effective=120.0, with_velocity=0.4, with_speed=0.5,
                with_acceleration=None, white=False,
            )
            for joint in joints
        },
        "folds": [Fold(left_out=["run1", "run2"], metrics=fold)],
        "folds_mean": fold,
        "folds_spread": fold,
        "curve": [CurvePoint(step=k, train=1 / (k + 1), validation=2 / (k + 1)) for k in range(50)],
        "gains": [DriveGain(joint=joint, value=12.0, std=0.2) for joint in joints],
        "payload": PayloadFound(
            frame=links[-1], mass=[1.0, 0.9, 1.1], centre=[[0.1, None, None]] * 3,
            inertia=[[0.01, 0.0, 0.02]] * 6, consistent=True, statuses={"mass": "identified"},
        ),
        "filtered": {
            recording: FilteredData(
                rate_hz=1000.0, cutoff_hz=20.0, effective_hz=17.0,
                frequency_hz=np.linspace(0, 500, lines).tolist(),
                before={c: rng.uniform(1, 2, lines).tolist() for c in _columns(joints)},
                after={c: rng.uniform(1e-6, 1, lines).tolist() for c in _columns(joints)},
            )
            for recording in SPLITS
        },
        "data": {
            recording: RecordingUsed(
                split=split, source_sha256="c0ffee" * 8, source_format="csv", rate_hz=1000.0,
                duration_s=60.0, samples=12_000, dropped={"at an edge": 12}, excluded=[joints[0]],
                gaps=1, repairs=[Repair(code="spike", count=2, first=["line 12"])], cutoff_hz=20.0,
                effective_hz=17.0, torque_kind="measured",
            )
            for recording, split in SPLITS.items()
        },
        "ranges": {
            joint: JointRange(
                q=(-2.0, 2.0), qd=(-1.0, 1.5), qdd=(-9.0, 9.0), tau=(-20.0, 30.0),
                position_limits=(-2.8, 2.8), velocity_limit=2.0, effort_limit=87.0,
            )
            for joint in joints
        },
        "autocorrelation": {
            joint: Autocorrelation(
                lag_s=(0.01 * np.arange(50)).tolist(), value=(0.9 ** np.arange(50)).tolist(),
                expected=(0.8 ** np.arange(50)).tolist(), band=[0.1] * 50,
            )
            for joint in joints
        },
        "remarks": [
            Remark(code="held-out-worse", message="much worse", joint=joints[0], hint="record more"),
            Remark(code="held-out-worse", message="worse", joint=joints[1], hint="record more"),
            Remark(code="offset-differs", message="lies higher", recording="run1", hint="zero it"),
            Remark(code="high-condition", message="the condition number is high"),
        ],
        "provenance": Provenance(
            inputs={"dataset": ["beef" * 16]},
            libraries={"numpy": "2.0"},
            commands=["robotid fit DATASET --model sdp"],
        ),
    }  # fmt: skip


def _columns(joints):
    return [f"{signal}.{joint}" for signal in ("q", "qd", "qdd", "tau") for joint in joints]


def _excerpt(joints, samples):
    rng = np.random.default_rng(1)
    each, windows = samples // 6, []
    for number in range(6):
        recording, split = list(SPLITS.items())[number % 3]
        signals = {
            field: rng.normal(size=(each, len(joints)))
            for field in ("q", "qd", "qdd", "tau", "temperature")
        }
        predicted = signals["tau"] + 0.1 * rng.normal(size=(each, len(joints)))
        t = 20.0 * (number // 3) + 0.005 * np.arange(each)
        windows.append(Window(recording, split, t, predicted=predicted, **signals))
    return Excerpt(tuple(joints), tuple(windows))
