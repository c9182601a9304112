"""A learned model before it is trained: its parts, their usual sizes, and links to begin with."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.learned import Architecture
from robotid.contracts.versions import LAGRANGIAN
from robotid.dynamics.base_parameters import base_parameters
from robotid.fitting.entries import Entries
from robotid.fitting.linear import wls
from robotid.fitting.options import FitOptions
from robotid.fitting.pseudo_inertias import moved_inside
from robotid.fitting.sdp import consistent_fit
from robotid.fitting.starts import published_start, random_terms, start_at
from robotid.identification.learned.floating import floating_scales
from robotid.identification.request import Request
from robotid.information.layout import Layout
from robotid.information.sizes import nominal
from robotid.models.actuators.friction import Friction
from robotid.models.floating.lagrangian import FloatingLagrangian
from robotid.models.forward_scales import joint_scales
from robotid.models.learned.architecture import made
from robotid.models.learned.bodies import JointTerms, LinkBody
from robotid.models.learned.inverse import InverseModel
from robotid.models.learned.kinodynamic import KinodynamicBody
from robotid.models.learned.residuals import MotionScales
from robotid.robot.tree import RobotTree
from robotid.training.motions import Stretch
from robotid.training.random_starts import random_robot

Array = NDArray[np.float64]
_LAYERS = {False: (200, 200), True: (16, 16)}  # of energies of a fixed base, and of a floating one
_INSIDE = 0.1  # of consistency: at its edge a parametrisation hardly moves
_NO_FRICTION = ("offset", "rotor")  # terms that no actuator stands for


class RigidFit(NamedTuple):
    """A rigid body that an SDP finds in the same data, to begin with and to compare with.

    Args:
        layout: robot and terms that the learned model has: without friction, where an actuator
            stands for it.
        phi: parameters of these, shape (p,).
        whole: parameters with all terms of the request.
        friction: of each joint by name of the term, shape (n,) each.
    """

    layout: Layout
    phi: Array
    whole: Array
    friction: Mapping[str, Array]


def rigid_fit(request: Request) -> RigidFit:
    """A physically consistent fit with all terms of the request."""
    data = request.ready.data
    layout, kept = data.layout, np.arange(data.layout.parameters)
    base = base_parameters(layout.robot, **layout.arguments)
    phi = consistent_fit(wls(data.evidence(data.of("train")), base).system, layout).phi
    values = dict(zip(layout.names, phi.tolist(), strict=True))
    joints = layout.robot.joint_names
    friction = {
        term: np.array([values.get(f"{joint}.{term}", 0.0) for joint in joints])
        for term in ("viscous", "coulomb")
    }
    if request.options.actuator != "none":
        layout, kept = layout.with_terms(_NO_FRICTION)
    return RigidFit(layout, phi[kept], phi, friction)


def architecture_of(options: FitOptions, robot: RobotTree) -> Architecture:
    """The parts that options ask for."""
    body, residual = options.parts
    of_hybrid = options.model == "hybrid" and options.rigid in ("diffbary", "sdp")
    inertia = "diffbary" if of_hybrid else options.inertia
    frozen = ("body", "joints") if options.model == "hybrid" and options.training == "2s" else ()
    network = residual != "none"
    return Architecture(
        body=body,
        inertia=inertia if body in ("links", "kinodynamic") else "",
        actuator=options.actuator,
        residual=residual,
        hidden=options.usual.hidden if network else (),
        memory=options.memory if residual == "lstm" else 0,
        activation=options.activation,
        lagrangian=options.lagrangian or _LAYERS[robot.floating] if body in LAGRANGIAN else (),
        lagrangian_activation=options.lagrangian_activation,
        lagrangian_inputs=options.lagrangian_inputs,
        frozen=frozen,
    )


def started(
    request: Request, architecture: Architecture, train: list[Stretch], rigid: RigidFit
) -> InverseModel:
    """The model that training begins with; what is frozen does not learn."""
    options = request.options
    motion = torch.cat([own.motion.seen() for own in train])
    tau = torch.cat([own.tau for own in train])
    n = rigid.layout.robot.n
    spread = motion.std(0, correction=0)
    usual = tau.std(0, correction=0)
    scales = MotionScales(motion.mean(0), _or_one(spread), _or_one(usual))
    q, qd = (torch.cat([own.motion[which][:, -n:] for own in train]) for which in (0, 1))
    drives = joint_scales(tau[:, -n:], q, qd)
    model = made(architecture, rigid.layout, scales, drives, options.seed)
    if isinstance(model.body, FloatingLagrangian):
        weights = options.mass_weight, options.inertia_weight
        model.body.begin_with(floating_scales(train, rigid.layout.robot), weights)
    if isinstance(model.body, LinkBody):
        _begin(model.body, model.joints, options, rigid, frozen=bool(architecture.frozen))
    elif model.joints is not None:
        _begin_terms(model.joints, options, rigid)
    if isinstance(model.body, KinodynamicBody):
        _begin_places(model.body, options)
    if isinstance(model.actuator, Friction):
        none = np.zeros(n)
        begin = np.stack([rigid.friction.get(name, none) for name in model.actuator.names])
        model.actuator.begin_at(torch.from_numpy(begin))
    if architecture.frozen and architecture.body == "links":
        freeze(model)
    return model


def freeze(model: InverseModel) -> None:
    """Body and terms of joints stay as they are; so does friction that an SDP can find."""
    for part in (model.body, model.joints):
        if part is not None:
            part.requires_grad_(False)
    drive = model.actuator
    if isinstance(drive, Friction) and set(drive.names) <= {"viscous", "coulomb"}:
        drive.requires_grad_(False)


def _begin(
    body: LinkBody, joints: JointTerms | None, options: FitOptions, rigid: RigidFit, *, frozen: bool
) -> None:
    """Links and terms from an SDP, the robot file, or at random."""
    layout = rigid.layout
    entries = Entries.of(layout, body.parametrisation)
    if frozen or options.init == "sdp":
        theta = start_at(entries, rigid.phi)
    elif options.init == "prior":
        theta = start_at(entries, nominal(layout))
    else:
        theta = published_start(entries, options.seed)
    with torch.no_grad():
        body.theta.copy_(torch.from_numpy(entries.links(theta)))
        if joints is not None:
            joints.entries.copy_(torch.from_numpy(theta[entries.of_links :]))


def _begin_places(body: KinodynamicBody, options: FitOptions) -> None:
    """Links and their places from the robot file, or at random."""
    robot, kind = body.robot, body.parametrisation
    links, angles = robot.phi, np.zeros((robot.bodies, 3))
    shifts = np.array(robot.placements[:, :3, 3])
    if options.init == "random":
        links, angles, shifts = random_robot(robot.bodies, np.random.default_rng(options.seed))
    inside = moved_inside(links, _INSIDE) if kind.guarantees.full else links
    body.begin_at(kind.theta(torch.tensor(inside)), angles, shifts)


def _begin_terms(joints: JointTerms, options: FitOptions, rigid: RigidFit) -> None:
    """Terms beside an energy that is still nothing."""
    own = slice(rigid.layout.links, None)
    if options.init == "random":
        with torch.no_grad():
            joints.entries.copy_(torch.from_numpy(random_terms(len(joints.entries), options.seed)))
    else:
        _assign(joints, (rigid.phi if options.init == "sdp" else nominal(rigid.layout))[own])


def _assign(joints: JointTerms, values: Array) -> None:
    positive = joints.get_buffer("positive").numpy()
    roots = np.where(positive, np.sqrt(np.maximum(values, 1e-7)), values)
    with torch.no_grad():
        joints.entries.copy_(torch.from_numpy(roots))


def _or_one(values: torch.Tensor) -> torch.Tensor:
    return torch.where(values > 0, values, torch.ones_like(values))


def parameters_of(model: InverseModel) -> Array | None:
    """All parameters of links and joints as learned, shape (p,); None of other bodies."""
    if not isinstance(model.body, LinkBody):
        return None
    with torch.no_grad():
        links = model.body.links().numpy()
        own = np.empty(0) if model.joints is None else model.joints.values().numpy()
    return None if links.shape[-1] != 10 else np.concatenate([links.ravel(), own])
