"""Small logs of joints that move, for tests of what is guessed from them."""

from pathlib import Path

import numpy as np

RATE = 200.0


class Motion:
    """Sines of different size and speed, with torques that have noise; SI units."""

    def __init__(self, joints=3, rows=1200, seed=0):
        rng = np.random.default_rng(seed)
        self.t = np.arange(rows) / RATE
        phase = 2 * np.pi * np.outer(self.t, 0.3 + 0.1 * np.arange(joints))
        size = 0.6 + 0.2 * np.arange(joints)
        rate = 2 * np.pi * (0.3 + 0.1 * np.arange(joints))
        self.q = size * np.sin(phase) + 0.1
        self.qd = size * rate * np.cos(phase)
        self.smooth = 3 * np.cos(self.q)
        self.tau = self.smooth + rng.normal(scale=0.3, size=self.q.shape)


def columns(pattern, values, first=1):
    """`pattern` with {n} filled in, and the columns of an array."""
    return {pattern.replace("{n}", str(first + j)): values[:, j] for j in range(values.shape[1])}


def write_csv(path: Path, data) -> Path:
    names = ",".join(f'"{name}"' for name in data)
    np.savetxt(path, np.column_stack(list(data.values())), "%.10g", ",", header=names, comments="")
    return path
