"""A small floating robot for tests, and recordings of what really happened in a simulation."""

import numpy as np
import pyarrow.parquet as pq

from robotid.contracts.recording import Joint, RecordingFacts, write_recording
from robotid.robot.load import load_robot
from robotid.simulation.floating.log_files import write_floating
from robotid.simulation.floating.scenario import simulate_floating
from robotid.simulation.options import SimulationOptions

PERFECT = {"noise_q": 0, "noise_qd": 0, "noise_tau": 0, "noise_pose": 0, "noise_twist": 0,
           "noise_contact": 0}  # fmt: skip
_LEG = """
  <joint name="{name}_joint" type="revolute"><origin xyz="{x} {y} 0" rpy="0 0 {yaw}"/>
    <parent link="trunk"/><child link="{name}_leg"/><axis xyz="0 1 0"/>
    <limit lower="-1.2" upper="1.2" velocity="8" effort="30"/>
    <dynamics damping="0.2" friction="0.3"/></joint>
  <link name="{name}_leg"><inertial><origin xyz="{shift} 0.01 -0.12"/><mass value="{mass}"/>
    <inertia ixx="0.012" ixy="0.0003" ixz="0" iyy="0.011" iyz="0.0002" izz="0.002"/></inertial></link>
  <joint name="{name}_mount" type="fixed"><origin xyz="0 0 -0.3"/>
    <parent link="{name}_leg"/><child link="{name}_foot"/></joint>
  <link name="{name}_foot"/>"""
_LEGS = (("a", 0.2, 0.15, 0.3), ("b", 0.2, -0.15, -0.3), ("c", -0.25, 0.0, 3.0))


def tripod(moved=0.0):
    """A trunk on three legs of one joint each; `moved` shifts where legs hang [m]."""
    legs = "".join(
        _LEG.format(name=n, x=x + moved, y=y - moved, yaw=yaw, mass=1.0 + 0.2 * k, shift=0.02 * k)
        for k, (n, x, y, yaw) in enumerate(_LEGS)
    )
    return f"""<robot name="tripod"><link name="world"/>
  <joint name="root" type="floating"><parent link="world"/><child link="trunk"/></joint>
  <link name="trunk"><inertial><origin xyz="0.01 0 0.02"/><mass value="6"/>
    <inertia ixx="0.06" ixy="0.001" ixz="0.002" iyy="0.09" iyz="0" izz="0.11"/></inertial></link>
{legs}</robot>"""


def simulated(name, **options):
    """A simulation with perfect sensors unless told otherwise."""
    robot = load_robot(name).tree
    return simulate_floating(robot, robot, SimulationOptions(**{**PERFECT, **options}))


def true_recordings(folder, found):
    """What really happened, as filtered recordings; their paths by name."""
    write_floating(folder, found, 17)
    paths = {}
    for name in found.motions:
        table = pq.read_table(folder / "truth" / f"{name}.parquet")
        columns = {n: table[n].to_numpy() for n in table.column_names}
        columns = {n: x for n, x in columns.items() if not n.startswith("friction.")}
        columns["segment"] = np.zeros(len(columns["t"]), dtype=np.int64)
        count, rate = len(columns["t"]), 1e9 / float(np.diff(columns["t"][:2])[0])
        facts = RecordingFacts(
            joints=[Joint(name=joint) for joint in found.robot.joint_names],
            source_sha256=name,
            rate_hz=rate,
            duration_s=count / rate,
            samples=count,
        )
        (folder / "true" / name).mkdir(parents=True)
        write_recording(folder / "true" / name, columns, facts)
        paths[name] = folder / "true" / name / "recording.parquet"
    return paths


def true_parameters(layout, truth):
    """All parameters of a layout as a simulation had them, shape (p,)."""
    values = {}
    kinds = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
    for link in truth.links:
        values |= {f"{link.name}.{k}": x for k, x in zip(kinds, link.phi, strict=True)}
    for joint in truth.joints:
        values |= {
            f"{joint.name}.viscous": joint.viscous or 0.0,
            f"{joint.name}.coulomb": joint.coulomb or 0.0,
            f"{joint.name}.rotor": joint.rotor_inertia,
            f"{joint.name}.offset": 0.0,
        }
    return np.array([values[name] for name in layout.names])
