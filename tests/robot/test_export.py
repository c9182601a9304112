"""Identified parameters written back: torques agree, every other byte stays, nothing half-written."""

import difflib
import os
import re

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from robotid.errors import BadDataError, ConfigError, UsageError
from robotid.robot import export
from robotid.robot.catalog import FILES, ROBOTS
from robotid.robot.edit import Payload
from robotid.robot.export import export_robot, exported
from robotid.robot.geometry import inertia_matrix, phi_from, pseudo_inertia
from robotid.robot.load import load_robot, reload_robot
from tests.reference_models import random_phi

from . import test_mjcf
from .urdf_texts import ARM, random_urdf

CLOSE = {"rtol": 1e-9, "atol": 1e-11}  # what the export itself promises, on parameters of order 1


def new_phi(tree, seed, wild=False):
    """Consistent parameters near those of the file, or quite other ones."""
    rng = np.random.default_rng(seed)
    if wild:
        return np.array([random_phi(rng) for _ in range(tree.bodies)])
    stretch = np.eye(4) + np.triu(rng.uniform(-0.1, 0.1, (4, 4)))
    sigma = [stretch @ pseudo_inertia(phi) @ stretch.T for phi in tree.phi]
    return np.array([_phi(p) for p in sigma])


def _phi(pseudo):
    inertia = np.trace(pseudo[:3, :3]) * np.eye(3) - pseudo[:3, :3]
    entries = inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    return np.concatenate([[pseudo[3, 3]], pseudo[:3, 3], entries])


def without_inertials(text):
    """A URDF with the values inside its inertial elements taken out, an MJCF without those."""
    text = re.sub(r"<inertial [^>]*/>", "", text)
    return re.sub(
        r"<inertial>.*?</inertial>", lambda m: re.sub(r'"[^"]*"', '""', m[0]), text, flags=re.S
    )


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_shipped_robots_round_trip(name, wild):
    loaded = load_robot(name)
    phi = new_phi(loaded.tree, 1, wild)
    text, notices = exported(loaded, phi)
    assert notices == ()
    again = reload_robot(text, loaded)
    np.testing.assert_allclose(again.tree.phi, phi, **CLOSE)
    assert again.notices == ()  # every single link is physical, too
    before = loaded.data.decode()
    assert without_inertials(text.decode()) == without_inertials(before)


@pytest.mark.parametrize("name", ["panda", "ur10", "quadruped"])
def test_pinocchio_gives_the_new_torques(name):
    """An independent reader of the written file sees the new parameters."""
    loaded = load_robot(name)
    phi = new_phi(loaded.tree, 2)
    text, _ = exported(loaded, phi)
    old = pin.buildModelFromUrdf(str(FILES / ROBOTS[name].file))
    model = pin.buildModelFromXML(text.decode())
    for body, joint in enumerate(loaded.tree.joints):
        mass, h, inertia = phi[body, 0], phi[body, 1:4], inertia_matrix(phi[body])
        about_centre = inertia + mass * pin.skew(h / mass) @ pin.skew(h / mass)
        old.inertias[old.getJointId(joint.name)] = pin.Inertia(mass, h / mass, about_centre)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = pin.randomConfiguration(old, -np.ones(old.nq), np.ones(old.nq))
        qd, qdd = rng.normal(size=(2, old.nv))
        ours = pin.rnea(model, model.createData(), q, qd, qdd)
        theirs = pin.rnea(old, old.createData(), q, qd, qdd)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_random_robots_round_trip(load, seed, wild):
    loaded = load(random_urdf(seed))
    phi = new_phi(loaded.tree, seed, wild)
    text, _ = exported(loaded, phi)
    again = reload_robot(text, loaded)
    np.testing.assert_allclose(again.tree.phi, phi, **CLOSE)
    assert [n for n in again.notices if n.code == "non-physical-link"] == []


