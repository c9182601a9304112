"""How long does a learned model take for one sample in a control loop?

python benchmarks/learned_latency.py [STEPS]

A hybrid of a 7-axis arm, rigid links, friction and an LSTM of 50 units, is exported as C, compiled
with -O2 and called sample by sample on one core. Every call is timed by itself. A loop at 1 kHz has
1000 µs; the limit is that 99 of 100 calls take less than 100 µs.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np

from robotid.contracts.learned import Architecture
from robotid.exporting.c_compiler import FILE
from robotid.exporting.learned_header import learned_text
from robotid.exporting.outcome import LearnedRequest
from robotid.information.layout import Layout
from robotid.models.learned.architecture import empty
from robotid.models.learned.torques import LearnedTorques
from robotid.robot.catalog import shipped_path
from robotid.robot.load import load_robot

LIMIT_US = 100.0
PARTS = {
    "links, friction": {"body": "links", "inertia": "diffbary", "residual": "none"},
    "links, friction, mlp": {
        "body": "links", "inertia": "diffbary", "residual": "mlp", "hidden": (200, 200),
    },
    "links, friction, lstm": {
        "body": "links", "inertia": "diffbary", "residual": "lstm", "hidden": (100,), "memory": 50,
    },
    "lstm alone": {"body": "none", "residual": "lstm", "hidden": (100,), "memory": 50},
    "delan": {"body": "delan", "residual": "none", "lagrangian": (200, 200)},
}  # fmt: skip
CALLER = """#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#include "{file}"
int main(void)
{{
    {begin}
    for (int k = 0; k < {steps}; k++) {{
        double q[7], qd[7], qdd[7], tau[7];
        for (int i = 0; i < 7; i++)
            q[i] = sin(0.003 * k + i), qd[i] = 3 * cos(0.003 * k + i), qdd[i] = -9 * q[i];
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        panda_inverse_dynamics(q, qd, qdd, {extra}tau);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double s[2] = {{1e6 * (b.tv_sec - a.tv_sec) + 1e-3 * (b.tv_nsec - a.tv_nsec), tau[0]}};
        fwrite(s, sizeof(double), 2, stdout);
    }}
    return 0;
}}
"""


def times_us(parts: dict, steps: int) -> np.ndarray:
    """Of every call, after the first hundredth of them."""
    loaded = load_robot(shipped_path("panda"))
    layout = Layout(loaded.tree, ("viscous", "coulomb", "offset", "rotor"))
    model = LearnedTorques(layout, empty(Architecture(**parts), layout))
    fit = SimpleNamespace(
        robot=SimpleNamespace(name="panda"),
        model="hybrid",
        verdict=SimpleNamespace(usable=True),
        learning=SimpleNamespace(rate_hz=100.0),
    )
    fitted = SimpleNamespace(fit=fit, robot=loaded, model=model)
    remembers = model.model.remembers
    caller = CALLER.format(
        file=FILE,
        steps=steps,
        begin="panda_memory memory; panda_reset(&memory);" if remembers else "",
        extra="&memory, " if remembers else "",
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / FILE).write_text(learned_text(LearnedRequest(fitted, "0" * 64)))
        (folder / "caller.c").write_text(caller)
        command = ["cc", "-std=c99", "-O2", "caller.c", "-o", "caller", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        done = subprocess.run([str(folder / "caller")], capture_output=True, check=True)
    found = np.frombuffer(done.stdout).reshape(-1, 2)
    assert np.isfinite(found).all()
    return found[steps // 100 :, 0]


def main(steps: int) -> bool:
    """Print a line per model; whether the hybrid with a memory keeps the limit."""
    print(f"one call of the exported C code, panda, {steps} calls [µs]:")
    kept = True
    for name, parts in PARTS.items():
        found = times_us(parts, steps)
        half, most, worst = np.percentile(found, [50, 99, 100])
        print(f"  {name:24}{half:8.1f} half of them{most:8.1f} 99 %{worst:10.1f} the longest")
        if name == "links, friction, lstm":
            kept = bool(most < LIMIT_US)
    said = "kept" if kept else "MISSED"
    print(f"99 % of the calls of links, friction and lstm below {LIMIT_US:.0f} µs: {said}")
    return kept


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000))
