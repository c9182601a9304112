"""Stages for tests of the runner: what a stage can do, in its simplest form."""

import os
import random
import signal
import time
from dataclasses import replace
from pathlib import Path

from robotid import progress
from robotid.cores import available
from robotid.errors import BadDataError, Effect, Notice
from robotid.stages.contract import Input, Stage, StageConfig

HERE = "tests.fakes.stages"


class FakeConfig(StageConfig):
    text: str = "x"
    words: tuple[str, ...] = ()
    number: float = 1.0
    seconds: float = 0.0
    title: str = ""


def _content(inputs) -> str:
    texts = []
    for role in sorted(inputs):
        for source in inputs[role]:
            path = source.path
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            texts += [f.read_text() for f in files if f.suffix in (".txt", ".csv", ".json")]
    return "".join(texts)


def emit(config, inputs, out_dir: Path):
    """Write the inputs' text and one's own."""
    progress.report(1, 2, "writing")
    (out_dir / "dataset.json").write_text("{}")
    (out_dir / "a.txt").write_text(_content(inputs) + config.text)
    return []


def slow(config, inputs, out_dir: Path):
    emit(config, inputs, out_dir)
    time.sleep(config.seconds)
    return []


def bulky(config, inputs, out_dir: Path):
    """Some megabytes that do not compress."""
    emit(config, inputs, out_dir)
    content = random.Random(0).randbytes(int(config.number * 1e6))
    (out_dir / "bulk.bin").write_bytes(content)
    return []


def fail(config, inputs, out_dir: Path):
    raise BadDataError("bad", "this never works", file="here.csv", line=3)


def crash(config, inputs, out_dir: Path):
    raise ZeroDivisionError("oops")


def die(config, inputs, out_dir: Path):
    (out_dir / "half.txt").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)


def lossy(config, inputs, out_dir: Path):
    emit(config, inputs, out_dir)
    return [Notice(code="gone", message="ten samples lost", effect=Effect.DATA_LOST)]


def poor(config, inputs, out_dir: Path):
    emit(config, inputs, out_dir)
    return [Notice(code="poor", message="no good", effect=Effect.QUALITY)]


def cores(config, inputs, out_dir: Path):
    """How many cores it may use; it takes its time, so that others run beside it."""
    emit(config, inputs, out_dir)
    time.sleep(config.seconds)
    (out_dir / "a.txt").write_text(str(available()))
    return []


def dice(config, inputs, out_dir: Path):
    emit(config, inputs, out_dir)
    (out_dir / "b.txt").write_bytes(os.urandom(8).hex().encode())
    return []


def part(config, inputs, out_dir: Path):
    """One part: the text in capitals; a text `bad` is refused."""
    text = inputs["files"][0].path.read_text()
    if "bad" in text:
        raise BadDataError("bad", "a bad part", file=str(inputs["files"][0].path))
    (out_dir / "part.txt").write_text(text.upper() + config.text)
    (out_dir / "facts.json").write_text(str(len(text)))
    return []


def gather(config, inputs, parts, out_dir: Path):
    """An index with a title, and a note beside the part that the title begins with."""
    if ":" in config.title:
        name, _, note = config.title.partition(":")
        (out_dir / f"{name}.note").write_text(note)
    sizes = {source.name: (source.path / "facts.json").read_text() for source in parts}
    (out_dir / "dataset.json").write_text(f"{sizes} {config.title}")
    return []


EMIT = Stage(
    name="emit",
    config=FakeConfig,
    inputs={"data": Input("dataset", "DATA", "anything", many=True, optional=True)},
    output="dataset",
    origin=f"{HERE}:EMIT",
    uses=(),
    libraries=(),
    run=emit,
)


def _like(name: str, run) -> Stage:
    return replace(EMIT, name=name, origin=f"{HERE}:{name.upper()}", run=run)


SLOW, FAIL, CRASH, DIE = (
    _like("slow", slow),
    _like("fail", fail),
    _like("crash", crash),
    _like("die", die),
)
BULKY, MANY = _like("bulky", bulky), _like("many", emit)
NUMBERS = replace(_like("numbers", emit), libraries=("numpy",))
LOSSY, POOR, DICE = _like("lossy", lossy), _like("poor", poor), _like("dice", dice)
CORES = _like("cores", cores)
READ = replace(
    EMIT,
    name="read",
    origin=f"{HERE}:READ",
    inputs={"files": Input("file", "FILE", "files", many=True)},
)
NAMED = replace(
    EMIT,
    name="named",
    origin=f"{HERE}:NAMED",
    inputs={"data": Input("dataset", "DATA", "anything", many=True, named=True)},
)
ORDERED = replace(
    NAMED,
    name="ordered",
    origin=f"{HERE}:ORDERED",
    inputs={"data": replace(NAMED.inputs["data"], ordered=True)},
)
TWO = replace(
    EMIT,
    name="two",
    origin=f"{HERE}:TWO",
    inputs={
        "train": Input("dataset", "DATA", "one"),
        "test": Input("dataset", "DATA", "other"),
    },
)
PARTS = replace(
    EMIT,
    name="parts",
    origin=f"{HERE}:PARTS",
    inputs={"files": Input("file", "FILE", "files", many=True, each="")},
    run=part,
    gather=gather,
    part_file="part.txt",
    gather_keys=("title",),
)


def weigh(config, inputs, out_dir: Path):
    """Name and size of a robot file."""
    from robotid.robot.load import load_robot

    path = inputs["robot"][0].path
    (out_dir / "dataset.json").write_text("{}")
    name = load_robot(path).tree.name
    (out_dir / "a.txt").write_text(f"{name} {path.stat().st_size}")
    return []


ROBOT = replace(
    EMIT,
    name="robot",
    origin=f"{HERE}:ROBOT",
    inputs={"robot": Input("robot", "ROBOT", "a robot")},
    run=weigh,
)


def again(config, inputs, out_dir: Path):
    text = inputs["data"][0].path.read_text()
    (out_dir / "part.txt").write_text(text + config.text)
    (out_dir / "facts.json").write_text(str(len(text)))
    return []


AGAIN = replace(
    PARTS,
    name="again",
    origin=f"{HERE}:AGAIN",
    inputs={"data": Input("dataset", "DATA", "what parts wrote", each="*.txt")},
    run=again,
)


def noted(config, inputs, out_dir: Path):
    """A part with the note that lies beside it; a note `bad` is refused."""
    path = inputs["data"][0].path
    note = path.with_suffix(".note")
    text = path.read_text() + (note.read_text() if note.exists() else "")
    if text.endswith("bad"):
        raise BadDataError("bad", "a bad note", file=str(path))
    (out_dir / "part.txt").write_text(text)
    (out_dir / "facts.json").write_text(str(len(text)))
    return []


NOTED = replace(
    PARTS,
    name="noted",
    origin=f"{HERE}:NOTED",
    inputs={"data": Input("dataset", "DATA", "what parts wrote", each="*.txt", beside=".note")},
    run=noted,
)

CATALOG = {
    stage.name: stage.origin
    for stage in (
        EMIT,
        SLOW,
        FAIL,
        CRASH,
        DIE,
        BULKY,
        MANY,
        NUMBERS,
        LOSSY,
        POOR,
        DICE,
        CORES,
        READ,
        NAMED,
        ORDERED,
        TWO,
        PARTS,
        AGAIN,
        NOTED,
        ROBOT,
    )
}
