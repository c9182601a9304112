"""Identification on logs of real robots: errors on samples that no fit has seen.

    ROBOTID_REAL_LOGS=FOLDER python benchmarks/real_logs.py [CASE...]

Logs go through `robotid ingest` and `robotid filter`, then ordinary and weighted least squares and
the SDP. Held out are whole recordings, or the last fifth of the only one. Errors are root mean
squares, as shares of the standard deviation of the joint's torque, averaged over joints; beside
them those of the mean of the training and of the robot file. For the TX40, friction and rotor
inertia stand beside the published ones.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.real_identification import USABLE, beside_published, identify
from tests.test_real_logs import REAL


def main() -> int:
    if not REAL.is_dir():
        print("ROBOTID_REAL_LOGS does not say where real logs are: nothing to measure")
        return 0
    failed = False
    for name in sys.argv[1:] or USABLE:
        began = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="robotid-real-") as folder:
            found = identify(name, Path(folder))
        errors = ", ".join(f"{which} {found.average(which):.3f}" for which in found.errors)
        better = found.average("sdp") < found.average("mean")
        failed |= not found.consistent.converged
        print(
            f"{name}: {found.layout.robot.n} joints, {found.samples[0]} samples, tested on "
            f"{found.samples[1]}: {errors}{'' if better else ' (the mean is better)'}; "
            f"{len(found.consistent.active)} constraints active; "
            f"{time.perf_counter() - began:.0f} s",
            flush=True,
        )
        if name == "tx40":
            for row in beside_published(found):
                value = "only together with a link"
                if row.found is not None:
                    value = f"{row.found:8.4f} ± {1.96 * row.std:.4f}"
                print(f"  {row.name:5} published {row.published:8.4f}, found {value}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
