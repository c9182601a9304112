"""Run the pipelines that carry published figures, and write their tables to docs/results.

python benchmarks/tables.py [TABLE...]          (all, at the size the pipelines state)
python benchmarks/tables.py --paper [TABLE...]  (at the size of the papers: days)

What is in the cache is taken from there, so a run that was stopped goes on where it was; times
are those of computing, also in earlier runs of this script.
"""

import json
import os
import platform
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PROJECT = HERE.parent
RESULTS = PROJECT / "docs" / "results"
OUT = PROJECT / "out" / "tables"
SECONDS = OUT / "seconds.json"
LIBRARIES = ("robotid", "mujoco", "numpy", "scipy", "torch", "clarabel")
_TEN_SEEDS = "sweep.axes.seed.values=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
_SEQUENCES = tuple(
    f"{stage}.batch=1000"
    for stage in ("lstm_2s", "lstm_e2e", "lstm_warm", "lstm_kept", "black_box")
)
_BY_1000 = tuple(f"{stage}.batch=1000" for stage in ("diffbary", "diffnea", "delan"))
_SIX_MINUTES = ("simulate.duration_s=350.0", "simulate.rate_hz=1000.0")


class Table(NamedTuple):
    """A pipeline of a paper.

    Args:
        size: what it is run with.
        paper: what the paper has.
        settings: that make it so.
        why: what differs from the paper and what follows from it.
    """

    size: str
    paper: str
    settings: tuple[str, ...]
    why: str


_ARM = (
    "The paper has a real arm; here it is simulated, with Stribeck friction, elastic joints and "
    "noise. "
)
_LEFT_OVER = (
    "Nearly all that a rigid body leaves here is friction, which a term of the joints or a network "
    "can have. So errors with friction are smaller than on the real arm, hybrids win by more than "
    "published, and a network alone beats a rigid body without friction. Trained beside a network, "
    "a body leaves friction to it, which it did less on the real arm; links stay within 5 % of an "
    "SDP's. Errors of the body in the loss keep friction, too."
)
_CONTROLLED = (
    "The hybrid trained end to end leads with soft gains, as published. With stiffer ones it does "
    "not: its network has learned to see accelerations in past velocities, and does not answer "
    "when a controller asks for one (docs/learned.md). Errors of the body in the loss mend that."
)
_SINES = (
    "The paper has a KUKA iiwa 7 in PyBullet, this has one in MuJoCo; what the paper does not say "
    "is as in an example of its authors, but for batches and rates. "
)
_ORDER = (
    "Samples are passed in the order of time, by 32: inertias that need not be those of a body "
    "then follow each stretch of the motion, away from what others need. That Symm is sooner than "
    "NoStr is due to two of five seeds, and to the size of steps (sutanto_steps). Networks forget, "
    "too, so they need more epochs than published. "
    "In a controller, the truth errs by nothing here, as nothing else disturbs the arm."
)
_REAL = (
    "The arm of the paper is real; ours has Coulomb friction and rotors in its place. How many "
    "epochs bring something depends on how samples are passed; errors at the end do not. Damping "
    "that is learned takes in dry friction, 3.5 N m s/rad in the fifth joint, which has 0.9: at "
    "speed that is too much, and a controller that makes up for it is unstable. The real arm has "
    "torque sensors behind its gears and makes up for friction itself."
)
TABLES = {
    "lutter_26": Table(
        "4000 samples and 6 recordings of 10 s of each of 2 systems, 1 robot each",
        "3 data sets of 2 systems, one of them physical", (),
        "The paper shows motions and says what is to be seen in them, without figures. Its "
        "physical systems are simulated here, with friction, encoders and delays no model has.",
    ),
    "reuss_table1": Table(
        "two recordings of 30 s at 100 Hz, 5 seeds", "of 6 min at 1 kHz, 10 seeds",
        (*_SIX_MINUTES, *_BY_1000, _TEN_SEEDS),
        _ARM + "Models have no friction, so errors are mostly that, larger than on the real arm. A "
        "DeLaN learns these few data by heart, friction and all.",
    ),
    "reuss_table2": Table(
        "52 recordings of 30 s at 100 Hz, 5 seeds", "52 of 6 min at 1 kHz, 10 seeds",
        (*_SIX_MINUTES, "faster_logs.rate_hz=1000.0", *_SEQUENCES, _TEN_SEEDS),
        _ARM + _LEFT_OVER,
    ),
    "reuss_table3": Table(
        "52 recordings of 30 s at 100 Hz, 5 seeds", "52 of 6 min at 1 kHz",
        (*_SIX_MINUTES, *_SEQUENCES),
        _ARM + _CONTROLLED,
    ),
    "reuss_fig2": Table(
        "two recordings of 2 min at 100 Hz, 5 seeds", "of 6 min at 1 kHz, 10 seeds",
        (*_SIX_MINUTES, "alone.batch=1000", "joint.batch=10", "kept.batch=10", _TEN_SEEDS),
        _ARM + "Friction is most of what bodies leave, and joint training lets some of it move "
        "links; errors of the body in the loss keep them.",
    ),
    "sutanto_table1": Table(
        "4 min at 250 Hz, 5 seeds", "4 min at 250 Hz (of its real arm), 5 seeds", (),
        _SINES + _ORDER,
    ),
    "sutanto_steps": Table(
        "4 min at 250 Hz, 5 seeds", "not published: neither batches nor rates", (),
        "Three rows of sutanto_table1 with smaller and with larger steps: which links are learned "
        "sooner depends on these. docs/learned.md says why.",
    ),
    "sutanto_table2": Table(
        "4 min at 250 Hz, 5 seeds", "4 min at 250 Hz, 1 seed", (), _SINES + _REAL
    ),
    "sutanto_online": Table(
        "4 min at 250 Hz, 5 seeds", "4 min at 250 Hz (of its real arm)", (),
        _SINES + "Figure 1 has curves; here they are their medians and ends.",
    ),
    "felan_table2": Table(
        "12,000 training samples of each robot, 900 and 300 steps of batches of 200, 3 seeds",
        "50,000 samples, 2000 and 3000 epochs, 10 seeds",
        ("quadruped_logs.recordings=25", "humanoid_logs.recordings=25", "quadruped.epochs=2000",
         "humanoid.epochs=3000", "quadruped.batch=1000", "humanoid.batch=1000", _TEN_SEEDS),
        "The paper's controllers walk, for thousands of epochs; here bases and joints follow "
        "random series, for a few. Links begin at random, and one start of three is trapped on the "
        "quadruped: the other two are better than all networks, their mean is not. On the humanoid "
        "links are ahead of energies, which have had 300 steps.",
    ),
}  # fmt: skip


