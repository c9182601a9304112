"""Physics of robots under control, against what is known of them beforehand."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from robotid.dynamics.rnea import rnea
from robotid.errors import ConfigError, RobotidError
from robotid.information.layout import Layout
from robotid.models.rigid_body import RigidBodyModel
from robotid.models.stepping import stepper
from robotid.robot.load import load_robot
from robotid.tracking.compared import _followed, _rig, compared, gains_of
from robotid.tracking.contenders import Contender, inertias
from robotid.tracking.joint_law import JointLaw
from robotid.tracking.law import Seen
from robotid.tracking.moved import moved_robot
from robotid.tracking.moves import Reference
from robotid.tracking.options import TrackOptions
from robotid.tracking.tasks import assigned

# A plant without friction, noise and rotors, whose exact model is the robot file.
IDEAL = {"friction": "none", "rotor_per_effort": 0.0, "noise_q": 0.0, "noise_qd": 0.0}
QUICK = {"engine": "own", "durations_s": (1.0,), "motions": 2, "warm_up": 0}


def tracked(robot="double_pendulum", **keys):
    return compared({}, load_robot(robot).tree, TrackOptions(**{**QUICK, **keys}))


def outcome(found, model, gain="stiff", place=0):
    own = [one for one in found.tracking.models[model].outcomes if one.gain == gain]
    return own[place]


def test_the_exact_model_follows_exactly():
    """Torques are held for a step, which leaves about jerk × step / 2 / K: below 2e-3 deg here."""
    found = tracked(**IDEAL, durations_s=(4.0,), position_share=0.3)
    assert outcome(found, "truth").rmse.mean.mean < 2e-3
    assert outcome(found, "truth").feedback_share.mean < 2e-3
    assert outcome(found, "truth").unstable == []


def test_steps_twice_as_fine_halve_what_they_leave():
    coarse, fine = (
        tracked(**IDEAL, gains=("stiff",), control_hz=hz).tracking.models["truth"]
        for hz in (500, 1000)
    )
    ratio = coarse.outcomes[0].rmse.mean.mean / fine.outcomes[0].rmse.mean.mean
    assert ratio == pytest.approx(2.0, rel=0.1)


def test_better_models_follow_better_with_less_feedback():
    """The robot moved has friction that the file knows, and rotors that it does not."""
    found = tracked()
    for gain in ("soft", "medium", "stiff"):
        none, nominal, truth = (outcome(found, name, gain) for name in ("none", "nominal", "truth"))
        assert none.rmse.mean.mean > nominal.rmse.mean.mean > truth.rmse.mean.mean
        assert none.feedback_share.mean > nominal.feedback_share.mean > truth.feedback_share.mean
    errors = [
        outcome(found, "nominal", gain).rmse.mean.mean for gain in ("soft", "medium", "stiff")
    ]
    assert errors == sorted(errors, reverse=True)


def test_without_a_model_the_spring_carries_the_weight():
    """At rest J K (q_d - q) = g(q): the offset is known beforehand."""
    found = tracked(**IDEAL, gains=("own=900",), durations_s=(0.5,), hold_s=4.0, motions=1)
    robot = load_robot("double_pendulum").tree
    motion = next(m for m in found.motions if m.model == "none")
    q = torch.tensor(motion.actual[-1])
    weight = rnea(robot, q, torch.zeros(2).double(), torch.zeros(2).double()).numpy()
    offset = weight / (900 * inertias(robot))
    np.testing.assert_allclose(motion.desired[-1] - motion.actual[-1], offset, atol=1e-4)
    said = outcome(found, "none", "own").final_offset.joints
    np.testing.assert_allclose(
        [x.mean for x in said.values()], np.abs(np.rad2deg(offset)), atol=0.01
    )


def test_engines_agree():
    own, other = (
        tracked(engine=engine, motions=1, gains=("stiff",)) for engine in ("own", "mujoco")
    )
    for name in ("nominal", "none", "truth"):
        a, b = outcome(own, name).rmse.mean.mean, outcome(other, name).rmse.mean.mean
        assert a == pytest.approx(b, rel=1e-6)


def test_a_gain_too_high_for_the_steps_is_unstable():
    """With D × step above 2 a velocity error changes its sign and grows from step to step."""
    found = tracked(gains=("stiff", "wild=4e6"), control_hz=500.0, saturate=False)
    calm, wild = outcome(found, "truth"), outcome(found, "truth", "wild")
    assert calm.rmse is not None
    assert wild.rmse is wild.final_offset is wild.feedback_share is wild.saturated is None
    assert wild.by_motion == [None, None]
    assert [one.motion for one in wild.unstable] == [0, 1]
    first = wild.unstable[0]
    assert first.joint in found.tracking.joints
    assert first.reason in ("velocity", "position", "not finite")
    assert 0 < first.time_s < 0.2
    assert any(remark.code == "unstable" for remark in found.tracking.remarks)
    shown = next(m for m in found.motions if (m.model, m.gain) == ("truth", "wild"))
    assert np.isfinite(shown.actual[0]).all()
    assert np.isnan(shown.actual[-1]).all()
    last = next(one for one in found.tracking.ranked if one.gain == "wild")
    assert last.best is None
    assert "no model is stable" in last.sentence


def test_one_unstable_motion_does_not_touch_the_others():
    """Joints that fall out of their limits: alone or beside others, motions are the same."""
    both = tracked("pendulum", gains=("soft", "stiff"), position_margin=0.0, durations_s=(2.0,))
    alone = tracked("pendulum", gains=("stiff",), position_margin=0.0, durations_s=(2.0,))
    for name in ("nominal", "none", "truth"):
        assert outcome(both, name) == outcome(alone, name)


def test_motors_at_their_limit_are_counted():
    """A motor that cannot hold the weight of its link."""
    tree = load_robot("pendulum").tree
    (joint,) = tree.joints
    weak = replace(tree, joints=(joint._replace(limits=joint.limits._replace(effort=0.05)),))
    keys = {**QUICK, **IDEAL, "gains": ("stiff",), "motions": 1}
    own = compared({}, weak, TrackOptions(**keys)).tracking.models["truth"].outcomes[0]
    assert own.unstable or own.saturated > 0.5
    free = compared({}, weak, TrackOptions(**keys, saturate=False)).tracking
    assert free.models["truth"].outcomes[0].saturated == 0
    assert free.moved.torque_limits == {joint.name: None}


def test_the_same_bytes_again():
    first, second = (tracked(motions=1, noise_qd=0.01, encoder_counts=4096) for _ in range(2))
    assert first.tracking.model_dump_json() == second.tracking.model_dump_json()
    other = tracked(motions=1, noise_qd=0.01, encoder_counts=4096, seed=1)
    assert first.tracking.models != other.tracking.models


def test_more_motions_begin_with_the_same():
    one, three = (
        tracked(**IDEAL, motions=motions, gains=("stiff",)).tracking.models["nominal"].outcomes[0]
        for motions in (1, 3)
    )
    np.testing.assert_allclose(three.by_motion[0], one.by_motion[0], rtol=1e-9)
    assert one.rmse.mean.std is None


def test_noise_costs_torque():
    """An error of position that is none asks for a torque all the same."""
    quiet, noisy = (tracked(noise_q=noise, gains=("stiff",)) for noise in (0.0, 1e-3))
    assert outcome(noisy, "truth").rmse.mean.mean > outcome(quiet, "truth").rmse.mean.mean
    shares = [outcome(found, "truth").feedback_share.mean for found in (quiet, noisy)]
    assert shares[1] > 2 * shares[0]


def test_elastic_joints_with_sensors_on_either_side():
    for side in ("motor", "link"):
        found = tracked(elastic_hz=15.0, position_sensor=side, gains=("soft",), motions=1)
        assert found.tracking.moved.elastic
        assert outcome(found, "truth", "soft").unstable == []


def test_stick_slip_is_known_but_for_its_memory():
    found = tracked(friction="stick-slip", gains=("stiff",), motions=1)
    assert outcome(found, "truth").rmse.mean.mean < outcome(found, "none").rmse.mean.mean


@pytest.mark.parametrize(
    ("robot", "keys", "code", "joint"),
    [
        ("cartpole", {}, "no-motor", "pivot"),
        ("quadruped", {}, "floating-base", None),
        ("double_pendulum", {"gains": ("1,2,3",)}, "wrong-count", None),
        ("double_pendulum", {"task": "sines", "sine_periods_s": (1.0, 2.0, 3.0)}, "wrong-count", None),
        ("double_pendulum", {"task": "reaching", "link": "tpi"}, "unknown-link", None),
        ("pendulum", {"task": "reaching"}, "hand-does-not-move", None),
        ("double_pendulum", {"motions": 1000, "durations_s": (3600.0,), "control_hz": 1e6}, "out-of-memory", None),
    ],
)  # fmt: skip
def test_what_cannot_be_followed(robot, keys, code, joint):
    with pytest.raises(RobotidError) as caught:
        tracked(robot, **keys)
    assert (caught.value.notice.code, caught.value.notice.joint) == (code, joint)
    assert caught.value.notice.hint


def test_joints_without_limits():
    tree = load_robot("double_pendulum").tree
    shoulder, elbow = tree.joints
    endless = elbow.limits._replace(lower=-np.inf, upper=np.inf)
    tree = replace(tree, joints=(shoulder, elbow._replace(kind="continuous", limits=endless)))
    options = TrackOptions(**{**QUICK, "gains": ("stiff",), "motions": 1})
    with pytest.raises(ConfigError) as caught:
        compared({}, tree, options)
    assert (caught.value.notice.code, caught.value.notice.joint) == ("no-limits", "elbow")
    assert "assumed_reach" in caught.value.notice.hint
    found = compared({}, tree, options.model_copy(update={"assumed_reach": 1.0}))
    assert outcome(found, "truth").unstable == []


def test_springs_beside_the_model():
    """The torque that they add, and that it is all of the feedback."""
    reference = Reference(*np.random.default_rng(0).normal(size=(3, 1, 2, 2)))
    K, inertia = np.array([[4.0, 9.0]]), np.array([2.0, 0.5])
    law = JointLaw(reference, K, inertia)
    seen = Seen(*np.random.default_rng(1).normal(size=(2, 1, 1, 2, 2)))
    command = law.command(0, seen, seen)
    q, qd, qdd = (part[0] for part in reference)
    np.testing.assert_allclose(command.qdd[0, 0], qdd)
    stretched, rate = q - seen.q[0, 0], qd - seen.qd[0, 0]
    np.testing.assert_allclose(
        command.added[0, 0], [2.0, 0.5] * ([4.0, 9.0] * stretched + [4.0, 6.0] * rate)
    )
    assert law.planned(0) is None


def test_better_models_follow_better_beside_springs_too():
    found = tracked(feedback="joints")
    for gain in ("medium", "stiff"):
        nominal, truth = (outcome(found, name, gain) for name in ("nominal", "truth"))
        assert nominal.rmse.mean.mean > 3 * truth.rmse.mean.mean
        assert nominal.feedback_share.mean > truth.feedback_share.mean
    exact = tracked(**IDEAL, feedback="joints", durations_s=(4.0,), position_share=0.3)
    assert outcome(exact, "truth").rmse.mean.mean < 2e-3


@pytest.mark.parametrize(("feedback", "follows"), [("model", False), ("joints", True)])
def test_an_inertia_that_is_not_positive_spoils_feedback_through_it(feedback, follows):
    """Its weight is right, so beside springs the arm follows; through it, feedback pushes on."""
    options = TrackOptions(
        **QUICK | {"durations_s": (4.0,)}, **IDEAL, gains=("medium",), feedback=feedback
    )
    robot = load_robot("pendulum").tree
    phi = robot.phi.copy()
    phi[0, 4:] *= -0.2
    wrong = RigidBodyModel(Layout(robot, ()), phi.ravel())
    moved = moved_robot(robot, options, None)
    K, inertia = gains_of(robot, options), inertias(robot)
    law = assigned(robot, options, 4.0, K, inertia)
    model = Contender("wrong", "fit", "", True, lambda batch: stepper(wrong, batch))
    found = _followed(_rig(robot, moved, options), law, [model], moved, options, robot)
    assert (not found.stopped) == follows
