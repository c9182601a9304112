"""A verdict is one sentence, with reasons that can be acted on."""

import pytest
from pydantic import ValidationError

from robotid.contracts.fit import Choice, Identifiability, Link, Metric, Parameter, Status
from robotid.evaluation.gates import GateOptions
from robotid.evaluation.remarks import remarks
from robotid.evaluation.verdict import Fitted, judge

GOOD = {"train": {"a": 0.1, "b": 0.02}, "test": {"a": 0.12, "b": 0.025}}
SIZE = {"a": 10.0, "b": 1.0}


def metrics(errors):
    """Metrics of errors by split and joint, for torques of some size and twice that range."""
    found = {}
    for split, joints in errors.items():
        values = {
            "rmse": joints,
            "relative": {j: e / SIZE[j] for j, e in joints.items()},
            "nmse_range": {j: (e / (2 * SIZE[j])) ** 2 for j, e in joints.items()},
        }
        found[split] = {
            name: Metric(mean=sum(v.values()) / len(v), joints=v) for name, v in values.items()
        }
    return found


def fitted(errors=GOOD, **changes):
    zero = metrics(dict.fromkeys(errors, SIZE))
    mean = metrics({split: {"a": 5.0, "b": 0.5} for split in errors})
    given = {
        "status": Status(converged=True, message="done"),
        "metrics": metrics(errors),
        "baselines": {"zero": zero, "mean": mean},
        "parameters": [
            Parameter(name="a.m", owner="a", unit="kg", value=1.0, std=0.1, status="identified"),
            Parameter(name="b.m", owner="b", unit="kg", value=1.0, std=None, status="from prior"),
        ],
        "identifiability": Identifiability(rank=10, structural_rank=10, condition=20.0),
        "links": [link("upper"), link("lower")],
        "consistent": True,
    }
    return Fitted(**{**given, **changes})


def link(name, *, consistent=True):
    return Link(
        name=name, mass=1.0, centre=[0, 0, 0], moments=[1, 1, 1], margin=0.1, consistent=consistent
    )


def test_a_good_fit_is_usable_and_says_how_good():
    verdict = judge(fitted())
    assert verdict.usable
    assert verdict.reasons == []
    assert verdict.sentence == (
        "Error 0.0725 N m on held-out data, 5.5 N m for no torque, 2.75 N m for the mean torque; "
        "1 of 2 parameters are identified."
    )
    assert remarks(fitted()) == []


REFUSED = {
    "not-converged": fitted(
        status=Status(converged=False, message="200 iterations", remedy="start from sdp")
    ),
    "baseline-not-beaten": fitted({**GOOD, "test": {"a": 6.0, "b": 0.01}}),
    "links-not-consistent": fitted(links=[link("upper"), link("lower", consistent=False)]),
}


@pytest.mark.parametrize("code", REFUSED)
def test_n25_what_is_not_usable_never_says_identified(code):
    verdict = judge(REFUSED[code])
    assert not verdict.usable
    (reason,) = verdict.reasons
    assert reason.code == code
    assert reason.hint
    assert verdict.sentence == f"Not to be used: {reason.message}."
    assert "identified" not in verdict.sentence


def test_baselines_are_named_with_joints_and_by_how_much():
    (reason,) = judge(REFUSED["baseline-not-beaten"]).reasons
    assert reason.message == (
        "error 3 N m (21.2 % of the range) on held-out data, "
        "the mean torque gives 2.75 N m (25 % of the range); worse for a"
    )
    weak = fitted({**GOOD, "test": {"a": 0.1, "b": 0.9}})  # the other way round
    assert [reason.code for reason in judge(weak).reasons] == ["baseline-not-beaten"]


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ({"a": "N m", "b": "N m"}, "Error 0.0725 N m on"),
        ({"a": "N", "b": "N"}, "Error 0.0725 N on"),
        ({"a": "N", "b": "N m"}, "Error 0.0725 N m or N on"),
    ],
)
def test_errors_of_sliding_joints_are_forces(units, said):
    assert judge(fitted(units=units)).sentence.startswith(said)
    refused = REFUSED["baseline-not-beaten"]._replace(units=units)
    unit = said.removeprefix("Error 0.0725 ").removesuffix(" on")
    assert judge(refused).reasons[0].message.startswith(f"error 3 {unit} (21.2 %")


