"""Flip bits and cut files in every kind of stored artefact; each must be noticed and mended.

    python benchmarks/bit_flips.py [--flips 300] [--cuts 100] [--runs 10]

A pipeline with every kind of result fills a cache. Then one file at a time is damaged, and the
store must not serve it. After some of the damages of each file the pipeline is run again: the
damage must be reported, and all results must have the bytes they had before.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from inline import run_inline

from robotid.runner.pipeline import load_pipeline
from robotid.runner.result import RunResult
from robotid.store.store import Store

EVERYTHING = Path(__file__).parent / "faults" / "every_artefact.toml"


def flipped(data: bytes, chance: random.Random) -> bytes:
    bit = chance.randrange(8 * len(data))
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


def damages(data: bytes, flips: int, cuts: int, chance: random.Random):
    """Damaged versions of some bytes: random single bits, and cuts at equal distances."""
    for _ in range(flips):
        yield flipped(data, chance)
    for step in range(cuts):
        yield data[: len(data) * step // cuts]


def damage(path: Path, data: bytes, *, in_place: bool) -> None:
    """Damage a file, in place (with all its names in the cache) or under this name only."""
    if in_place:
        path.chmod(0o644)
    else:
        path.unlink()
    path.write_bytes(data)


def artefacts(first: RunResult, root: Path):
    """Label, entry and name of every stored file; for that of a part also the gathered entry."""
    for stage in first.stages:
        name = stage.node.name
        for file in sorted([*stage.entry.manifest.files, "manifest.json"]):
            yield f"{name}/{file}", stage.entry.path, file, None
        if len(stage.keys) > 1:
            part = Store(root).place(stage.node.stage.name, stage.keys[0])
            for file in sorted(path.name for path in part.iterdir()):
                yield f"{name}[part]/{file}", part, file, stage.entry.path


def served(root: Path, entry: Path) -> bool:
    """Whether the store would hand out an entry; this leaves it where it is."""
    store = Store(root, readonly=True)
    found = store.find(entry.parents[1].name, entry.name)
    return found is not None and store.verify(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flips", type=int, default=300)
    parser.add_argument("--cuts", type=int, default=100)
    parser.add_argument("--runs", type=int, default=10, help="runs of the pipeline per file")
    parser.add_argument("--until", help="the last stage to damage")
    options = parser.parse_args()
    chance = random.Random(0)
    root = Path(tempfile.mkdtemp(prefix="robotid-flips-"))
    graph = load_pipeline(EVERYTHING)
    graph = graph if options.until is None else graph.until(options.until)
    first, _ = run_inline(graph, Store(root))
    contents = {stage.node.name: stage.entry.manifest.content for stage in first.stages}
    # The control: without damage nothing runs and nothing is reported.
    again, executed = run_inline(graph, Store(root))
    assert not executed and not again.notices
    missed = wrong = total = mended = 0
    every = max(1, (options.flips + options.cuts) // options.runs)
    for label, entry, file, gathered in artefacts(first, root):
        path, count, found, runs, right = entry / file, 0, 0, 0, 0
        sound = path.read_bytes()
        assert served(root, entry)
        for data in damages(sound, options.flips, options.cuts, chance):
            damage(path, data, in_place=count % 2 == 0)
            found += not served(root, entry)
            if count % every == 0:
                if gathered is not None:  # so that the part is needed again
                    shutil.rmtree(gathered)
                result, _ = run_inline(graph, Store(root))
                now = {s.node.name: s.entry.manifest.content for s in result.stages if s.entry}
                said = any(notice.code == "cache-damaged" for notice in result.notices)
                right += said and now == contents and result.exit_code == first.exit_code
                runs += 1
                shutil.rmtree(root / "quarantine", ignore_errors=True)
            else:
                damage(path, sound, in_place=True)
            count += 1
        print(f"  {label}: {count} damages, {found} found; {runs} runs, {right} mended", flush=True)
        missed, wrong, total = missed + count - found, wrong + runs - right, total + count
        mended += right
    shutil.rmtree(root)
    print(
        f"bit flips and cuts: {total} damages, {missed} missed; after {mended + wrong} of them the "
        f"pipeline was run, {wrong} not mended"
    )
    return int(bool(missed or wrong))


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
