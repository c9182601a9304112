"""Exported URDF and MJCF: what Pinocchio and MuJoCo make of them, and what is refused."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from robotid.errors import BadDataError, ConfigError
from robotid.exporting.comparison import random_states
from robotid.exporting.mjcf_writer import quaternion_of
from robotid.exporting.outcome import Request
from robotid.exporting.robot_files import mjcf_file, urdf_file
from robotid.models.from_fit import read_fitted
from robotid.models.rigid_body import RigidBodyModel
from robotid.robot.geometry import phi_from, pose
from robotid.robot.load import load_robot
from tests.exporting.fits import write_fit
from tests.reference_models import random_rotation

ROBOTS = ("panda", "ur10", "cartpole", "furuta")

MJCF = """<mujoco model="arm">
  <default><joint damping="3"/></default>
  <worldbody>
    <body name="upper" pos="0 0 0.3">
      <joint name="shoulder" axis="0 1 0" armature="0.2"/>
      <inertial pos="0 0 0.1" mass="2" diaginertia="0.02 0.03 0.01"/>
      <body name="fore" pos="0 0 0.4" quat="0.9 0.1 0.2 0.3">
        <joint name="elbow" type="slide" axis="1 0 0"/>  <!-- mine -->
        <inertial pos="0.1 0 0.1" mass="1" diaginertia="0.02 0.03 0.01"/>
      </body>
    </body>
  </worldbody>
  <sensor><jointpos joint="elbow"/></sensor>
