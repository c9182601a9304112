"""What verifying and committing cost, beside the stage itself.

    python benchmarks/store_overhead.py [--megabytes 100] [--repeat 9]

The stages ingest and filter treat a log of 100 MB (7 joints), each time in a fresh process with a
fresh cache, as their commands do. The time of the stage is that of loading its libraries and of its
function; all the rest of a task is verifying inputs, proving that they did not change, hashing,
syncing and renaming the result. Finding out which files these are (hashing the user's input for the
key, which a cache hit needs too) is printed beside it.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from robotid.runner import execute as execute_module
from robotid.runner.graph import Graph, Node
from robotid.runner.plan import InputResolver, Plan
from robotid.stages.catalog import stage_named
from robotid.store.digests import Digests
from robotid.store.store import Store

JOINTS = 7


def write_log(path: Path, megabytes: int) -> None:
    """A CSV log of smooth motion with noise, close to the wanted size."""
    import numpy as np  # not at the top: a fresh process has to load it as part of the stage

    rng = np.random.default_rng(0)
    names = [f"{s}.j{j}" for j in range(JOINTS) for s in ("q", "qd", "tau")]
    rows = int(megabytes * 1e6 / (9.6 * (1 + len(names))))
    t = np.arange(rows) / 1000.0
    noise = 1e-3 * rng.normal(size=(rows, len(names)))
    signals = np.sin(np.outer(t, rng.uniform(0.5, 3, len(names)))) + noise
    header = ",".join(["t", *names])
    np.savetxt(
        path, np.column_stack([t, signals]), fmt="%.6f", delimiter=",", header=header, comments=""
    )


class Timed:
    """Wraps a function and adds up the time inside it."""

    def __init__(self, function) -> None:
        self._function, self.seconds = function, 0.0

    def __call__(self, *arguments, **keywords):
        began = time.perf_counter()
        try:
            return self._function(*arguments, **keywords)
        finally:
            self.seconds += time.perf_counter() - began


def one_run(name: str, given: str, root: Path) -> dict[str, float]:
    """Run a stage from nothing and say where the time went [s]."""
    stage = stage_named(name)
    run, gather, load = Timed(stage.run), Timed(stage.gather), Timed(execute_module.import_module)
    execute_module.stage_in = lambda _: replace(stage, run=run, gather=gather)
    execute_module.import_module = load
    role = next(iter(stage.inputs))
    node = Node(name=name, stage=stage, config=stage.config(), inputs={role: (given,)})
    store = Store(root)
    resolver = InputResolver(Graph.of([node], Path()), Digests(store))
    began = time.perf_counter()
    plan = Plan(node, resolver.given(node, {}))
    identify = time.perf_counter() - began
    execute = Timed(execute_module.execute)
    for task in plan.tasks.values():
        execute(task, store)
    entries = {part: store.find(name, task.key) for part, task in plan.tasks.items()}
    execute(plan.gather(entries), store)
    function = run.seconds + gather.seconds
    return {
        "function": function,
        "load": load.seconds,
        "around": execute.seconds - function - load.seconds,
        "identify": identify,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, given, root = options.one
        print(json.dumps(one_run(name, given, Path(root))))
        return 0
    folder = Path(tempfile.mkdtemp(prefix="robotid-overhead-"))
    log, cache = folder / "log.csv", folder / "cache"
    write_log(log, options.megabytes)
    robotid = [sys.executable, "-m", "robotid", "ingest", str(log), "--cache-dir", str(cache)]
    subprocess.run(
        [*robotid, "--out", str(folder / "dataset"), "--quiet"], check=True, capture_output=True
    )
    shutil.rmtree(cache)
    failed = False
    for name, given in (("ingest", log), ("filter", folder / "dataset")):
        runs = []
        for _ in range(options.repeat):
            command = [sys.executable, __file__, "--one", name, str(given), str(cache)]
            runs.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
            shutil.rmtree(cache)
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        stage = middle["function"] + middle["load"]
        failed |= middle["around"] > 0.05 * stage
        print(
            f"{name} of a {log.stat().st_size / 1e6:.0f} MB log: stage {stage:.2f} s "
            f"({middle['function']:.2f} s in its function), verify and commit "
            f"{middle['around']:.3f} s = {100 * middle['around'] / stage:.1f} % (at most 5 %), "
            f"{100 * middle['around'] / middle['function']:.1f} % of the function alone; "
            f"identifying the input {middle['identify']:.3f} s"
        )
    shutil.rmtree(folder)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
