"""URDF texts for tests: random trees with fixed links everywhere, and a small arm."""

import numpy as np

from robotid.robot.geometry import centre_and_inertia, rotation_rpy
from tests.reference_models import random_phi


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


def inertial(rng):
    """An inertial element with a turned origin; the parameters come from a cloud of points."""
    phi = random_phi(rng)
    centre, inertia = centre_and_inertia(phi)
    rpy = rng.uniform(-3, 3, 3)
    rotation = rotation_rpy(*rpy)
    i = rotation.T @ inertia @ rotation
    return (
        (
            f'<inertial><origin xyz="{numbers(centre)}" rpy="{numbers(rpy)}"/>'
            f'<mass value="{float(phi[0])!r}"/><inertia ixx="{i[0, 0]!r}" ixy="{i[0, 1]!r}" '
            f'ixz="{i[0, 2]!r}" iyy="{i[1, 1]!r}" iyz="{i[1, 2]!r}" izz="{i[2, 2]!r}"/></inertial>'
        )
        .replace("np.float64(", "")
        .replace(")", "")
    )


def random_urdf(seed, links=12, massless=0.3):
    """A random tree of revolute, continuous, prismatic and fixed joints; moving leaves have mass."""
    rng = np.random.default_rng(seed)
    lines = [f'<robot name="random{seed}">', f'<link name="l0">{inertial(rng)}</link>']
    for index in range(1, links):
        kind = rng.choice(
            ["revolute", "continuous", "prismatic", "fixed"][: 3 if index == 1 else 4]
        )
        empty = kind == "fixed" and rng.random() < massless
        lines.append(f'<link name="l{index}">{"" if empty else inertial(rng)}</link>')
        axis = rng.normal(size=3) if rng.random() < 0.6 else np.roll([0, 0, 2.0], rng.integers(3))
        lines.append(
            f'<joint name="j{index}" type="{kind}">'
            f'<origin xyz="{numbers(rng.normal(size=3))}" rpy="{numbers(rng.uniform(-3, 3, 3))}"/>'
            f'<parent link="l{rng.integers(index)}"/><child link="l{index}"/>'
            f'<axis xyz="{numbers(axis)}"/>'
            f'<limit lower="-1.5" upper="2.5" effort="{10 + index}" velocity="3"/>'
            f'<dynamics damping="0.{index}" friction="0.5"/></joint>'
        )
    return "\n".join([*lines, "</robot>"])


ARM = """<?xml version="1.0"?>
<!-- an arm; ünïcode -->
<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
  <link name="base"/>
  <link name="upper">
    <visual><geometry><mesh filename="package://none/upper.dae"/></geometry></visual>
    <inertial>
      <origin xyz="0.1 0 0" rpy="0.3 0.2 0.1"/>  <!-- keep me -->
      <mass value='2.0'/>
      <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"/>
    </inertial>
  </link>
  <link name="bracket">
    <inertial><mass value="0.5"/>
      <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.002"/></inertial>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0 0 0.2"/>
      <mass value="1.0"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.005"/>
    </inertial>
  </link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.3" rpy="0 0.1 0"/>
    <parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="50" velocity="3"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="weld" type="fixed">
    <origin xyz="0.3 0 0" rpy="0 0 1"/>
    <parent link="upper"/><child link="bracket"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0 0.05 0"/>
    <parent link="bracket"/><child link="lower"/>
    <axis xyz="0 1 1"/>
  </joint>
  <joint name="tool" type="fixed">
    <origin xyz="0 0 0.4"/>
    <parent link="lower"/><child link="tip"/>
  </joint>
</robot>
"""
