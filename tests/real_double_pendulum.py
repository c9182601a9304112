"""Forward models of the double pendulum of the real logs, through the command line.

The logs are not part of the project: `ROBOTID_REAL_LOGS` says where they are. Five recordings of
10 s at 500 Hz; both joints have a motor whose torque was measured, so sizes of parameters show, not
only their ratios. Published are `model_parameters.yml` beside the logs, without friction, and the
friction of model 1.0 of the same design (github.com/dfki-ric-underactuated-lab/double_pendulum).
"""

import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from robotid.contracts.forward import ForwardResult, read_forward_result
from robotid.contracts.rollout import Rollout, read_rollout
from robotid.models.actuators.table import actuator_model
from robotid.models.forward_models import RigidForward
from robotid.models.forward_scales import joint_scales
from robotid.robot.load import load_robot
from robotid.robot.tree import RobotTree
from robotid.rollouts.integrate import Integration, integrate
from robotid.rollouts.measured import Spans, error_curve
from robotid.rollouts.recorded import Recorded, recorded_starts
from robotid.spatial.parametrisations.table import parametrisation
from tests.test_real_logs import CASES, REAL

FOLDER = REAL / "double_pendulum"
HELD_OUT = ("design_C1_run2", "design_C1_run5")
HORIZON_S, STEP_S = 1.0, 0.004
TIMES_S = (0.1, 0.2, 0.5, 1.0)
WITHOUT_FRICTION = ("stays where it is", "URDF beside the logs", "published, no friction")
_RESULTS = (0, 4)  # exit codes: a fit that is not to be used is a result, too
JOINTS = ("shoulder", "elbow")
VISCOUS = 0.001  # [N m s/rad], of model 1.0
# The same of Coulomb friction [N m]. Its formula is cf arctan(100 qd): it levels out at cf π/2.
COULOMB = (0.16 * math.pi / 2, 0.12 * math.pi / 2)
ROTOR = 36 * 6.287203962819607e-05  # [kg m²] behind the gear, which forward models do not have
# What another fit of the same people (model 2.0) says of the same sums.
OTHER = {
    "L1xx + 1/25 m2": 0.042111626356 + 0.336936884 / 25,
    "l1z - 1/5 m2": -0.2 * (0.7586436245588 + 0.336936884),
    "L2xx": 0.0510352807012,
    "l2z": -0.336936884 * 0.4684380078598,
    "shoulder coulomb": 0.174671898943504 * math.pi / 2,
    "elbow coulomb": 0.10999997753612 * math.pi / 2,
    "shoulder viscous": 0.003690870343196907,
    "elbow viscous": 0.0006450852127932183,
}


def published() -> dict[str, float]:
    """Lengths, masses and inertias; I1 and I2 are about the joints."""
    lines = (FOLDER / "model_parameters.yml").read_text().splitlines()
    return {key: float(value) for key, _, value in (line.partition(":") for line in lines)}


def robot_file() -> str:
    """The published model as URDF, with friction; both links hang down at zero.

    The files beside the logs give I1 and I2, which are about the joints, as those about the centres
    of mass. All moments are alike: only those about the axes show.
    """
    given = published()
    parts = ['<robot name="double_pendulum"><link name="base"/>']
    for number, joint in enumerate(JOINTS, start=1):
        mass, centre = given[f"m{number}"], given[f"r{number}"]
        inertia = given[f"I{number}"] - mass * centre**2
        place, parent = ("0 0 0", "base") if number == 1 else (f"0 0 {-given['l1']}", "link1")
        moments = " ".join(f'{axis}="{inertia}"' for axis in ("ixx", "iyy", "izz"))
        parts.append(
            f'<link name="link{number}"><inertial><origin xyz="0 0 {-centre}"/>'
            f'<mass value="{mass}"/><inertia {moments} ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="{joint}" type="continuous"><origin xyz="{place}"/>'
            f'<parent link="{parent}"/><child link="link{number}"/><axis xyz="1 0 0"/>'
            f'<dynamics damping="{VISCOUS}" friction="{COULOMB[number - 1]}"/></joint>'
        )
    return "".join([*parts, "</robot>"])


Call = Callable[..., int]  # words of a command to its exit code


