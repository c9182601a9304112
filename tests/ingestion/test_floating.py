"""Logs of floating robots: frames that maps state, and defects that each have their finding."""

import numpy as np
import pytest

from robotid.errors import BadDataError, ConfigError
from robotid.robot.load import load_robot
from robotid.simulation.floating.scenario import simulate_floating
from robotid.simulation.options import SimulationOptions
from robotid.spatial.quaternions import rotation_of, turned, turned_back

SIX = ("x", "y", "z", "rx", "ry", "rz")
G = np.array([0.0, 0.0, -9.81])
OF_BASE = (
    *("base-missing", "base-of-fixed-robot", "base-velocity-frame", "base-velocity-unit"),
    *("base-velocity-differs", "gravity-in-acceleration", "contact-sign", "contact-scale"),
    *("no-contacts", "quaternion-sign", "quaternion-length"),
)


@pytest.fixture(scope="module")
def robot():
    return load_robot("quadruped").tree


@pytest.fixture(scope="module")
def simulated(robot):
    options = SimulationOptions(
        rate_hz=100.0, duration_s=12.0, recordings=1, harmonics=4, period_s=6.0, base_tilt=1.0
    )
    return simulate_floating(robot, robot, options)


@pytest.fixture
def log(simulated):
    """A log in robotid's own names, to be changed."""
    found = simulated.logs["run1"]
    return {"t": found.t, **{name: values.copy() for name, values in found.columns.items()}}


def vectors(log, prefix, ends=SIX):
    return np.column_stack([log[f"{prefix}.{end}"] for end in ends])


def put(log, prefix, values, ends=SIX):
    log |= {f"{prefix}.{end}": values[:, at] for at, end in enumerate(ends)}


def rotation(log):
    return rotation_of(vectors(log, "base.quat", "xyzw"))


def found(done):
    return [code for code in done.codes if code in OF_BASE]


def refused(ingest, *given, **kwargs):
    with pytest.raises(BadDataError) as error:
        ingest(*given, **kwargs)
    return error.value.notice


def mapped(**changes):
    """The map of the same log, with parts changed."""
    columns = {
        "time": {"column": "t", "unit": "s"},
        "q": {"columns": "q.{joint}"},
        "qd": {"columns": "qd.{joint}"},
        "tau": {"columns": "tau.{joint}"},
        "base": {
            "pos": {"columns": "base.pos.{joint}"},
            "quat": {"columns": "base.quat.{joint}"},
            "vel": {"columns": "base.vel.{joint}", "frame": "base"},
        },
        "contact": {},
    }
    base = columns["base"] | changes.pop("base", {})
    return columns | {"base": base} | changes


def test_robotids_own_names_need_no_map_and_clean_logs_are_quiet(ingest, log, robot):
    done = ingest(log, robot=robot)
    assert found(done) == []
    assert "unused-columns" not in done.codes
    for name in ("base.vel.rz", "contact.RR_foot.fz", "base.pos.x"):
        np.testing.assert_array_equal(done.columns[name], log[name])
    np.testing.assert_allclose(done.columns["base.quat.w"], log["base.quat.w"], atol=1e-12)
    assert found(ingest(log)) == []