def test_only_values_of_changed_links_differ(load):
    """Comments, quotes, order, blanks, line ends and all other links stay."""
    for text in (ARM, ARM.replace("\n", "\r\n"), "\ufeff" + ARM):
        loaded = load(text)
        phi = loaded.tree.phi.copy()
        phi[0] += phi_from(0.3, (0.1, 0.2, 0), np.eye(3) * 0.01)
        after = exported(loaded, phi)[0].decode()
        old, new = text.splitlines(keepends=True), after.splitlines(keepends=True)
        assert len(old) == len(new)
        assert [n for n, (a, b) in enumerate(zip(old, new, strict=True), 1) if a != b] == [8, 9, 10]
        assert 'rpy="0.3 0.2 0.1"/>  <!-- keep me -->' in new[7]
        assert re.search(r"<mass value='2\.3\d*'/>", new[8])


def test_nothing_to_change_changes_nothing(load):
    loaded = load(ARM)
    assert exported(loaded, loaded.tree.phi)[0] == ARM.encode()


def test_links_without_inertial_get_one(load):
    for written in ('<link name="lower"/>', '<link name="lower">\n    <visual/>\n  </link>'):
        start, end = ARM.index('<link name="lower">'), ARM.index('  <link name="tip"/>')
        loaded = load(ARM[:start] + written + "\n" + ARM[end:])
        phi = loaded.tree.phi.copy()
        phi[1] = random_phi(np.random.default_rng(0))
        text = exported(loaded, phi)[0].decode()
        np.testing.assert_allclose(reload_robot(text.encode(), loaded).tree.phi, phi, **CLOSE)
        added = [
            x[2:] for x in difflib.ndiff(loaded.data.decode().split(), text.split()) if x[0] == "+"
        ]
        assert any("<inertial>" in x for x in added)


def test_origin_is_added_where_the_centre_moves(load):
    text = ARM.replace('      <origin xyz="0 0 0.2"/>\n', "")
    loaded = load(text)
    phi = loaded.tree.phi.copy()
    phi[1] = phi_from(1.2, (0.01, 0.02, 0.03), np.eye(3) * 0.01)
    after = exported(loaded, phi)[0].decode()
    assert '<inertial>\n      <origin xyz="0.01 0.02 0.03"/>\n      <mass value="1.2"/>' in after


def test_fixed_links_keep_theirs_while_the_rest_is_physical(load):
    loaded = load(ARM)
    phi = loaded.tree.phi.copy()
    phi[0] += phi_from(0.5, (0.1, 0, 0), np.eye(3) * 0.01)
    links = {x.name: x.phi for x in reload_robot(exported(loaded, phi)[0], loaded).tree.fixed}
    np.testing.assert_array_equal(links["bracket"], loaded.tree.fixed[1].phi)


def test_fixed_links_shrink_with_the_body(load):
    """A body lighter than what is fixed to it: all its links are stretched by one map."""
    loaded = load(ARM)
    phi = loaded.tree.phi.copy()
    phi[0] *= 0.1  # 0.25 kg, of which the bracket had 0.5
    again = reload_robot(exported(loaded, phi)[0], loaded)
    np.testing.assert_allclose(again.tree.phi, phi, **CLOSE)
    assert again.notices == ()
    bracket = next(x for x in again.tree.fixed if x.name == "bracket")
    assert bracket.phi[0] == pytest.approx(0.05)


def test_unphysical_parameters_are_written_as_they_are_and_said(load):
    loaded = load(ARM)
    phi = loaded.tree.phi.copy()
    phi[1, 0] = -1.0
    text, (notice,) = exported(loaded, phi)
    assert "'lower'" in notice.message
    assert "mass -1 kg" in notice.message
    assert notice.code == "non-physical-link"
    assert "consistent model" in notice.hint
    np.testing.assert_allclose(reload_robot(text, loaded).tree.phi, phi, **CLOSE)


