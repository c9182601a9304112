"""Parameters of a simulated double pendulum from commands and positions, against MuJoCo sysid.

MuJoCo moved it: masses and centres of mass are not those of the file.
"""

import tempfile
from pathlib import Path

import mujoco
import numpy as np
from mujoco import sysid
from scipy.signal import savgol_filter

from peers.comparison import Right, Task, Way
from robotid.dynamics.base_parameters import base_parameters
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import wls
from robotid.fitting.sdp import consistent_fit
from robotid.information.factorise import Factoriser
from robotid.information.layout import Layout
from robotid.information.regressor import dense_regressor, signals_of
from robotid.robot.load import load_robot
from robotid.signals.low_pass import RecordingFilter
from robotid.signals.options import FilterOptions
from robotid.signals.threads import Threads

RATE_HZ, NOISE = 500.0, 1e-4  # of positions [rad]
WINDOW = 500  # samples that one simulation of sysid follows
FEW = 3  # iterations
ABOUT = f"""sysid shoots: it searches numbers with which a simulation follows the positions. It is
told the model of the simulator with damping and inertias as they are, and searches eight numbers,
mass and centre of each link, near those of the file, over windows of 1 s. robotid makes
velocities and accelerations of the positions and solves for all parameters of links and damping
at once. Both are set as is best here, known from the truth: windows of 0.25 s, 2 s or 10 s are
worse for sysid, cut-offs other than 25 Hz for robotid. sysid stops by its own rule, and after
{FEW} iterations."""
LINKS = ("upper", "lower")
MODEL = """
<mujoco model="double">
  <option timestep="0.002" integrator="RK4"><flag contact="disable"/></option>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" axis="0 1 0" damping="0.05"/>
      <inertial pos="{0[1]} 0 {0[2]}" mass="{0[0]}" diaginertia="0.02 0.02 0.004"/>
      <body name="lower" pos="0 0 -0.5">
        <joint name="elbow" axis="0 1 0" damping="0.05"/>
        <inertial pos="{1[1]} 0 {1[2]}" mass="{1[0]}" diaginertia="0.01 0.01 0.002"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="shoulder" joint="shoulder"/><motor name="elbow" joint="elbow"/></actuator>
  <sensor><jointpos name="q1" joint="shoulder"/><jointpos name="q2" joint="elbow"/></sensor>
</mujoco>
"""
NOMINAL = ((2.0, 0.0, -0.25), (1.0, 0.0, -0.2))
TRUTH = ((2.5, 0.02, -0.29), (1.3, -0.01, -0.24))


def tasks(_: Path, *, quick: bool) -> list[Task]:
    """The task."""
    seconds = 2.0 if quick else 10.0
    control, q = simulated(int(seconds * RATE_HZ))
    layout = Layout(tree(MODEL.format(*TRUTH)), ("viscous",))
    other = harmonics(1000)
    W = dense_regressor(layout.robot, *other)
    truth = W @ layout.robot.phi.ravel()

    def right(phi: np.ndarray) -> Right:
        error = float(np.sqrt(np.mean((W @ phi - truth) ** 2) / np.mean(truth**2)))
        return Right(f"torques of another motion within {100 * error:.2g} %", error)

    ways = {
        "robotid filter, factors, fit --model sdp": Way(
            lambda: ours(layout, control, q), right, ("robotid",)
        ),
        "mujoco.sysid": Way(lambda: theirs(control, q), right, ("mujoco",)),
        f"mujoco.sysid, {FEW} iterations": Way(
            lambda: theirs(control, q, max_iters=FEW), right, ("mujoco",)
        ),
    }
    size = f"{seconds:.0f} s of 2 joints at {RATE_HZ:.0f} Hz"
    return [Task("A simulated log to parameters of links", size, ways, 0.1, ABOUT)]


