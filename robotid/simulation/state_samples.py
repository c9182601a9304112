"""Samples of the state space: states and commands drawn one by one, accelerations by an engine.

They are no motion: the sample before says nothing of the next, and times only number them.
"""

from collections.abc import Iterator
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid import progress
from robotid.contracts.splits import Split
from robotid.contracts.truth import TrueJoint, TrueLink, TrueRecording, Truth
from robotid.dynamics.rnea import rnea
from robotid.memory import must_fit
from robotid.robot.tree import RobotTree
from robotid.simulation.engine import ENGINE_PACKAGE, make_engine
from robotid.simulation.perturbation import robot_of_seed
from robotid.simulation.robots import check_held, check_robots, reach
from robotid.simulation.sample_options import SampleOptions

Array = NDArray[np.float64]
# What is random, each from a stream of its own: more recordings do not change those there were.
_SPLITS: tuple[Split, ...] = ("train", "val", "test")
_POSTURES = 1000  # from which a joint without effort limit gets one
# What a joint of `truth.json` could have, and a joint of samples has not.
_ABSENT = (
    *("coulomb", "static", "width", "stribeck_velocity"),
    *("bristle_stiffness", "bristle_damping", "stiffness", "damping"),
)
_PER_SAMPLE = 12  # numbers that are held per joint and sample


class Box(NamedTuple):
    """Where states and commands are drawn from, each of shape (n,): centre ± half, ± the others.

    Positions are in rad or m, speeds in rad/s or m/s, efforts in N m or N.
    """

    centre: Array
    half: Array
    speed: Array
    effort: Array


class StateSamples(NamedTuple):
    """The samples of one recording, each of shape (samples, n)."""

    name: str
    split: Split
    q: Array
    qd: Array
    qdd: Array
    tau: Array


class Sampler:
    """Draws recordings of samples of one robot.

    Args:
        nominal: whose limits hold.
        true: what moves, before `options.perturb` changes it further.
        options: the configuration.
    """

    def __init__(self, nominal: RobotTree, true: RobotTree, options: SampleOptions) -> None:
        check_robots(nominal, true)
        check_held(nominal)
        true = robot_of_seed(true, options.perturb, options.seed)
        self._nominal, self._true, self._options = nominal, true, options
        self._box = box_of(nominal, options)
        self._rotor = np.array([joint.rotor_inertia for joint in true.driven])
        viscous = options.friction == "viscous"
        self._damping = np.array([joint.damping if viscous else 0.0 for joint in true.driven])
        self._engine = make_engine(options.engine, true, self._rotor)

    def recordings(self) -> Iterator[StateSamples]:
        """One after the other, in constant memory."""
        options = self._options
        hint = "take fewer samples, and more recordings"
        size = 8 * _PER_SAMPLE * self._true.n * options.samples
        must_fit(size, f"recordings of {options.samples} samples", hint)
        for place, (name, split, number) in enumerate(_recordings(options)):
            progress.report(place, len(_recordings(options)), "sampling")
            stream = [options.seed, _SPLITS.index(split), number]
            yield self._drawn(name, split, np.random.default_rng(stream))

    def _drawn(self, name: str, split: Split, random: np.random.Generator) -> StateSamples:
        box, shape = self._box, (self._options.samples, self._true.n)
        at = random.uniform(-1, 1, (3, *shape))
        q, qd, tau = box.centre + at[0] * box.half, at[1] * box.speed, at[2] * box.effort
        qdd = self._engine.acceleration(q, qd, tau - self._damping * qd)
        # Drawn in any case and last: noise changes nothing but the accelerations.
        noise = random.standard_normal(shape)
        return StateSamples(
            name, split, q, qd, qdd + self._options.noise_qdd * qdd.std(0) * noise, tau
        )

    def truth(self) -> Truth:
        """What the samples were made from, as it goes beside them."""
        true, options, names = self._true, self._options, self._true.joint_names
        nothing = dict.fromkeys(names, 0.0)
        return Truth(
            robot=true.name,
            gravity=true.gravity.tolist(),
            links=[
                TrueLink(name=name, phi=own.tolist(), nominal_phi=assumed.tolist())
                for name, own, assumed in zip(true.links, true.phi, self._nominal.phi, strict=True)
            ],
            joints=[self._joint(place) for place in range(true.n)],
            friction=options.friction,
            recordings={
                name: TrueRecording(
                    speed=options.speed_share, reference={}, bias=nothing, at_limit=nothing
                )
                for name, _, _ in _recordings(options)
            },
            engine=options.engine,
            versions={name: version(name) for name in ("numpy", ENGINE_PACKAGE[options.engine])},
            substeps=0,
            options=options.model_dump(mode="json"),
        )

    def _joint(self, place: int) -> TrueJoint:
        """A joint without controller, spring, dry friction or noise of its torque."""
        joint, viscous = self._true.driven[place], self._options.friction == "viscous"
        return TrueJoint(
            name=joint.name,
            kind=joint.kind,
            rotor_inertia=joint.rotor_inertia,
            viscous=joint.damping if viscous else None,
            kp=0.0,
            kd=0.0,
            torque_scale=float(self._box.effort[place]),
            noise_tau=0.0,
            **dict.fromkeys(_ABSENT),
        )


def box_of(robot: RobotTree, options: SampleOptions) -> Box:
    """The shares of a robot's limits that are asked for.

    A joint without effort limit gets twice the torque that holds it up at the states of the box.
    """
    lower, half, fastest = reach(robot)
    centre = lower + half
    half, speed = options.position_share * half, options.speed_share * fastest
    at = np.random.default_rng(0).uniform(-1, 1, (2, _POSTURES, robot.n))
    q, qd = (torch.from_numpy(x) for x in (centre + at[0] * half, at[1] * speed))
    with torch.no_grad():
        needed = 2 * rnea(robot, q, qd, torch.zeros_like(q)).abs().amax(0).numpy()
    limit = robot.bound("effort")
    effort = np.where(np.isfinite(limit), limit, needed)
    return Box(centre, half, speed, options.effort_share * effort)


def _recordings(options: SampleOptions) -> list[tuple[str, Split, int]]:
    """Name, split and number of each recording; zeros in front make names sort."""
    counts = (options.train_recordings, options.val_recordings, options.test_recordings)
    return [
        (f"{split}{number:0{len(str(count))}d}", split, number)
        for split, count in zip(_SPLITS, counts, strict=True)
        for number in range(1, count + 1)
    ]
