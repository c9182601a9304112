"""Robots with capsules that tests of distances share."""

from robotid.excitation.kept_apart import kept_apart
from robotid.excitation.options import ExcitationOptions
from robotid.robot.load import load_robot

PANDA_CAPSULES = (
    "panda_link0:-0.1,0,0.05,0,0,0.05,0.08",
    "panda_link1:0,0,-0.2,0,0,0,0.06",
    "panda_link2:0,0,-0.05,0,0,0.05,0.06",
    "panda_link3:0,0,-0.15,0,0,0,0.06",
    "panda_link4:0,0,-0.05,0,0,0.05,0.06",
    "panda_link5:0,0,-0.25,0,0,0,0.06",
    "panda_link6:0,0,-0.05,0.08,0,0,0.05",
    "panda_flange:0,0,-0.1,0,0,0.1,0.05",
)

# Two arms on a sliding column; joints beside origins, fixed links, and a slide within an arm.
BRANCHES = """<mujoco model="branches">
  <compiler angle="radian"/>
  <option><flag contact="enable"/></option>
  <worldbody>
    <body name="foot" pos="0.1 0 0.2" euler="0.1 0 0"><geom type="capsule" size="0.1" fromto="0 0 -0.1 0 0.2 0.3"/>
      <body name="column" pos="0 0 0.4" euler="0 0.2 0">
        <joint name="lift" type="slide" axis="0.2 0 1" range="-0.2 0.5"/>
        <geom type="capsule" size="0.08" fromto="-0.2 0 0 0.2 0 0"/>
        <body name="left" pos="0.3 0.1 0" euler="0.3 0.2 0.1">
          <joint name="left_a" axis="0 1 1" range="-2 2" pos="0.02 0 0.05"/>
          <geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.1 0.5"/>
          <body name="left_tip" pos="0.1 0.1 0.5">
            <joint name="left_b" axis="1 0 0" range="-2 2"/>
            <geom type="capsule" size="0.04" fromto="0 0 0 0 0.4 0.1"/>
            <body name="finger" pos="0 0.45 0.1" euler="0.5 0 0"><geom type="sphere" size="0.06"/></body>
          </body>
        </body>
        <body name="right" pos="-0.3 0.1 0" euler="0.3 -0.2 0.1">
          <joint name="right_a" axis="0 1 0" range="-3 3"/>
          <geom type="capsule" size="0.05" fromto="0 0 0 -0.1 0.1 0.5"/>
          <body name="right_tip" pos="-0.1 0.1 0.5">
            <joint name="right_slide" type="slide" axis="0 0 1" range="0 0.3"/>
            <joint name="right_b" axis="1 0 0" range="-2 2"/>
            <geom type="capsule" size="0.04" fromto="0 0 0 0 0.4 0.1"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def panda(**options):
    """The Panda with eight capsules and what options ask for."""
    robot = load_robot("panda").tree
    given = {"capsules": PANDA_CAPSULES, "may_touch": ("panda_link5,panda_flange",), **options}
    return robot, kept_apart(robot, ExcitationOptions(**given))