def test_no_error_at_all_beats_and_the_same_error_does_not():
    assert judge(fitted({s: {"a": 0.0, "b": 0.0} for s in GOOD})).usable
    same = judge(fitted({**GOOD, "test": {"a": 5.0, "b": 0.5}}))
    assert [reason.code for reason in same.reasons] == ["baseline-not-beaten"]
    assert same.sentence.endswith("; not better by as much as 0.1 %.")
    assert not judge(fitted({**GOOD, "test": {"a": float("nan"), "b": 0.1}})).usable


@pytest.mark.parametrize(("gain", "usable"), [(2.5e-7, False), (9e-4, False), (1.1e-3, True)])
def test_a_gain_that_chance_explains_beats_no_baseline(gain, usable):
    """Training that went nowhere ends a hair from the robot file, on either side."""
    hair = {joint: error * (1 - gain) for joint, error in {"a": 5.0, "b": 0.5}.items()}
    verdict = judge(fitted({**GOOD, "test": hair}))
    assert verdict.usable is usable
    assert [reason.code for reason in verdict.reasons] == ["baseline-not-beaten"] * (not usable)


def test_a_torque_that_never_changed_beats_nothing():
    found = fitted()
    flat = {
        split: {**values, "nmse_range": Metric(mean=None, joints={"a": None, "b": None})}
        for split, values in found.metrics.items()
    }
    verdict = judge(found._replace(metrics=flat, baselines={"zero": flat}))
    assert not verdict.usable


def test_a_joint_that_a_baseline_predicts_better_is_named():
    found = fitted({**GOOD, "test": {"a": 0.1, "b": 0.6}})
    assert judge(found).usable
    (notice,) = [notice for notice in remarks(found) if notice.code == "joint-no-better"]
    assert notice.joint == "b"
    assert notice.message == "on held-out data, the mean torque predicts this joint better"
    worse = fitted({**GOOD, "test": {"a": 0.1, "b": 1.5}})
    (notice,) = [notice for notice in remarks(worse) if notice.code == "joint-no-better"]
    assert "no torque and the mean torque predict this joint better" in notice.message


def test_n19_free_models_may_have_impossible_links():
    found = fitted(links=[link("upper", consistent=False), link("lower")], consistent=False)
    assert judge(found).usable
    (notice,) = remarks(found)
    assert notice.code == "links-impossible"
    assert "upper" in notice.message
    assert "lower" not in notice.message
    assert "sdp" in notice.hint
    assert "export" in notice.hint
    # Where the model promises links that can exist, it is a reason, said once.
    assert remarks(REFUSED["links-not-consistent"]) == []


GATES = [
    ({"max_rmse": 0.1}, "max_rmse: rmse 0.12 of a, more than 0.1"),
    ({"max_relative": 0.02}, "max_relative: relative 0.025 of b, more than 0.02"),
    ({"max_condition": 10}, "max_condition: condition number 20, more than 10"),
    (
        {"max_overfit": 1.22},
        "max_overfit: held-out over training error 1.25 of b, more than 1.22",
    ),
]


@pytest.mark.parametrize(("limits", "said"), GATES)
def test_gates_refuse_and_name_the_joint(limits, said):
    verdict = judge(fitted(), GateOptions(**limits))
    assert [reason.code for reason in verdict.reasons] == ["gate-failed"]
    assert said in verdict.sentence
    assert "identified" not in verdict.sentence
    wide = {name: 10 * limit for name, limit in limits.items()}
    assert judge(fitted(), GateOptions(**wide)).usable


def without_value(found, metric, joint="b"):
    """The same fit, with one metric of the test null."""
    test = dict(found.metrics["test"])
    test[metric] = test[metric].model_copy(update={"joints": {**test[metric].joints, joint: None}})
    return found._replace(metrics={**found.metrics, "test": test})