def robotid(*arguments: object) -> int:
    """A command as a process of its own, in the working folder."""
    command = [sys.executable, "-m", "robotid", *map(str, arguments), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode not in _RESULTS:
        print(done.stderr, file=sys.stderr)
    return done.returncode


class Session:
    """Commands in the working folder, as a user types them there."""

    def __init__(self, call: Call = robotid) -> None:
        self.call = call
        Path("robot.urdf").write_text(robot_file())
        columns = CASES["double pendulum"].columns + 'tau_cmd = {columns = "tau_con{n}"}\n'
        Path("map.toml").write_text(columns)

    def robotid(self, *arguments: object) -> None:
        code = self.call(*arguments)
        if code not in _RESULTS:
            raise RuntimeError(f"robotid {' '.join(map(str, arguments))}: exit code {code}")

    def filtered(self, *held_out: str, runs: str = "12345") -> None:
        """Recordings at 125 Hz, of which some are for the test."""
        logs = sorted(FOLDER.glob(f"design_C1_run[{runs}].csv"))
        tests = [word for name in held_out for word in ("--test", name)]
        given = ("--map", "map.toml", "--robot", "robot.urdf", *tests)
        self.robotid("ingest", *logs, *given, "--out", "data", "--force")
        rest = ("--cutoff-hz", 10, "--decimate", 4, "--out", "filtered", "--force")
        self.robotid("filter", "data", *rest)

    def fit(self, name: str, actuator: str, *flags: object) -> ForwardResult:
        """A forward model."""
        given = ("--robot", "robot.urdf", "--model", "diffnea", "--loss", "forward")
        rest = ("--actuator", actuator, *flags, "--out", name, "--force")
        self.robotid("fit", "filtered", *given, *rest)
        return read_forward_result(Path(name))

    def rollout(self, *fits: str, starts: int) -> Rollout:
        """Fits left to run from the held-out recordings."""
        given = ("--from", "filtered", "--horizon-s", HORIZON_S, "--step-s", STEP_S)
        rest = ("--starts", starts, "--out", "rolled", "--force")
        self.robotid("rollout", *fits, *given, *rest)
        return read_rollout(Path("rolled"))

    def baselines(self, fit: ForwardResult, starts: int) -> dict[str, list[float]]:
        """Errors at `TIMES_S` of what needs no fit, from the same starts and in the same units."""
        robot = load_robot(Path("robot.urdf")).tree
        steps = round(HORIZON_S / STEP_S)
        true = recorded_starts(Path("filtered"), robot, ("tau",), steps, STEP_S, starts)
        t = STEP_S * np.arange(steps + 1)[:, None, None]
        still = np.broadcast_to(true.q[0], true.q.shape)
        beside = load_robot(FOLDER / "acrobot.urdf").tree
        found = {
            "stays where it is": (still, np.zeros_like(still)),
            "keeps its velocity": (
                still + t * true.qd[0],
                np.broadcast_to(true.qd[0], still.shape),
            ),
            "URDF beside the logs": _by_links(beside, true, [0.0, 0.0]),
            "published, no friction": _by_links(robot, true, [0.0, 0.0]),
            "published, friction": _by_links(robot, true, COULOMB),
        }
        spans = Spans.of(fit.ranges, robot.joint_names)
        return {
            name: at_times(error_curve(motion, (true.q, true.qd), spans, robot, STEP_S))
            for name, motion in found.items()
        }


def _by_links(robot: RobotTree, true: Recorded, coulomb) -> tuple[np.ndarray, np.ndarray]:
    """Motions of a robot as its file has the links, with this friction."""
    q, qd, command = (
        torch.from_numpy(x.reshape(-1, 2)) for x in (true.q, true.qd, true.commands["tau"])
    )
    drive = actuator_model("coulomb").made(joint_scales(command, q, qd))
    with torch.no_grad():
        drive.roots.copy_((torch.tensor([coulomb]).double() / drive.units()).sqrt())
    free = parametrisation("free")
    model = RigidForward(robot, free, free.theta(torch.from_numpy(robot.phi.copy())), drive)
    commands = torch.from_numpy(true.commands["tau"])
    done = integrate(
        model.fixed(),
        torch.from_numpy(true.q[0].copy()),
        torch.from_numpy(true.qd[0].copy()),
        (q.std(0), qd.std(0)),
        Integration(STEP_S, len(commands)),
        lambda time_s, *_: commands[round(time_s / STEP_S)],
    )
    return done.q.numpy(), done.qd.numpy()


def at_times(curve) -> list[float]:
    """Root of the mean squared error at `TIMES_S`, as a share of the range in training."""
    chosen = [int(np.argmin(np.abs(np.array(curve.t_s) - time))) for time in TIMES_S]
    values = [curve.mean[place] for place in chosen]
    return [math.inf if value is None else math.sqrt(value) for value in values]


class Beside(NamedTuple):
    """A parameter as found and as published."""

    name: str
    found: float
    published: float

    @property
    def percent(self) -> float | None:
        """Of the published one; None where that is zero."""
        return 100 * (self.found / self.published - 1) if self.published else None


def beside_published(fit: ForwardResult) -> list[Beside]:
    """All that accelerations show of the links, and friction with a published value."""
    links = [Beside(one.name, one.value, one.nominal) for one in fit.combinations]
    friction = [
        Beside(f"{one.joint} {one.name}", one.value, one.nominal)
        for one in fit.actuator_values
        if one.nominal is not None
    ]
    return links + friction


def turned(beside: Mapping[str, Beside]) -> list[float]:
    """By how much each encoder's zero is off, as the centres of mass say [deg]."""
    sides, along = ("l1y", "l2y"), ("l1z - 1/5 m2", "l2z")
    return [
        math.degrees(math.atan2(beside[y].found, -beside[z].found))
        for y, z in zip(sides, along, strict=True)
    ]