def test_signs_of_quaternions_are_mended_and_counted(ingest, log, robot):
    flipped = dict(log)
    sign = np.where(np.arange(len(log["t"])) // 100 % 2, -1.0, 1.0)
    put(flipped, "base.quat", vectors(log, "base.quat", "xyzw") * sign[:, None], "xyzw")
    done = ingest(flipped, robot=robot)
    assert found(done) == ["quaternion-sign"]
    assert "11 times" in next(n.message for n in done.notices if n.code == "quaternion-sign")
    np.testing.assert_allclose(done.columns["base.quat.x"], log["base.quat.x"], atol=1e-12)


def test_quaternions_that_are_not_unit(ingest, log, robot):
    rounded = dict(log)
    put(rounded, "base.quat", vectors(log, "base.quat", "xyzw") * 1.01, "xyzw")
    done = ingest(rounded, robot=robot)
    assert found(done) == ["quaternion-length"]
    length = sum(done.columns[f"base.quat.{end}"] ** 2 for end in "xyzw")
    np.testing.assert_allclose(length, 1.0, atol=1e-12)
    broken = {**log, "base.quat.w": log["base.quat.w"].copy()}
    for end in "xyzw":
        broken[f"base.quat.{end}"] = broken[f"base.quat.{end}"].copy()
        broken[f"base.quat.{end}"][300:] *= 0.7
    said = refused(ingest, broken, robot=robot)
    assert (said.code, said.time) == ("not-a-quaternion", 3.0)


@pytest.mark.parametrize("stated", ["base", "world"])
def test_velocities_in_the_wrong_frame_are_found(ingest, log, robot, stated):
    """By the derivative of the pose; the finding says which frame it looks like."""
    wrong = dict(log)
    if stated == "base":
        R = rotation(log)
        halves = [turned(R, vectors(log, "base.vel")[:, at : at + 3]) for at in (0, 3)]
        put(wrong, "base.vel", np.column_stack(halves))
    columns = mapped(base={"vel": {"columns": "base.vel.{joint}", "frame": stated}})
    said = refused(ingest, wrong, columns, robot=robot)
    other = "world" if stated == "base" else "base"
    assert said.code == "base-velocity-frame"
    assert f'frame = "{other}"' in said.hint
    columns["base"]["vel"]["frame"] = other
    right = ingest(wrong, columns, robot=robot)
    assert "base-velocity-frame" not in right.codes
    for end in SIX:
        want = log[f"base.vel.{end}"]
        np.testing.assert_allclose(right.columns[f"base.vel.{end}"], want, atol=1e-9)
    accepted = ingest(wrong, mapped(base={"vel": {"columns": "base.vel.{joint}", "frame": stated}}),
                      robot=robot, accept=("base-velocity-frame",))  # fmt: skip
    assert "base-velocity-frame" in accepted.codes


def test_velocities_of_another_unit_or_of_something_else(ingest, log, robot):
    wrong = {**log, **{f"base.vel.{e}": log[f"base.vel.{e}"] * 57.3 for e in ("rx", "ry", "rz")}}
    said = refused(ingest, wrong, robot=robot)
    assert (said.code, "0.017" in said.message) == ("base-velocity-unit", True)
    other = {**log, **{f"base.vel.{e}": log["q.FL_hip_joint"] for e in "xyz"}}
    assert found(ingest(other, robot=robot)) == ["base-velocity-differs"]


def accelerations(simulated, kind):
    """True accelerations of a kind, in base coordinates."""
    base = simulated.motions["run1"].base
    v, omega, rates = base.twist[:, :3], base.twist[:, 3:], base.rates.copy()
    if kind != "rate":
        rates[:, :3] += np.cross(omega, v)
    if kind == "proper":
        R = rotation_of(base.pose[:, 3:])
        rates[:, :3] -= turned_back(R, np.broadcast_to(G, v.shape))
    return rates


@pytest.mark.parametrize("frame", ["base", "world"])
@pytest.mark.parametrize("kind", ["rate", "classical", "proper"])
def test_accelerations_of_every_kind_become_rates(ingest, log, robot, simulated, kind, frame):
    given = accelerations(simulated, kind)
    if frame == "world":
        R = rotation_of(simulated.motions["run1"].base.pose[:, 3:])
        given = np.column_stack([turned(R, given[:, at : at + 3]) for at in (0, 3)])
    put(log, "acc", given)
    acc = {"columns": "acc.{joint}", "frame": frame, "kind": kind}
    done = ingest(log, mapped(base={"acc": acc}), robot=robot)
    assert "gravity-in-acceleration" not in done.codes
    want = simulated.motions["run1"].base.rates
    got = np.column_stack([done.columns[f"base.acc.{end}"] for end in SIX])
    # Noise of the recorded twist and pose turns things a little.
    assert np.abs(got - want).max() < 0.02


@pytest.mark.parametrize(("is_", "said"), [("proper", "rate"), ("rate", "proper")])
def test_gravity_in_accelerations(ingest, log, robot, simulated, is_, said):
    put(log, "acc", accelerations(simulated, is_))
    acc = {"columns": "acc.{joint}", "frame": "base", "kind": said}
    notice = refused(ingest, log, mapped(base={"acc": acc}), robot=robot)
    assert notice.code == "gravity-in-acceleration"
    assert ("proper" in notice.hint) == (is_ == "proper")


def test_contact_forces_against_the_weight(ingest, log, robot):
    forces = [name for name in log if name.startswith("contact.")]
    turned_round = {**log, **{name: -log[name] for name in forces}}
    said = refused(ingest, turned_round, robot=robot)
    assert (said.code, "scale = -1" in said.hint) == ("contact-sign", True)
    in_kilo = {**log, **{name: log[name] / 9.81 for name in forces}}
    said = refused(ingest, in_kilo, robot=robot)
    assert (said.code, "15.02 kg" in said.message) == ("contact-scale", True)
    without = {name: values for name, values in log.items() if name not in forces}
    assert found(ingest(without, robot=robot)) == ["no-contacts"]


def test_who_floats(ingest, log, robot):
    without = {name: values for name, values in log.items() if not name.startswith("base.")}
    assert refused(ingest, without, robot=robot).code == "base-missing"
    held = load_robot("quadruped", base="fixed").tree
    said = refused(ingest, log, robot=held)
    assert (said.code, "--base floating" in said.hint) == ("base-of-fixed-robot", True)
    accept = ("base-of-fixed-robot", "torque-scale", "torque-sign", "torque-of-other-joint")
    assert "base-of-fixed-robot" in ingest(log, robot=held, accept=accept).codes


def test_contacts_in_coordinates_of_their_links(ingest, log, robot, simulated):
    """Turned into the world with the Jacobians' rotations of the robot file."""
    from robotid.dynamics.frame_jacobian import frame_jacobian

    motion = simulated.motions["run1"]
    q = np.column_stack([motion.base.pose, motion.q])
    local = frame_jacobian(robot, q, robot.frame("FL_foot")).rotation
    push = ("fx", "fy", "fz")
    put(log, "foot", turned_back(local, vectors(log, "contact.FL_foot", push)), push)
    contact = {"FL_foot": {"columns": ["foot.fx", "foot.fy", "foot.fz"], "frame": "local"}}
    for other in ("FR_foot", "RL_foot", "RR_foot"):
        names = [f"contact.{other}.{end}" for end in push]
        contact[other] = {"columns": names, "frame": "world"}
    done = ingest(log, mapped(contact=contact), robot=robot)
    for end in push:
        want = log[f"contact.FL_foot.{end}"]
        np.testing.assert_allclose(done.columns[f"contact.FL_foot.{end}"], want, atol=0.02)
    assert "contact.FL_foot.mx" not in done.columns


def test_maps_that_do_not_say_in_which_frame(ingest, log, robot):
    columns = ["contact.FL_foot.fx", "contact.FL_foot.fy", "contact.FL_foot.fz"]

    def refused_map(robot=robot, **changes):
        with pytest.raises(ConfigError) as error:
            ingest(log, mapped(**changes), robot=robot)
        return error.value.notice

    one = {"columns": columns}
    said = refused_map(contact={"FL_foot": one})
    assert (said.code, "[contact.FL_foot]" in said.message) == ("frame-unknown", True)
    assert "world" in said.hint
    said = refused_map(contact={"FL_fot": {**one, "frame": "world"}})
    assert (said.code, "did you mean 'FL_foot'" in said.hint) == ("unknown-contact", True)
    said = refused_map(contact={"FL_foot": {**one, "frame": "local"}}, robot=None)
    assert (said.code, "--robot" in said.hint) == ("frame-unknown", True)
    assert refused_map(contact={"FL_foot": {"frame": "world"}}).code == "wrong-count"
    two = {"columns": columns[:2], "frame": "world"}
    assert refused_map(contact={"FL_foot": two}).code == "wrong-count"
    vel = {"columns": "base.vel.{joint}"}
    assert refused_map(base={"vel": vel}).code == "frame-unknown"
    assert refused_map(base={"acc": {**vel, "frame": "base"}}).code == "frame-unknown"
    world = {**vel, "frame": "world"}
    assert refused_map(base={"vel": world, "quat": None}).code == "frame-unknown"


def test_whether_a_foot_touches_is_kept(ingest, log, robot):
    log["contact.FL_foot.on"] = np.where(np.arange(len(log["t"])) > 500, 1.0, 0.0)
    done = ingest(log, robot=robot)
    np.testing.assert_array_equal(done.columns["contact.FL_foot.on"], log["contact.FL_foot.on"])
    log["down"] = log["contact.FL_foot.on"]
    done = ingest(log, mapped(contact={"FL_foot": {"on": "down"}}), robot=robot)
    assert "contact.FL_foot.on" in done.columns
    assert "contact.FL_foot.fx" not in done.columns


def test_poses_of_another_stream_whose_sign_jumps(tmp_path, ingest, log, robot, simulated):
    """A slower stream is interpolated to the times of joints, never from q to -q."""
    folder = tmp_path / "two"
    folder.mkdir()
    slow = slice(None, None, 4)
    quaternion = vectors(log, "base.quat", "xyzw")[slow]
    quaternion = quaternion * np.where(np.arange(len(quaternion)) % 3, -1.0, 1.0)[:, None]
    pose = np.column_stack([log["t"][slow], vectors(log, "base.pos", "xyz")[slow], quaternion])
    np.savetxt(folder / "pose.csv", pose, delimiter=",", header="t,x,y,z,a,b,c,d", comments="")
    names = ["t", *(name for name in log if name.startswith(("q.", "qd.", "tau.")))]
    np.savetxt(
        folder / "joints.csv", np.column_stack([log[name] for name in names]),
        delimiter=",", header=",".join(names), comments="",
    )  # fmt: skip
    columns = mapped(base={
        "pos": {"columns": ["x", "y", "z"], "file": "pose.csv"},
        "quat": {"columns": ["a", "b", "c", "d"], "file": "pose.csv"},
        "vel": None,
    })  # fmt: skip
    for signal in ("q", "qd", "tau"):
        columns[signal]["file"] = "joints.csv"
    done = ingest(folder, columns, robot=robot)
    assert "quaternion-sign" in done.codes
    rows = np.searchsorted(log["t"], done.columns["t"] / 1e9 - 1e-6)
    want = vectors(log, "base.quat", "xyzw")[rows]
    got = np.column_stack([done.columns[f"base.quat.{end}"] for end in "xyzw"])
    assert np.abs(np.abs(np.sum(got * want, axis=1)) - 1).max() < 1e-4