def run(name: str, settings: tuple[str, ...]) -> tuple[int, float, int]:
    """Run a pipeline; its exit code, seconds of computing, and tasks whose time is not known."""
    words = [word for one in settings for word in ("--set", one)]
    command = [
        sys.executable, "-m", "robotid", "run", PROJECT / "pipelines" / f"{name}.toml",
        *words, "--out", OUT / name, "--force", "--json",
    ]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT)
    stages = json.loads(done.stdout)["stages"] if done.stdout else []
    known = json.loads(SECONDS.read_text()) if SECONDS.exists() else {}
    known |= {one["key"]: one["seconds"] for one in stages if one["key"] and not one["cached"]}
    SECONDS.parent.mkdir(parents=True, exist_ok=True)
    SECONDS.write_text(json.dumps(known))
    keys = {one["key"] for one in stages}
    return done.returncode, sum(known.get(k, 0.0) for k in keys), len(keys - known.keys())


def seeds(name: str, settings: tuple[str, ...]) -> str:
    """Which seeds a pipeline is run with."""
    axes = tomllib.loads((PROJECT / "pipelines" / f"{name}.toml").read_text())["sweep"]["axes"]
    set_here = dict(one.split("=", 1) for one in settings)
    values = json.loads(set_here.get("sweep.axes.seed.values", str(axes["seed"]["values"])))
    return ", ".join(map(str, values))


def head(name: str, *, paper: bool, took: str) -> str:
    """What a page says before its tables."""
    table = TABLES[name]
    flag = "--paper " if paper else ""
    versions = ", ".join(f"{one} {version(one)}" for one in LIBRARIES)
    size = table.paper if paper else table.size
    full = f" (`python benchmarks/tables.py --paper {name}`)" if table.settings else ""
    own = seeds(name, table.settings if paper else ())
    return "\n".join(
        [
            f"# pipelines/{name}.toml\n",
            f"Written by `python benchmarks/tables.py {flag}{name}`; do not edit.\n",
            f"- Size here: {size}. In the paper: {table.paper}{full}.",
            f"- Seeds: {own} (axis `seed` of the pipeline).",
            f"- It took {took}. Python {platform.python_version()}, {versions}.",
            f"- {table.why}\n",
        ]
    )


def document(name: str, *, paper: bool, seconds: float, unknown: int) -> str:
    """What goes into docs/results."""
    took = f"{seconds / 60:.0f} min of tasks on {os.cpu_count()} cores"
    if unknown:
        took += f", without {unknown} that were there before"
    parts = [head(name, paper=paper, took=took)]
    for file in sorted(
        p for kind in ("table", "comparison") for p in (OUT / name).rglob(f"{kind}.md")
    ):
        text = file.read_text(encoding="utf-8").strip()
        parts.append("\n".join(f"#{ln}" if ln.startswith("#") else ln for ln in text.splitlines()))
    return "\n".join(parts) + "\n"


def main() -> int:
    words = sys.argv[1:]
    paper = "--paper" in words
    wanted = [word for word in words if word != "--paper"] or list(TABLES)
    unknown = sorted(set(wanted) - set(TABLES))
    if unknown:
        print(f"no table {unknown[0]}; there are {', '.join(TABLES)}", file=sys.stderr)
        return 2
    RESULTS.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in wanted:
        code, seconds, missing = run(name, TABLES[name].settings if paper else ())
        if code not in (0, 4):  # fits that are not to be used are among what is compared
            failed.append(name)
            continue
        text = document(name, paper=paper, seconds=seconds, unknown=missing)
        (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
        print(f"docs/results/{name}.md", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