</mujoco>"""


def request_of(folder, **more):
    return Request(read_fitted(folder), "0" * 64, **more)


def codes(written):
    return [notice.code for notice in written.notices]


def without(model, *terms):
    """The torques of the model on random states without some terms."""
    states = random_states(model.layout.robot)
    parts = model.parts(*states)
    return states, sum(values for name, values in parts.items() if name not in terms)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("name", ROBOTS)
def test_pinocchio_gives_the_torques_of_the_urdf(name, tmp_path):
    request = request_of(write_fit(tmp_path, name))
    written = urdf_file(request)
    assert written.file == "robot.urdf"
    assert written.difference < 1e-9
    reference = pin.buildModelFromXML(written.content.decode())
    data = reference.createData()
    order = [reference.joints[reference.getJointId(j)].idx_v for j in request.fitted.fit.joints]
    states, wanted = without(request.fitted.model, "offset", "rotor", "coulomb")
    for state, torque in zip(zip(*states, strict=True), wanted, strict=True):
        q, qd, qdd = (np.empty(len(order)) for _ in range(3))
        for vector, values in zip((q, qd, qdd), state, strict=True):
            vector[order] = values
        q = full_configuration(reference, q)
        damped = pin.rnea(reference, data, q, qd, qdd) + reference.damping * qd
        close(damped[order], torque)
    terms = request.fitted.model.own.reshape(-1, 4)
    np.testing.assert_array_equal(reference.friction[order], terms[:, 1])
    (lost,) = [n for n in written.notices if n.code == "not-carried"]
    assert "URDF has no place for offset, rotor" in lost.message


def full_configuration(reference, angles):
    """Pinocchio has cosine and sine of joints that turn without end."""
    q = pin.neutral(reference)
    for joint in reference.joints[1:]:
        if joint.nq == joint.nv:
            q[joint.idx_q] = angles[joint.idx_v]
        else:
            q[joint.idx_q : joint.idx_q + 2] = (
                np.cos(angles[joint.idx_v]),
                np.sin(angles[joint.idx_v]),
            )
    return q


def mujoco_torques(text, joints, states):
    """Inverse dynamics without the constraint by which MuJoCo models Coulomb friction."""
    model = mujoco.MjModel.from_xml_string(text)
    losses = model.dof_frictionloss.copy()
    model.dof_frictionloss[:] = 0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(model)
    order = [model.joint(name).dofadr[0] for name in joints]
    found = []
    for q, qd, qdd in zip(*states, strict=True):
        data.qpos[order], data.qvel[order], data.qacc[order] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        found.append(data.qfrc_inverse[order])
    return np.array(found), losses[order]


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_gives_the_torques_of_the_converted_mjcf(name, tmp_path):
    request = request_of(write_fit(tmp_path, name))
    written = mjcf_file(request)
    assert codes(written)[:2] == ["converted", "not-carried"]
    states, wanted = without(request.fitted.model, "offset", "coulomb")
    found, losses = mujoco_torques(written.content.decode(), request.fitted.fit.joints, states)
    close(found, wanted)
    np.testing.assert_array_equal(losses, request.fitted.model.own.reshape(-1, 4)[:, 1])


def test_the_users_own_mjcf(tmp_path):
    (tmp_path / "arm.xml").write_text(MJCF)
    request = request_of(write_fit(tmp_path / "fit", file=tmp_path / "arm.xml"))
    written = mjcf_file(request)
    text = written.content.decode()
    assert written.file == "robot.xml"
    assert "<!-- mine -->" in text
    assert '<sensor><jointpos joint="elbow"/></sensor>' in text
    states, wanted = without(request.fitted.model, "offset", "coulomb")
    found, losses = mujoco_torques(text, ["shoulder", "elbow"], states)
    close(found, wanted)
    np.testing.assert_array_equal(losses, request.fitted.model.own.reshape(-1, 4)[:, 1])
    with pytest.raises(ConfigError, match="not converted to URDF"):
        urdf_file(request)


def test_friction_of_the_file_that_the_fit_does_not_have(tmp_path):
    """It would add to torques that the fit explains otherwise."""
    (tmp_path / "arm.xml").write_text(MJCF)
    folder = write_fit(tmp_path / "fit", file=tmp_path / "arm.xml", terms=("coulomb",))
    written = mjcf_file(request_of(folder))
    (said,) = [n.message for n in written.notices if n.code == "friction-removed"]
    assert "shoulder damping, shoulder armature, elbow damping" in said
    model = mujoco.MjModel.from_xml_string(written.content.decode())
    assert not model.dof_damping.any()
    assert not model.dof_armature.any()


def test_terms_that_no_file_can_hold(tmp_path):
    terms = ["viscous-asymmetric", "coulomb-held", "stribeck(0.1)", "rotor"]
    joints = load_robot("furuta").tree.joint_names
    coupled = [f"{joints[0]}-{joints[1]}"]
    request = request_of(write_fit(tmp_path, "furuta", terms=terms, coupled=coupled))
    written = mjcf_file(request)
    (said,) = [n.message for n in written.notices if n.code == "not-carried"]
    assert "MJCF has no place for" in said
    for word in ("stribeck", "viscous-asymmetric", f"rotor of {coupled[0]}"):
        assert word in said
    assert "coulomb-held" not in said
    states = random_states(request.fitted.model.layout.robot)
    found, losses = mujoco_torques(written.content.decode(), joints, states)
    columns = request.fitted.model.layout.own
    own = {c.name: v for c, v in zip(columns, request.fitted.model.own, strict=True)}
    np.testing.assert_array_equal(losses, [own[f"{j}.coulomb-held"] for j in joints])
    rotors = np.array([own[f"{j}.rotor"] for j in joints])
    close(found, request.fitted.model.parts(*states)["links"] + rotors * states.qdd)


def test_unnamed_joints_cannot_get_friction(tmp_path):
    (tmp_path / "arm.xml").write_text(MJCF.replace('name="shoulder" ', ""))
    request = request_of(write_fit(tmp_path / "fit", file=tmp_path / "arm.xml"))
    with pytest.raises(ConfigError, match="does not stand in the file under this name"):
        mjcf_file(request)


@pytest.mark.parametrize("dynamics", ["", '<dynamics damping="7"/>', '<dynamics friction="1" />'])
def test_only_numbers_of_the_urdf_change(dynamics, tmp_path):
    """Comments, shapes and other joints stay as they are."""
    text = f"""<?xml version="1.0"?>
<robot name="r"><!-- keep -->
  <link name="base"/><link name="arm"/><link name="tip"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>{dynamics}
    <limit effort="9" velocity="9" lower="-1" upper="1"/>
  </joint>
  <joint name="fixed" type="fixed"><parent link="arm"/><child link="tip"/></joint>
  <gazebo/>
