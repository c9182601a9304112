"""Small robots and settings of designs that tests share."""

import numpy as np

from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Problem
from robotid.excitation.setting import setting_of
from robotid.information.layout import TERMS, Layout
from robotid.robot.load import load_robot

_LINK = """
  <link name="{name}"><inertial><origin xyz="0 0 0"/><mass value="{mass}"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
_JOINT = """
  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
    <axis xyz="{axis}"/><limit lower="-1" upper="1" velocity="{velocity}" effort="100"/></joint>"""


def robot_of(folder, joints):
    """A chain of (kind, axis, mass, velocity limit), one link each."""
    text, before = '<robot name="made">\n  <link name="base"/>', "base"
    for i, (kind, axis, mass, velocity) in enumerate(joints):
        text += _LINK.format(name=f"l{i}", mass=mass)
        text += _JOINT.format(
            name=f"j{i}", kind=kind, parent=before, child=f"l{i}", axis=axis, velocity=velocity
        )
        before = f"l{i}"
    path = folder / "made.urdf"
    path.write_text(text + "\n</robot>")
    return load_robot(path).tree


def table(folder):
    """A rotary table: gravity does nothing to it, its inertia is all there is."""
    return robot_of(folder, [("revolute", "0 0 1", 2.0, 3.0)])


def gantry(folder):
    """Two slides at a right angle, both level: torques are (m0 + m1) x'' and m1 y''."""
    return robot_of(folder, [("prismatic", "1 0 0", 2.0, 0.8), ("prismatic", "0 1 0", 3.0, 0.5)])


def made_setting(robot, terms=TERMS, *, coupled=(), given=None, **options):
    robot = load_robot(robot).tree if isinstance(robot, str) else robot
    layout = Layout(robot, terms, coupled=coupled)
    return setting_of(robot, layout, ExcitationOptions(**options), given=given)


def made_problem(robot, terms=TERMS, **options):
    setting = made_setting(robot, terms, **options)
    return Problem(setting.recipe, setting.given)


PENDULUM = {"lower": ("-2",), "upper": ("2.5",), "velocity": ("4",), "torque": ("20",)}
DOUBLE = {"lower": ("-2",), "upper": ("2.5",), "velocity": ("4",), "torque": ("50",)}


def rng(seed=0):
    return np.random.default_rng(seed)
