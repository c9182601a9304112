"""Identification on logs of real robots: ingest and filter as a user does, fit, and held-out errors.

The logs are not part of the project: `ROBOTID_REAL_LOGS` says where they are. Maps of their columns
are those of `test_real_logs`.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robotid.contracts.dataset import read_index
from robotid.contracts.recording import read_recording
from robotid.dynamics.base_parameters import base_parameters
from robotid.fitting.consistent import Consistent
from robotid.fitting.evidence import Part, together
from robotid.fitting.linear import Estimate, ols, wls
from robotid.fitting.sdp import consistent_fit
from robotid.information.factor import Factor, merge
from robotid.information.factorise import Factoriser
from robotid.information.layout import TERMS, Layout
from robotid.information.sizes import nominal
from robotid.information.stream import block_edges, factor_blocks
from robotid.robot.load import load_robot
from tests.test_real_logs import CASES, REAL

TRAIN, TEST = 0.75, 0.8  # of a single recording: for training up to here, for the test from there


def chain(name: str, *joints: tuple[tuple[float, ...], tuple[float, ...]]) -> str:
    """A robot file of joints in a row, by place in the link before [m] and axis; rough links."""
    parts = [f'<robot name="{name}"><link name="link0"/>']
    for number, (place, axis) in enumerate(joints, start=1):
        xyz, along = (" ".join(map(str, values)) for values in (place, axis))
        parts.append(
            f'<link name="link{number}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia '
            'ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="joint{number}" type="continuous"><parent link="link{number - 1}"/>'
            f'<child link="link{number}"/><origin xyz="{xyz}"/><axis xyz="{along}"/></joint>'
        )
    return "".join([*parts, "</robot>"])


BENCH = chain("bench", ((0, 0, 0), (0, -1, 0)))
# KR 300 R2500 ultra, lengths and signs not checked against a data sheet: arm stretched out to the
# front at zero, axis 1 clockwise.
KR300 = chain(
    "kr300",
    ((0, 0, 0.675), (0, 0, -1)),
    ((0.35, 0, 0), (0, 1, 0)),
    ((1.15, 0, 0), (0, 1, 0)),
    ((1.0, 0, 0.041), (-1, 0, 0)),
    ((0, 0, 0), (0, 1, 0)),
    ((0, 0, 0), (-1, 0, 0)),
)
# Its logs count from a pose with the upper arm upright; torques are those of the motors.
KR300_COLUMNS = """
time = {{column = "rec.time_cont", unit = "s"}}
[q]
columns = "rec.act_pos_se_deg[{{i}}]"
unit = "deg"
offset = [0, -1.5707963267948966, 1.5707963267948966, 0, 0, 0]
[qd]
columns = "rec.act_vel_se_deg_per_s[{{i}}]"
unit = "deg/s"
[tau]
columns = "rec.act_torque_abs_nm[{{i}}]"
side = "motor"
[motor]
gear = {gear}
"""


class Usable(NamedTuple):
    """What a fit needs besides the map: which robot, what of it, and which recordings are held out.

    Args:
        cutoff_hz: of the filter.
        robot: of the folder, or text of a robot file; that of the map where empty.
        changes: arguments of `load_robot`.
        coupled: motors that drive two joints.
        held_out: recordings whose names contain this are for the test; the end of the only one
            where empty.
        columns: a map other than that of `test_real_logs`.
    """

    cutoff_hz: float
    robot: str = ""
    changes: dict = {}
    coupled: tuple[str, ...] = ()
    held_out: str = ""
    columns: str = ""


USABLE = {
    "ur10": Usable(8.0),
    "panda": Usable(3.0),
    "tx40": Usable(50.0, coupled=("joint_5+joint_6",)),
    "double pendulum": Usable(10.0, held_out="run5"),
    "double pendulum, first design": Usable(10.0),
    "kinova": Usable(10.0, held_out="opti_traj_testing2"),
    "tiago": Usable(5.0, "tiago/tiago_48_schunk.urdf", {"chain": ("base_link", "arm_4_link")}),
    "kuka": Usable(10.0, KR300, held_out="traj_C", columns=KR300_COLUMNS),
    "servo bench": Usable(20.0, BENCH, held_out="10h30"),
}


class Identified(NamedTuple):
    """Fits of one robot, and their errors on samples they have not seen.

    Args:
        layout: robot and terms.
        samples: for training and for the test.
        weighted: the weighted least-squares fit.
        consistent: the physically consistent fit.
        errors: by fit, root mean square of the error on the test by joint, as shares of the
            standard deviation of its torque in all samples, shape (n,); `mean` is the mean of the
            training, `robot file` the file with what friction it gives.
    """

    layout: Layout
    samples: tuple[int, int]
    weighted: Estimate
    consistent: Consistent
    errors: dict[str, np.ndarray]

    def average(self, fit: str) -> float:
        """The mean of the errors over joints."""
        return float(self.errors[fit].mean())


def identify(name: str, folder: Path) -> Identified:
    """From logs to fits; `folder` is for what is written on the way."""
    usable = USABLE[name]
    robot = _robot_file(name, usable, folder)
    dataset = _filtered(name, usable, robot, folder)
    layout = Layout(load_robot(robot, **usable.changes).tree, TERMS, coupled=usable.coupled)
    base = base_parameters(layout.robot, TERMS, coupled=usable.coupled)
    train, test = _factors(layout, dataset, usable.held_out)
    evidence = together(train, layout.parameters)
    weighted = wls(evidence, base)
    consistent = consistent_fit(weighted.system, layout)
    file = nominal(layout)
    fits = {
        "robot file": file,
        "ols": ols(evidence, base).around(file),
        "wls": weighted.around(file),
        "sdp": consistent.phi,
    }
    seen = evidence.merged()
    size = np.array([np.sqrt(merge(pair).variance) for pair in zip(seen, test, strict=True)])
    moved = [
        np.hypot(np.sqrt(b.variance), a.mean - b.mean) for a, b in zip(seen, test, strict=True)
    ]
    errors = {"mean": np.array(moved) / size}
    errors |= {
        which: np.array([factor.rmse(phi) for factor in test]) / size for which, phi in fits.items()
    }
    counts = int(evidence.counts[:, 0].sum()), test[0].count
    return Identified(layout, counts, weighted, consistent, errors)


def _robot_file(name: str, usable: Usable, folder: Path) -> Path:
    if usable.robot.startswith("<"):
        (folder / "robot.urdf").write_text(usable.robot)
        return folder / "robot.urdf"
    return REAL / (usable.robot or CASES[name].robot)


def _filtered(name: str, usable: Usable, robot: Path, folder: Path) -> Path:
    case, given = CASES[name], []
    logs, raw, out = sorted(REAL.glob(case.logs)), folder / "raw", folder / "filtered"
    columns = usable.columns.format(gear=_gear(logs[0])) if usable.columns else case.columns
    if columns:
        (folder / "map.toml").write_text(columns)
        given = ["--map", folder / "map.toml"]
    if case.robot:
        given += ["--robot", robot]
    _robotid(folder, "ingest", *logs, *given, *case.flags, "--out", raw)
    _robotid(folder, "filter", raw, "--cutoff-hz", usable.cutoff_hz, "--out", out)
    return out


def _gear(log: Path) -> list[float]:
    """Gear ratios that a log of the KR 300 gives beside its samples."""
    from scipy.io import loadmat

    return loadmat(log, squeeze_me=True)["para"]["u"].item().tolist()


def _robotid(folder: Path, *arguments) -> None:
    command = [Path(sys.executable).parent / "robotid", *map(str, arguments)]
    environment = {**os.environ, "ROBOTID_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def _factors(layout: Layout, dataset: Path, held_out: str) -> tuple[list[Part], list[Factor]]:
    """Factors for training, each recording with its share of independent samples; for the test."""
    names = [f"{s}.{j}" for s in ("q", "qd", "qdd", "tau") for j in layout.robot.joint_names]
    factoriser, train, test = Factoriser(layout), [], []
    for name in read_index(dataset).recordings:
        columns, facts = read_recording(dataset / f"{name}.parquet")
        signals = np.array([columns[column] for column in names])
        count = signals.shape[1]
        seen, unseen = slice(0, int(TRAIN * count)), slice(int(TEST * count), count)
        if held_out:
            seen, unseen = (slice(0), slice(None)) if held_out in name else (slice(None), slice(0))
        for part, target in ((signals[:, seen], train), (signals[:, unseen], test)):
            if part.shape[1]:
                edges = block_edges(part.shape[1], facts.rate_hz)
                blocks = list(factor_blocks(factoriser, [np.ascontiguousarray(part)], edges))
                share = min(1.0, 2 * facts.filter.cutoff_hz / facts.rate_hz)
                target.append(Part(share, blocks))
    factoriser.close()
    rows = zip(*(block for part in test for block in part.blocks), strict=True)
    return train, [merge(row) for row in rows]


class Published(NamedTuple):
    """Friction or rotor inertia of a joint: as published, as found, and its standard deviation.

    The last two are None where the data determine it only together with a link.
    """

    name: str
    published: float
    found: float | None
    std: float | None


def beside_published(found: Identified) -> list[Published]:
    """Figures of the TX40 beside those of the file that came with its logs.

    There, motor 6, which moves with the sum of joints 5 and 6, is counted with both of them: what
    it adds to viscous friction and inertia is in the figures of either and, as `fvm6` and `Iam6`,
    given once more.
    """
    text = (REAL / "tx40" / "TX40_config.yaml").read_text()
    rows = []
    for key, term in (("fv", "viscous"), ("fs", "coulomb"), ("Ia", "rotor")):
        listed = re.search(rf"\b{key} : \[([^\]]*)\]", text)
        single = re.search(rf"\b{key}m6 : ([\d.]+)", text)
        assert listed is not None
        assert single is not None
        motor_6 = f"joint_5+joint_6.{term}"
        for joint, value in enumerate(listed[1].split(","), start=1):
            parts = [f"joint_{joint}.{term}"]
            if joint in (5, 6) and term != "coulomb":
                parts.append(motor_6)
            rows.append(Published(f"{key}{joint}", float(value), *_sum(found, parts)))
        rows.append(Published(f"{key}m6", float(single[1]), *_sum(found, [motor_6])))
    return rows


def _sum(found: Identified, parts: list[str]) -> tuple[float, float] | tuple[None, None]:
    """A sum of parameters of the weighted fit and its standard deviation."""
    base, columns = found.weighted.base, [found.layout.names.index(part) for part in parts]
    if not all(column in base.independent for column in columns):
        return None, None
    rows = [base.independent.index(column) for column in columns]
    variance = found.weighted.covariance[np.ix_(rows, rows)].sum()
    return float(found.weighted.beta[rows].sum()), float(np.sqrt(variance))
