"""A forward model before it is trained: from the robot file, an SDP or at random."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.dynamics.base_parameters import base_parameters
from robotid.fitting.linear import ols, wls
from robotid.fitting.options import FitOptions
from robotid.fitting.pseudo_inertias import moved_inside
from robotid.fitting.sdp import consistent_fit
from robotid.identification.request import Request
from robotid.information.layout import Layout
from robotid.models.actuators.actuator import Actuator
from robotid.models.actuators.friction import Friction
from robotid.models.actuators.table import actuator_model
from robotid.models.forward_models import ForwardModel, NetworkForward, RigidForward
from robotid.models.forward_scales import joint_scales, signal_scales
from robotid.models.placements import LearnedPlacements
from robotid.robot.tree import RobotTree
from robotid.robot.z_axes import with_z_axes
from robotid.spatial.parametrisations.table import parametrisation
from robotid.training.nothing import begin_as_nothing
from robotid.training.problem import Samples
from robotid.training.random_starts import best_start, random_robot

Array = NDArray[np.float64]
_INSIDE = 0.1  # of consistency: at its edge, where thin rods are, a parametrisation hardly moves


class _Known(NamedTuple):
    """Links, shape (bodies, 10), and friction by name of its parameter, shape (n,) each."""

    links: Array
    friction: Mapping[str, Array]


def made(request: Request, train: Samples) -> ForwardModel:
    """The model that the options ask for, with the parameters that training starts from."""
    options, robot = request.options, request.ready.data.layout.robot
    if options.model == "ffnn":
        scales = signal_scales(train.command, train.q, train.qd, train.qdd)
        generator = torch.Generator().manual_seed(options.seed)
        return NetworkForward(scales, generator, options.usual.hidden)
    if options.model == "nea":
        links = _regressed(request)
        return RigidForward(robot, parametrisation("free"), links, _drive(options, train))
    if options.init == "random":
        return _random(robot, options, train)
    known = _of_file(robot) if options.init == "prior" else _consistent(request)
    return _begun(robot, options, train, known)


def _drive(options: FitOptions, train: Samples, seed: int | None = None) -> Actuator:
    scales = joint_scales(train.command, train.q, train.qd)
    return actuator_model(options.actuator).made(
        scales, options.seed if seed is None else seed, options.usual.hidden
    )


def _regressed(request: Request) -> Tensor:
    """Links by linear regression of torques, without any friction, shape (bodies, 10)."""
    data = request.ready.data
    bare = Layout(data.layout.robot, terms=())
    data = data.changed(bare, lambda factor: factor.restricted(np.arange(bare.parameters)))
    found = ols(data.evidence(data.of("train")), base_parameters(bare.robot))
    return torch.from_numpy(found.around(bare.robot.phi.ravel()).reshape(-1, 10))


def _of_file(robot: RobotTree) -> _Known:
    """What the robot file says."""
    viscous = np.array([joint.damping for joint in robot.driven])
    coulomb = np.array([abs(joint.friction) for joint in robot.driven])
    return _Known(robot.phi, {"viscous": viscous, "coulomb": coulomb})


def _consistent(request: Request) -> _Known:
    """What an SDP on the torques finds, of links and what friction the actuator can have.

    Inertia of rotors and offsets, which forward models lack, would be missing in the links.
    """
    data, wanted = request.ready.data, _friction_of(request.options.actuator)
    layout, kept = data.layout.with_terms(wanted)
    data = data.changed(layout, lambda factor: factor.restricted(kept))
    base = base_parameters(layout.robot, **layout.arguments)
    system = wls(data.evidence(data.of("train")), base).system
    phi = consistent_fit(system, layout).phi
    values = dict(zip(layout.names, phi.tolist(), strict=True))
    friction = {
        term: np.array([values.get(f"{joint}.{term}", 0.0) for joint in layout.robot.joint_names])
        for term in wanted
    }
    return _Known(np.asarray(phi[: layout.links].reshape(-1, 10)), friction)


def _friction_of(actuator: str) -> tuple[str, ...]:
    """Terms of torque that it can have: networks can have both."""
    every = ("viscous", "coulomb")
    kind = actuator_model(actuator)
    return every if kind.is_network else tuple(term for term in every if term in kind.parameters)


def _begun(robot: RobotTree, options: FitOptions, train: Samples, known: _Known) -> RigidForward:
    """From given links and friction, as far as the actuator knows such."""
    kind, tree, links = parametrisation(options.inertia), robot, known.links
    placements = None
    if options.kinematics == "learned":
        tree = with_z_axes(robot)
        links = tree.phi
        placements = LearnedPlacements.of(torch.from_numpy(tree.placements.copy()))
    inside = moved_inside(links, _INSIDE) if kind.guarantees.full else links
    drive = _drive(options, train)
    begin_as_nothing(drive, train)
    if isinstance(drive, Friction):
        none = np.zeros(robot.n)
        begin = np.stack([known.friction.get(name, none) for name in drive.names])
        drive.begin_at(torch.from_numpy(begin))
    return RigidForward(tree, kind, kind.theta(torch.tensor(inside)), drive, placements)


def _random(robot: RobotTree, options: FitOptions, train: Samples) -> RigidForward:
    """The best of many random robots; a network is put in front of it once it is found.

    Until then there is viscous friction in its place: without any, it would go into the links.
    """
    network = actuator_model(options.actuator).is_network
    simple = options.model_copy(update={"actuator": "viscous"}) if network else options
    found = best_start(partial(_at_random, robot, simple, train), train, options.seed)
    if network:
        found.actuator = _drive(options, train)
        begin_as_nothing(found.actuator, train)
    return found


def _at_random(
    robot: RobotTree, options: FitOptions, train: Samples, random: np.random.Generator
) -> RigidForward:
    kind, tree, found = parametrisation(options.inertia), robot, random_robot(robot.bodies, random)
    placements = None
    if options.kinematics == "learned":
        tree = with_z_axes(robot)
        placements = LearnedPlacements(torch.tensor(found.angles), torch.tensor(found.shifts))
    drive = _drive(options, train, int(random.integers(2**31)))
    return RigidForward(tree, kind, kind.theta(torch.tensor(found.links)), drive, placements)