</robot>"""
    (tmp_path / "r.urdf").write_text(text)
    request = request_of(write_fit(tmp_path / "fit", file=tmp_path / "r.urdf"))
    written = urdf_file(request)
    found = written.content.decode()
    assert found.startswith('<?xml version="1.0"?>\n<robot name="r"><!-- keep -->')
    assert found.endswith("  <gazebo/>\n</robot>")
    (tmp_path / "new.urdf").write_bytes(written.content)
    joint = load_robot(tmp_path / "new.urdf").tree.joints[0]
    assert (joint.damping, joint.friction) == tuple(request.fitted.model.own[:2])


def test_a_robot_with_a_floating_base(tmp_path):
    request = request_of(write_fit(tmp_path, "quadruped"))
    assert urdf_file(request).difference < 1e-9
    with pytest.raises(ConfigError, match="only robots with a fixed base are converted"):
        mjcf_file(request)


def test_options_of_the_fit_are_named(tmp_path):
    options = {"lock": ["panda_joint7=0.5"], "mount": "0,0.3,0", "chain": None, "payload": []}
    request = request_of(write_fit(tmp_path, "panda", options=options))
    written = urdf_file(request)
    (said,) = [n.message for n in written.notices if n.code == "options-not-in-file"]
    assert "(lock, mount)" in said
    # A converted file is of the changed robot: tilted, one joint less.
    found, _ = mujoco_torques(
        mjcf_file(request).content.decode(),
        request.fitted.fit.joints,
        without(request.fitted.model, "offset", "coulomb")[0],
    )
    close(found, without(request.fitted.model, "offset", "coulomb")[1])


def infeasible_fit(folder, change):
    request = request_of(write_fit(folder, "ur10"))
    phi = request.fitted.model.phi.copy()
    change(phi, list(request.fitted.model.layout.names))
    return write_fit(folder, "ur10", phi=phi)


def negative_mass(phi, names):
    phi[names.index("forearm_link.m")] = -1.0


def thin_inertia(phi, names):
    phi[names.index("forearm_link.Izz")] = 100.0


def negative_friction(phi, names):
    phi[names.index("elbow_joint.viscous")] = -0.25


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (negative_mass, "link 'forearm_link': mass -1 kg is not positive"),
        (thin_inertia, "link 'forearm_link': the triangle inequality is broken"),
        (negative_friction, "elbow_joint.viscous is negative: -0.25"),
    ],
)
def test_what_cannot_exist_is_refused(change, says, tmp_path):
    folder = infeasible_fit(tmp_path, change)
    for write in (urdf_file, mjcf_file):
        with pytest.raises(BadDataError, match=says) as caught:
            write(request_of(folder))
        assert caught.value.notice.code == "infeasible"
        assert "--allow-infeasible" in caught.value.notice.hint
    written = urdf_file(request_of(folder, allow_infeasible=True))
    (said,) = [n.message for n in written.notices if says.split(":")[0] in n.message]  # once
    assert "robot.urdf holds what cannot exist" in said
    (tmp_path / "new.urdf").write_bytes(written.content)
    found = load_robot(tmp_path / "new.urdf").tree
    model = request_of(folder).fitted.model
    np.testing.assert_allclose(found.phi, model.links, rtol=1e-9, atol=1e-9)
    assert min(joint.damping for joint in found.joints) >= 0


@pytest.mark.parametrize("change", [negative_mass, thin_inertia])
def test_mujoco_reads_no_impossible_links(change, tmp_path):
    """There is no file to check or to use: said before MuJoCo stumbles over it."""
    folder = infeasible_fit(tmp_path, change)
    with pytest.raises(BadDataError, match="what MuJoCo does not read: link 'forearm_link'") as it:
        mjcf_file(request_of(folder, allow_infeasible=True))
    assert it.value.notice.code == "infeasible"
    assert it.value.notice.hint.startswith("export urdf, json")
    (tmp_path / "arm.xml").write_text(MJCF)
    own = tmp_path / "own"
    phi = request_of(write_fit(own, file=tmp_path / "arm.xml")).fitted.model.phi.copy()
    phi[0] = -1.0
    write_fit(own, file=tmp_path / "arm.xml", phi=phi)
    with pytest.raises(BadDataError, match="what MuJoCo does not read: link 'upper'") as it:
        mjcf_file(request_of(own, allow_infeasible=True))
    assert it.value.notice.hint.startswith("export json")


def test_negative_friction_alone_is_no_matter_for_mujoco(tmp_path):
    written = mjcf_file(
        request_of(infeasible_fit(tmp_path, negative_friction), allow_infeasible=True)
    )
    assert codes(written)[0] == "infeasible"


def test_what_a_payload_leaves_of_a_link_is_checked(tmp_path):
    """The fit is of link and payload together; the link alone goes into the user's file."""
    options = {"payload": ["tool0,0.5,0,0,0.1,0.001,0.001,0.001,0,0,0"]}
    phi = request_of(write_fit(tmp_path, "ur10", options=options)).fitted.model.phi.copy()
    names = list(request_of(tmp_path).fitted.model.layout.names)
    at = names.index("wrist_3_link.m")
    phi[at : at + 10] = phi_from(0.6, (0, 0, 0.05), np.eye(3) * 1e-4)
    folder = write_fit(tmp_path, "ur10", options=options, phi=phi)
    with pytest.raises(BadDataError, match="'wrist_3_link', once 'payload1' is taken from") as it:
        urdf_file(request_of(folder))
    assert it.value.notice.code == "infeasible"
    assert "the given payload takes more than the link has" in it.value.notice.hint
    assert "export mjcf, json" in it.value.notice.hint
    assert "consistent model" not in it.value.notice.hint
    written = urdf_file(request_of(folder, allow_infeasible=True))
    assert codes(written).count("infeasible") == 1
    assert mjcf_file(request_of(folder)).difference < 1e-9  # which holds both together


