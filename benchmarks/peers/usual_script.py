"""What a user writes with pandas, scipy, Pinocchio and numpy: a CSV log to parameters, as JSON.

python usual_script.py LOG.csv ROBOT.urdf OUT.json
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pinocchio as pin
from scipy import signal

CUTOFF_HZ, ORDER, TRIM_S, RATE_HZ = 10.0, 4, 1.0, 50.0


def main() -> None:
    log, robot, out = sys.argv[1:]
    table, model = pd.read_csv(log), pin.buildModelFromUrdf(robot)
    data, joints = model.createData(), [str(name) for name in model.names][1:]
    hz = 1 / float(np.median(np.diff(table["t"])))
    b, a = signal.butter(ORDER, CUTOFF_HZ, fs=hz)
    q, qd, tau = (
        signal.filtfilt(b, a, table[[f"{kind}.{joint}" for joint in joints]].to_numpy(), axis=0)
        for kind in ("q", "qd", "tau")
    )
    qdd = np.gradient(qd, 1 / hz, axis=0)
    kept = slice(int(TRIM_S * hz), -int(TRIM_S * hz), round(hz / RATE_HZ))
    q, qd, qdd, tau = (x[kept] for x in (q, qd, qdd, tau))
    n, links = len(joints), 10 * (model.njoints - 1)
    own = (qd, np.clip(qd / 0.02, -1, 1), np.ones_like(qd), qdd)
    W = np.zeros((len(q), n, links + n * len(own)))
    for i in range(len(q)):
        W[i, :, :links] = pin.computeJointTorqueRegressor(model, data, q[i], qd[i], qdd[i])
    for j in range(n):
        for k, column in enumerate(own):
            W[:, j, links + j * len(own) + k] = column[:, j]
    found = np.linalg.lstsq(W.reshape(-1, W.shape[2]), tau.ravel(), rcond=1e-10)[0]
    Path(out).write_text(json.dumps(found.tolist()), encoding="utf-8")


if __name__ == "__main__":
    main()
