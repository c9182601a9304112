"""Make the pendulum logs with MuJoCo, from parameters that are written beside them.

A rod of 0.5 m with a bob swings about a horizontal axis, driven by a torque motor that tracks a
sum of sines. Noise, friction and a torque offset are added the way a real bench has them.
"""

import json
from pathlib import Path

import mujoco
import numpy as np

RATE_HZ = 200
SECONDS = 12.0
SUBSTEPS = 10
OFFSET = 0.05  # N m, of the torque sensor
NOISE = {"q": 2e-5, "qd": 2e-3, "tau": 0.02}

MODEL = f"""
<mujoco>
  <option timestep="{1 / RATE_HZ / SUBSTEPS}" integrator="RK4" gravity="0 0 -9.81"/>
  <worldbody>
    <body>
      <joint name="hinge" type="hinge" axis="0 1 0" damping="0.04" frictionloss="0.1"/>
      <inertial mass="0.8" pos="0.02 0 -0.35" diaginertia="0.012 0.012 0.001"/>
    </body>
  </worldbody>
  <actuator><motor joint="hinge"/></actuator>
</mujoco>
"""

# (frequency [Hz], amplitude [rad]) of the motion each recording tracks
MOTIONS = {
    "run1": [(0.3, 0.9), (0.7, 0.35), (1.1, 0.2)],
    "run2": [(0.2, 1.1), (0.5, 0.4), (1.4, 0.12)],
    "run3": [(0.4, 0.7), (0.9, 0.3), (1.2, 0.15)],
}


def truth(model: mujoco.MjModel) -> dict[str, float]:
    """The parameters a fit should find, from the simulator's own model."""
    mass, centre = float(model.body_mass[1]), model.body_ipos[1]
    inertia = float(model.body_inertia[1][1] + mass * (centre[0] ** 2 + centre[2] ** 2))
    weight = mass * float(-model.opt.gravity[2])
    return {
        "inertia": inertia,
        "gravity_sin": -weight * float(centre[2]),
        "gravity_cos": -weight * float(centre[0]),
        "viscous": float(model.dof_damping[0]),
        "coulomb": float(model.dof_frictionloss[0]),
        "offset": OFFSET,
    }


def record(model: mujoco.MjModel, motion: list[tuple[float, float]], seed: int) -> np.ndarray:
    """Columns t, q, qd, tau of one recording."""
    data = mujoco.MjData(model)
    noise = np.random.default_rng(seed)
    rows = []
    for step in range(int(SECONDS * RATE_HZ)):
        t = step / RATE_HZ
        wanted = sum(a * np.sin(2 * np.pi * f * t) for f, a in motion)
        speed = sum(2 * np.pi * f * a * np.cos(2 * np.pi * f * t) for f, a in motion)
        command = 40.0 * (wanted - data.qpos[0]) + 2.0 * (speed - data.qvel[0])
        data.ctrl[0] = command
        jitter = noise.uniform(-2e-4, 2e-4)
        rows.append((t + jitter, data.qpos[0] + data.qvel[0] * jitter, data.qvel[0], command))
        mujoco.mj_step(model, data, nstep=SUBSTEPS)
    columns = np.array(rows)
    columns[:, 1] += noise.normal(0.0, NOISE["q"], len(rows))
    columns[:, 2] += noise.normal(0.0, NOISE["qd"], len(rows))
    columns[:, 3] += noise.normal(0.0, NOISE["tau"], len(rows)) + OFFSET
    columns[:, 0] -= columns[0, 0]
    return columns


def make_pendulum(folder: Path) -> None:
    """Write the recordings and the truth."""
    model = mujoco.MjModel.from_xml_string(MODEL)
    for seed, (name, motion) in enumerate(MOTIONS.items()):
        np.savetxt(
            folder / f"{name}.csv",
            record(model, motion, seed),
            fmt="%.6f",
            delimiter=",",
            header="t,q.hinge,qd.hinge,tau.hinge",
            comments="",
        )
    (folder / "truth.json").write_text(json.dumps(truth(model), indent=1) + "\n", encoding="utf-8")
