"""Run every benchmark and write what it printed to docs/measurements.md.

python benchmarks/all.py [SCRIPT...]    (only these; what the others printed last stays)

Those of real logs are left out where ROBOTID_REAL_LOGS does not say where such are.
The last lines of those about faults go into docs/reliability.md, too.
"""

import os
import platform
import re
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = HERE.parent / "docs" / "measurements.md"
RELIABLE = HERE.parent / "docs" / "reliability.md"
# script and what it is given -> the question it answers
BENCHMARKS = {
    "startup.py": "How long do help and a run with nothing to do take?",
    "store_overhead.py": "What do verifying and committing add to a stage of 100 MB?",
    "warm_overhead.py": "What does safety cost a run that finds everything in the cache?",
    "cache_keys.py": "Does a key change exactly when it should?",
    "store_kills.py": "What does kill -9 at random moments of 2,000 commits leave behind?",
    "store_faults.py": "What does a fault at every system call of a commit leave behind?",
    "cli_faults.py kills": "What does kill -9 at random moments of whole runs leave behind?",
    "cli_faults.py points": "What do system calls that fail or kill do to whole runs?",
    "cli_faults.py signals": "What do Ctrl-C, SIGTERM and SIGHUP do to whole runs?",
    "cli_faults.py situations": "What do full disks, limits and neighbours do to whole runs?",
    "bit_flips.py": "Is every flipped bit and every cut noticed and mended?",
    "other_caches.py": "What do flipped bits, kill -9 and two writers do to other caches?",
    "determinism.py": "Are results the same bytes, and the same numbers on other processors?",
    "seeded_defects.py": "Do the tests notice defects that are planted?",
    "delivered_flips.py": "Is every damaged input that robotid wrote refused?",
    "soak.py": "What becomes of damaged, treacherous and hostile inputs?",
    "rnea.py": "How fast are batched torques and their gradients?",
    "reading.py": "How fast are CSV and bags read with every check on?",
    "filtering.py": "How fast, how accurate and how large is filtering and differentiating?",
    "fleet.py": "What do memory and one more recording cost with 200 recordings?",
    "cluster.py": "Is a run on a cluster the same, whoever is killed, and how fast is it?",
    "long_log.py": "How much memory does a long log take from CSV to factors?",
    "regressor.py": "How fast is the dense regressor, against Pinocchio in a loop?",
    "information.py": "How fast are information factors, and in how much memory?",
    "friction.py": "What do friction terms cost, and are widths found among candidates?",
    "sdp.py": "How fast and how exact are physically consistent fits, against cvxpy?",
    "parametrised.py": "How near do parametrised fits come to the SDP, and how soon?",
    "recovery.py": "How near do fits come to the truth of simulated logs?",
    "fit.py": "How fast are whole fits, against Adam and a script, and in how much memory?",
    "excitation_gradient.py": "How fast are gradients for designing trajectories?",
    "excitation.py": "How good are designed trajectories, and how soon, against IPOPT and others?",
    "excitation_spread.py": "Do parameters scatter as a design says they will?",
    "excitation_criteria.py": "Which criterion leads to the smallest errors?",
    "forward_recovery.py": "How near do forward models come to the truth from random starts?",
    "real_double_pendulum.py": "How near do forward models come to a real double pendulum?",
    "forward_speed.py": "How fast are forward dynamics with gradients, and rollouts?",
    "forward_energy.py": "Can motions of bounded forward models diverge, or gain energy?",
    "learned_latency.py": "How long does a learned model take for one sample in a control loop?",
    "tracking.py": "How well does a robot follow with fits in its controller?",
    "floating_lagrangian.py": "How fast are floating-base Lagrangian networks with gradients, "
    "against the form of the paper?",
    "deep_lagrangian.py": "How fast are Deep Lagrangian networks with gradients, "
    "against batched autograd?",
    "learned_training.py": "How fast is training of learned torque models, "
    "against stock PyTorch and a peer?",
    "contention.py": "What do 8 processes and a gc do to each other on one cache?",
}
# Benchmarks of logs that are not part of the project: without them, what they printed last stays.
OF_REAL_LOGS = ("real_double_pendulum.py",)
# Benchmarks whose last lines are figures of docs/reliability.md, and how many of them.
RELIABILITY = {
    "store_kills.py": 1,
    "store_faults.py": 1,
    "cli_faults.py kills": 2,
    "cli_faults.py points": 14,
    "cli_faults.py signals": 4,
    "cli_faults.py situations": 20,
    "bit_flips.py": 1,
    "delivered_flips.py": 1,
    "soak.py": 4,
    "determinism.py": 1,
    "seeded_defects.py": 1,
    "contention.py": 1,
    "warm_overhead.py": 1,
    "other_caches.py": 13,
}
FIGURES, AFTER = "## Figures\n", "\n## The cache\n"
SOLVERS = ("clarabel", "cvxpy")
LIBRARIES = (
    "casadi",
    *SOLVERS,
    "dvc",
    "joblib",
    "mujoco",
    "numba",
    "numpy",
    "pin",
    "polars",
    "pyarrow",
    "pydantic",
    "scipy",
    "torch",
    "typer",
)