def test_inertias_without_symmetry_have_no_file(tmp_path):
    request = request_of(write_fit(tmp_path, "furuta", full=True))
    for write in (urdf_file, mjcf_file):
        with pytest.raises(ConfigError, match="nine entries"):
            write(request)


def test_an_export_that_reads_back_otherwise_is_not_written(tmp_path, monkeypatch):
    """The last line of defence: a writer that loses digits is noticed."""
    request = request_of(write_fit(tmp_path, "furuta"))
    monkeypatch.setattr(
        "robotid.exporting.mjcf_writer.text_of",
        lambda *values: " ".join(f"{value:.6f}" for value in values),
    )
    with pytest.raises(BadDataError, match="gives other torques than the fit"):
        mjcf_file(request)
    monkeypatch.setattr("robotid.exporting.joint_edits.text_of", lambda *v: f"{v[0] * 1.001!r}")
    with pytest.raises(BadDataError, match="gives other torques than the fit"):
        urdf_file(request)


def test_hostile_names_in_mjcf(tmp_path):
    hostile = 'a"/><body name="evil'
    text = (
        load_robot("furuta")
        .data.decode()
        .replace('name="furuta"', 'name="&lt;!-- --&gt; \'&quot;"')
    )
    joint = load_robot("furuta").tree.joint_names[0]
    quoted = hostile.replace('"', "&quot;").replace("<", "&lt;")
    text = text.replace(f'<joint name="{joint}"', f'<joint name="{quoted}"')
    (tmp_path / "r.urdf").write_text(text)
    request = request_of(write_fit(tmp_path / "fit", file=tmp_path / "r.urdf"))
    model = mujoco.MjModel.from_xml_string(mjcf_file(request).content.decode())
    assert model.nbody == 3
    assert model.joint(0).name == hostile


@pytest.mark.parametrize("seed", range(20))
def test_quaternions(seed):
    rng = np.random.default_rng(seed)
    rotation = random_rotation(rng)
    if seed % 2:  # half turns, where one way to compute them breaks down
        axis = np.eye(3)[seed % 3]
        rotation = 2 * np.outer(axis, axis) - np.eye(3)
    found = np.empty(9)
    mujoco.mju_quat2Mat(found, quaternion_of(pose(rotation, np.zeros(3))[:3, :3]))
    np.testing.assert_allclose(found.reshape(3, 3), rotation, atol=1e-15)


def test_a_model_of_the_file_alone_would_differ(tmp_path):
    """The checks compare with the fit, not with the robot file it began from."""
    request = request_of(write_fit(tmp_path, "panda"))
    nominal = request.fitted.robot.tree.phi.ravel()
    model = RigidBodyModel(
        request.fitted.model.layout, np.concatenate([nominal, request.fitted.model.own])
    )
    states = random_states(model.layout.robot)
    assert np.abs(model.torque(*states) - request.fitted.model.torque(*states)).max() > 1
