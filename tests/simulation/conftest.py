"""Robots for simulations, and simulations of them without sensors' faults."""

import numpy as np
import pytest

from robotid.robot.geometry import phi_from
from robotid.robot.load import load_robot
from robotid.robot.tree import Joint, Limits, RobotTree
from robotid.simulation.options import SimulationOptions
from robotid.simulation.scenario import simulate

PERFECT = {"noise_q": 0.0, "noise_qd": 0.0, "noise_tau": 0.0}


@pytest.fixture(scope="session")
def panda():
    return load_robot("panda").tree


@pytest.fixture(scope="session")
def double_pendulum():
    return load_robot("double_pendulum").tree


@pytest.fixture
def run():
    """Simulate with perfect sensors unless told otherwise."""

    def call(robot, true=None, **options):
        return simulate(robot, true or robot, SimulationOptions(**{**PERFECT, **options}))

    return call


def slider(mass=2.0, effort=100.0, rotor=0.0):
    """A mass on a horizontal rail: linear, so all about it is known in closed form."""
    limits = Limits(-1.0, 1.0, 2.0, effort)
    return RobotTree(
        name="slider",
        base="rail",
        links=("mass",),
        joints=(Joint("slide", "prismatic", (1.0, 0.0, 0.0), limits, rotor_inertia=rotor),),
        parents=(-1,),
        placements=np.eye(4)[None],
        phi=phi_from(mass, np.zeros(3), 0.1 * np.eye(3))[None],
        gravity=np.array([0.0, 0.0, -9.81]),
    )