def kept() -> dict[str, str]:
    """What stands in the document of each script."""
    parts = DOCUMENT.read_text().split("\n## ")[1:] if DOCUMENT.exists() else []
    found = {}
    for script in BENCHMARKS:
        own = [f"## {part.rstrip()}\n" for part in parts if f"`python benchmarks/{script}`" in part]
        found |= dict.fromkeys([script], own[0]) if own else {}
    return found


def measured(script: str) -> tuple[str, bool]:
    """What a benchmark prints, as a section, and whether it met its limits."""
    began = time.perf_counter()
    name, *given = script.split()
    command = [sys.executable, HERE / name, *given]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - began
    print(f"== {script} ({seconds:.0f} s)\n{done.stdout}", flush=True)
    good = done.returncode == 0
    shown = f"```\n{done.stdout.strip()}\n```" + ("" if good else "\n\n**A limit was not met.**")
    return f"## {BENCHMARKS[script]}\n\n`python benchmarks/{script}`\n\n{shown}\n", good


def figures(sections: dict[str, str]) -> str:
    """What the benchmarks of faults say in the end, each with the command that says it."""
    found = [FIGURES, "Written by `make measurements`; do not edit.\n"]
    for script, count in RELIABILITY.items():
        printed = sections.get(script, "").partition("```\n")[2].partition("\n```")[0]
        lines = [line for line in printed.splitlines() if line and not re.fullmatch(r"\d+ s", line)]
        if lines:
            shown = "\n".join(lines[-count:])
            found.append(f"`python benchmarks/{script}`\n\n```text\n{shown}\n```\n")
    return "\n".join(found)


def tell_reliability(sections: dict[str, str]) -> None:
    """Bring the figures in docs/reliability.md up to date."""
    text = RELIABLE.read_text()
    before, _, rest = text.partition(FIGURES if FIGURES in text else AFTER)
    rest = rest.partition(AFTER)[2] if FIGURES in text else rest
    RELIABLE.write_text(f"{before.rstrip()}\n\n{figures(sections)}{AFTER}{rest}")


def heading() -> str:
    """The top of the document: machine and versions."""
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        "# What was measured\n\n"
        "Written by `make measurements`; do not edit. Times are of one machine; ratios count.\n\n"
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
        f"{versions}.\n\n"
    )


def main() -> int:
    here = [name for name in BENCHMARKS if name not in OF_REAL_LOGS]
    wanted = sys.argv[1:] or (list(BENCHMARKS) if "ROBOTID_REAL_LOGS" in os.environ else here)
    unknown = sorted(set(wanted) - set(BENCHMARKS))
    if unknown:
        print(f"no benchmark {unknown[0]}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    sections, failed = {s: t for s, t in kept().items() if sys.argv[1:] or s not in wanted}, 0
    # Before a whole run, which takes hours: a library may be missing. Some scripts need few.
    head = DOCUMENT.read_text().partition("\n## ")[0] + "\n" if sys.argv[1:] else heading()
    for script in wanted:
        sections[script], good = measured(script)
        failed += not good
    ordered = [sections[script] for script in BENCHMARKS if script in sections]
    DOCUMENT.write_text(head + "\n".join(ordered))
    tell_reliability(sections)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
