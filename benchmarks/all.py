"""Run every benchmark and write what it printed to docs/measurements.md.

python benchmarks/all.py
"""

import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
# script -> the question it answers
BENCHMARKS = {
    "startup.py": "How long do help and a run with nothing to do take?",
    "store_overhead.py": "What do verifying and committing add to a stage of 100 MB?",
    "cache_keys.py": "Does a key change exactly when it should?",
    "store_kills.py": "What does kill -9 at random moments of 500 commits leave behind?",
    "bit_flips.py": "Is every flipped bit and every cut noticed and mended?",
    "rnea.py": "How fast are batched torques and their gradients?",
    "reading.py": "How fast are CSV and bags read with every check on?",
    "filtering.py": "How fast, how accurate and how large is filtering and differentiating?",
    "regressor.py": "How fast is the dense regressor, against Pinocchio in a loop?",
    "information.py": "How fast are information factors, and in how much memory?",
    "sdp.py": "How fast and how exact are physically consistent fits, against cvxpy?",
    "contention.py": "What do 8 processes and a gc do to each other on one cache?",
}
SOLVERS = ("clarabel", "cvxpy")
LIBRARIES = (*SOLVERS, "numba", "numpy", "pin", "polars", "pyarrow", "pydantic", "scipy", "typer")


def main() -> int:
    sections, failed = [], 0
    for script, question in BENCHMARKS.items():
        began = time.perf_counter()
        done = subprocess.run([sys.executable, HERE / script], stdout=subprocess.PIPE, text=True)
        seconds = time.perf_counter() - began
        print(f"== {script} ({seconds:.0f} s)\n{done.stdout}", flush=True)
        failed += done.returncode != 0
        mark = "" if done.returncode == 0 else "\n\n**A limit was not met.**"
        shown = f"```\n{done.stdout.strip()}\n```{mark}\n"
        sections.append(f"## {question}\n\n`python benchmarks/{script}`\n\n{shown}")
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    head = (
        "# What was measured\n\n"
        "Written by `make bench`; do not edit. Times are of one machine; ratios count.\n\n"
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
        f"{versions}.\n\n"
    )
    (HERE.parent / "docs" / "measurements.md").write_text(head + "\n".join(sections))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