def test_a_payload_that_takes_more_than_the_link_has(load):
    """The sum can exist, what is left for the file cannot: another model would not help."""
    loaded = load(ARM, **CHANGES["payload"])
    phi = loaded.tree.phi.copy()
    phi[1] = phi_from(0.15, (0, 0, 0.2), np.eye(3) * 0.01)  # of which the can has 0.2
    _, (notice,) = exported(loaded, phi)
    assert notice.code == "payload-too-large"
    assert notice.message.startswith("link 'lower', once 'can' is taken from it: mass -0.05 kg")
    assert "the given payload takes more than the link has" in notice.hint


def test_a_fixed_link_that_takes_more_than_there_is(load):
    """Links of a file that cannot exist cannot be stretched either."""
    loaded = load(ARM.replace('<mass value="0.5"/>', '<mass value="-9"/>'))
    phi = loaded.tree.phi.copy()
    phi[0] = phi_from(0.5, (0, 0, 0), np.eye(3) * 1e-4)
    _, (notice,) = exported(loaded, phi)
    assert "links that are fixed to it" in notice.hint


CHANGES = {
    "lock": {"lock": {"elbow": 0.7}},
    "chain": {"chain": ("base", "tip")},
    "inner chain": {"chain": ("upper", "tip")},
    "floating": {"base": "floating"},
    "payload": {"payloads": (Payload("can", "tip", 0.2, (0, 0, 0.1), np.eye(3) * 1e-3),)},
}


@pytest.mark.parametrize("what", CHANGES)
def test_changed_robots_round_trip(load, what):
    loaded = load(ARM, **CHANGES[what])
    phi = new_phi(loaded.tree, 3)
    text, _ = exported(loaded, phi)
    np.testing.assert_allclose(reload_robot(text, loaded).tree.phi, phi, **CLOSE)


def test_payload_is_not_written_into_the_file(load):
    loaded = load(ARM, **CHANGES["payload"])
    phi = loaded.tree.phi.copy()
    phi[1] += phi_from(0.1, (0, 0, 0.1), np.eye(3) * 1e-3)
    text, _ = exported(loaded, phi)
    assert load(text).tree.phi[1, 0] == pytest.approx(1.1)  # without the can's 0.2


def test_payload_with_the_name_of_a_link_left_out(load):
    can = CHANGES["payload"]["payloads"][0]._replace(name="lower", on="bracket")
    loaded = load(ARM, chain=("base", "bracket"), payloads=(can,))
    phi = new_phi(loaded.tree, 9)
    text, _ = exported(loaded, phi)
    np.testing.assert_allclose(reload_robot(text, loaded).tree.phi, phi, **CLOSE)
    np.testing.assert_array_equal(load(text).tree.phi[1], load(ARM).tree.phi[1])


@pytest.mark.parametrize(
    ("phi", "says"),
    [
        (lambda phi: phi * np.nan, "finite"),
        (lambda phi: phi * [0, 1, 1, 1, 1, 1, 1, 1, 1, 1], "without mass"),
    ],
)
def test_what_no_file_can_hold(load, phi, says):
    loaded = load(ARM)
    with pytest.raises(ConfigError, match=says):
        exported(loaded, phi(loaded.tree.phi))


# MJCF


@pytest.mark.parametrize("wild", [False, True])
def test_mjcf_round_trip(load, wild):
    loaded = load(test_mjcf.ARM, name="arm.xml")
    tree = loaded.tree
    phi = new_phi(tree, 4)
    if wild:
        moving = tree.phi[:, 0] > 0
        phi[moving] = new_phi(tree, 5, wild=True)[moving]
    text, _ = exported(loaded, phi)
    np.testing.assert_allclose(reload_robot(text, loaded).tree.phi, phi, rtol=1e-9, atol=1e-10)
    old, new = test_mjcf.ARM, text.decode()
    changed = [x for x in difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
               if x[0] in "+-" and x[:3] not in ("+++", "---")]  # fmt: skip
    assert changed
    assert all("<inertial" in x for x in changed if x[0] == "+")
    assert without_inertials(new).split() == without_inertials(old).split()