def test_a_gate_that_cannot_be_looked_at_is_not_met():
    trained = fitted({"train": GOOD["train"]})
    (reason,) = judge(trained, GateOptions(max_overfit=1e3)).reasons
    assert (reason.code, reason.message) == (
        "gate-failed",
        "max_overfit: no data were held out to compare with",
    )
    assert judge(trained).usable
    for gate, metric in (("max_rmse", "rmse"), ("max_relative", "relative")):
        found = without_value(fitted(), metric)
        (reason,) = judge(found, GateOptions(**{gate: 1e3})).reasons
        assert reason.message == f"{gate}: {metric} of b has no value"
        assert judge(found).usable
        both = judge(found, GateOptions(**{gate: 1e-3})).reasons
        assert ["of a, more than" in both[0].message, "of b has" in both[1].message] == [True, True]
    (reason,) = judge(without_value(fitted(), "relative"), GateOptions(max_overfit=1e3)).reasons
    assert "held-out over training error of b has no value" in reason.message
    exact = fitted({"train": {"a": 0.0, "b": 0.0}, "test": GOOD["test"]})
    (reason,) = judge(exact, GateOptions(max_overfit=1e3)).reasons
    assert "inf of a, inf of b, more than 1000" in reason.message
    # Nothing to compare where the held-out error itself is next to nothing.
    tiny = fitted({"train": {"a": 0.0, "b": 0.0}, "test": {"a": 1e-6, "b": 1e-9}})
    assert judge(tiny, GateOptions(max_overfit=1.01)).usable


def test_n11_poor_excitation_is_said_and_refuses_only_on_request():
    poor = Identifiability(rank=8, structural_rank=10, condition=None, worst="a.m - b.m")
    found = fitted(identifiability=poor)
    assert judge(found).usable
    (notice,) = remarks(found)
    assert notice.code == "rank-deficient"
    assert "8 of 10" in notice.message
    assert "a.m - b.m" in notice.message
    assert not judge(found, GateOptions(full_rank=True)).usable
    assert not judge(found, GateOptions(max_condition=1e6)).usable
    for condition, much in ((500.0, "is high"), (1e5, "is very high")):
        high = Identifiability(rank=10, structural_rank=10, condition=condition)
        (notice,) = remarks(fitted(identifiability=high))
        assert notice.code == "high-condition"
        assert much in notice.message


def test_n20_held_out_errors_much_larger_than_those_of_training_are_said():
    found = fitted({**GOOD, "test": {"a": 0.5, "b": 0.02}})
    (notice,) = remarks(found)
    assert (notice.code, notice.joint) == ("held-out-worse", "a")
    assert "5 times" in notice.message
    (notice,) = remarks(fitted({"train": {"a": 0.01, "b": 0.02}, "test": {"a": 2.2, "b": 0.02}}))
    assert "is 220 times that" in notice.message
    exact = {"train": {"a": 1e-12, "b": 1e-13}, "test": {"a": 1e-9, "b": 1e-13}}
    assert remarks(fitted(exact)) == []


def test_a_width_at_the_edge_of_its_grid_is_said():
    choice = Choice(
        owner="a", term="coulomb", candidates=[0.1, 0.2], losses=[2, 1], chosen=0.2, at_edge=True
    )
    (notice,) = remarks(fitted(choices=[choice]))
    assert (notice.code, notice.joint) == ("width-at-edge", "a")
    chance = choice.model_copy(update={"at_edge": False, "needed": False})
    (notice,) = remarks(fitted(choices=[chance]))
    assert (notice.code, notice.joint) == ("term-not-needed", "a")


def test_nothing_held_out_is_said():
    found = fitted({"train": GOOD["train"]})
    assert "on the data it was fitted to" in judge(found).sentence
    assert [notice.code for notice in remarks(found)] == ["nothing-held-out"]
    validated = fitted({"train": GOOD["train"], "val": GOOD["test"]})
    assert "on validation data" in judge(validated).sentence


def test_gates_are_numbers_that_make_sense():
    for wrong in ({"max_rmse": 0}, {"max_condition": 0.5}, {"max_rms": 1}):
        with pytest.raises(ValidationError):
            GateOptions(**wrong)