def harmonics(samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Another motion: q, qd and qdd, shape (samples, 2)."""
    t = np.arange(samples)[:, None] / 100.0
    w, size = np.array([[2.0, 3.1]]), np.array([[0.9, 0.7]])
    return size * np.sin(w * t), size * w * np.cos(w * t), -size * w**2 * np.sin(w * t)


def simulated(samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Commands and noisy positions, shape (samples, 2)."""
    model = mujoco.MjModel.from_xml_string(MODEL.format(*TRUTH))
    data, t = mujoco.MjData(model), np.arange(samples) / RATE_HZ
    control = np.column_stack(
        [
            4.0 * np.sin(3.1 * t) + 2.0 * np.sin(7.3 * t),
            1.2 * np.sin(4.7 * t) + 0.8 * np.sin(9.1 * t),
        ]
    )
    q = np.zeros((samples, 2))
    for i in range(samples):
        q[i], data.ctrl[:] = data.qpos, control[i]
        mujoco.mj_step(model, data)
    return control, q + np.random.default_rng(0).normal(size=q.shape) * NOISE


def tree(text: str):
    """A robot of an MJCF text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "double.xml"
        path.write_text(text)
        return load_robot(path).tree


def ours(layout: Layout, control: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Link parameters, shape (20,), by functions of robotid's stages."""
    joints = layout.robot.joint_names
    columns = {"t": np.arange(len(q)) * int(1e9 / RATE_HZ)}
    for name, values in (("q", q), ("tau", control)):
        for j, joint in enumerate(joints):
            columns[f"{name}.{joint}"] = np.ascontiguousarray(values[:, j])
    kept: list[dict[str, np.ndarray]] = []
    options = FilterOptions(cutoff_hz=25.0, velocity="from-position")
    with Threads() as threads:
        RecordingFilter(
            lambda wanted: [{name: columns[name] for name in wanted}],
            list(columns),
            joints,
            options,
            threads,
        ).run(lambda rows: kept.append({name: x.copy() for name, x in rows.items()}))
    motion = {
        signal: np.column_stack(
            [np.concatenate([r[f"{signal}.{j}"] for r in kept]) for j in joints]
        )
        for signal in ("q", "qd", "qdd", "tau")
    }
    factoriser = Factoriser(layout, 1)
    factors = tuple(factoriser(signals_of(layout.robot, **motion)))
    factoriser.close()
    found = wls(
        Evidence((factors,), layout.parameters), base_parameters(layout.robot, ("viscous",))
    )
    return consistent_fit(found.system, layout).phi[:20]


def theirs(control: np.ndarray, q: np.ndarray, **limits: int) -> np.ndarray:
    """Link parameters, shape (20,), by shooting from the numbers of the file."""
    spec = mujoco.MjSpec.from_string(MODEL.format(*NOMINAL))
    model, t = spec.compile(), np.arange(WINDOW) / RATE_HZ
    parameters = sysid.ParameterDict()
    for link in LINKS:
        one = sysid.body_inertia_param(spec, model, link, sysid.InertiaType.MassIpos)
        parameters.add(one)
    smooth = savgol_filter(q, 31, 3, axis=0)
    speeds = savgol_filter(q, 31, 3, deriv=1, delta=1.0 / RATE_HZ, axis=0)
    windows = [slice(i, i + WINDOW) for i in range(0, len(q) - WINDOW + 1, WINDOW)]
    sequences = sysid.ModelSequences(
        "double",
        spec,
        [f"from{w.start}" for w in windows],
        [sysid.create_initial_state(model, smooth[w.start], speeds[w.start]) for w in windows],
        [sysid.TimeSeries.from_control_names(t, control[w], model) for w in windows],
        [sysid.TimeSeries.from_names(t, q[w], model) for w in windows],
    )
    residual = sysid.build_residual_fn(models_sequences=[sequences], n_threads=1)
    found, _ = sysid.optimize(parameters, residual, verbose=False, **limits)
    sysid.apply_param_modifiers_spec(found, spec)
    spec.compile()
    return tree(spec.to_xml()).phi.ravel()