def test_mujoco_gives_the_new_torques(load):
    """MuJoCo, on the written file, against MuJoCo with the parameters set in its model."""
    plain = test_mjcf.PLAIN
    loaded = load(plain, name="arm.xml")
    phi = loaded.tree.phi.copy()
    wheel = loaded.tree.links.index("wheel")
    phi[wheel] = phi_from(1.5, (0.01, 0.02, 0.03), np.diag([0.01, 0.02, 0.015]))
    model = mujoco.MjModel.from_xml_string(exported(loaded, phi)[0].decode())
    wanted = mujoco.MjModel.from_xml_string(plain)
    body = wanted.body("wheel")
    body.mass[:], body.ipos[:], body.inertia[:] = 1.5, (0.01, 0.02, 0.03), (0.01, 0.02, 0.015)
    body.iquat[:] = (1, 0, 0, 0)
    # Shortcuts of the compiled model, for a wheel centred in its frame.
    wanted.body_sameframe[:] = wanted.body_simple[:] = wanted.dof_simplenum[:] = 0
    torques = []
    for each in (model, wanted):
        data = mujoco.MjData(each)
        data.qpos[:], data.qvel[:], data.qacc[:] = 0.3, 0.2, -0.4
        mujoco.mj_inverse(each, data)
        torques.append(data.qfrc_inverse.copy())
    np.testing.assert_allclose(*torques, rtol=1e-10)


def test_mjcf_that_ignores_inertials_is_refused(load):
    text = """<mujoco><compiler inertiafromgeom="true"/><worldbody><body name="b"><joint name="j"/>
      <geom type="box" size="0.1 0.2 0.3" mass="6"/></body></worldbody></mujoco>"""
    loaded = load(text, name="b.xml")
    with pytest.raises(BadDataError, match="auto"):
        exported(loaded, loaded.tree.phi * 2)


def test_settings_that_change_masses_are_noticed(load):
    """The proof fails, and nothing is written."""
    text = """<mujoco><compiler boundmass="20"/><worldbody><body name="b"><joint name="j"/>
      <geom type="box" size="0.1 0.2 0.3" mass="6"/></body></worldbody></mujoco>"""
    loaded = load(text, name="b.xml")
    assert loaded.tree.phi[0, 0] == 20
    with pytest.raises(BadDataError, match="other parameters"):
        exported(loaded, loaded.tree.phi / 2)


# Files


def test_files_are_never_overwritten_unasked(load, tmp_path):
    loaded = load(ARM)
    phi = new_phi(loaded.tree, 6)
    for out in (loaded.path, tmp_path / "there.urdf"):
        out.touch()
        before = out.read_bytes()
        with pytest.raises(UsageError):
            export_robot(loaded, phi, out)
        assert out.read_bytes() == before
    export_robot(loaded, phi, loaded.path, overwrite=True)
    np.testing.assert_allclose(load_robot(loaded.path).tree.phi, phi, **CLOSE)
    export_robot(loaded, phi, tmp_path / "new.urdf")
    assert (tmp_path / "new.urdf").read_bytes() == loaded.path.read_bytes()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("step", ["fsync", "write"])
def test_failed_writes_leave_nothing(load, tmp_path, monkeypatch, step):
    loaded = load(ARM)

    def fail(*_):
        raise OSError(28, "No space left on device")

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(export.Path, "replace", fail)
    with pytest.raises(export.from_os_error(OSError(28, ""), "").__class__):
        export_robot(loaded, new_phi(loaded.tree, 7), tmp_path / "out.urdf")
    assert [p.name for p in tmp_path.iterdir()] == ["robot.urdf"]


def test_missing_folder(load, tmp_path):
    loaded = load(ARM)
    with pytest.raises(Exception, match="writing a robot file") as caught:
        export_robot(loaded, new_phi(loaded.tree, 8), tmp_path / "none" / "out.urdf")
    assert caught.value.exit_code == 66
