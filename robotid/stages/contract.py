"""What a stage is: a configuration, the inputs it takes, and a plain function.

    def run(config, inputs, out_dir) -> notices

The function reads `inputs[role]`, writes files into `out_dir` and returns its findings. Caching,
verification, processes and copies for the user are the runner's business.

A stage that treats the parts of an input one by one (the recordings of a dataset) says so with
`Input.each`. Then `run` sees one part at a time, each result is cached on its own, and `gather`
writes what holds them together, such as an index:

    def gather(config, inputs, parts, out_dir) -> notices

The large file of each part (`part_file`) goes into the gathered result under the part's name
without `gather` reading it, so gathering costs next to nothing however long the recordings are.
It sees the other files of each part once, in turn: those of one are gone when the next one comes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from robotid.errors import Notice


class StageConfig(BaseModel):
    """Base of all stage configurations: frozen, no unknown keys, finite numbers only."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True
    )


class Source(NamedTuple):
    """One input: its name where the stage may see names (see `Input.named`), path and digest.

    The digest of a file is its SHA-256, that of a folder covers the names and bytes in it. One that
    is `proven` holds what a stage wrote, byte for byte: a stage need not check that once more.
    """

    name: str
    path: Path
    digest: str
    proven: bool = False


Inputs = Mapping[str, Sequence[Source]]
Run = Callable[[Any, Inputs, Path], Sequence[Notice]]
Gather = Callable[[Any, Inputs, Iterable[Source], Path], Sequence[Notice]]
Check = Callable[[Any, Collection[str]], None]


@dataclass(frozen=True, slots=True)
class Input:
    """What a stage takes under one role.

    Args:
        kind: `file`; `log`, a file or a folder of files that make one recording; `robot`, a robot
            file or the name of one that comes with the package; `report`, its folder or the
            `report.json` in it; or the kind of folder another stage writes (`dataset`, `fit`, …).
            A result of a kind in `FILES_IN` can stand for the files in it.
        metavar: what it is called in a usage line.
        summary: one line for help and messages.
        many: more than one may be given.
        named: the names of the inputs reach the result, so they are part of the cache key.
        ordered: so does their order; else they come by name.
        each: the stage runs once per part: `""` makes every input a part, a pattern such as
            `*.parquet` makes every matching file of the input folder one.
        beside: how the name of a file ends that belongs to the part it lies beside, such as
            `.cut.json` for `a.cut.json` and `a.parquet`. A part need not have one; `run` finds it
            where the part lies, and it is part of the part's cache key.
        optional: none need be given.
        option: on the command line it is an option even where it comes first.
        made_by: the stage whose result is taken where none is given, made from the inputs of the
            same roles and the configuration keys of the same names. It is cached on its own.
        argument: on the command line it is an argument even where others come before it.
        on_demand: a pattern: files of the input folder that are put in place when they are first
            read (see `on_demand`); for stages that read few of many.
    """

    kind: str
    metavar: str
    summary: str
    many: bool = False
    named: bool = False
    ordered: bool = False
    each: str | None = None
    beside: str = ""
    optional: bool = False
    option: bool = False
    made_by: str = ""
    argument: bool = False
    on_demand: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage and everything the runner has to know of it.

    Args:
        name: its name in pipelines and on the command line.
        config: the configuration class.
        inputs: what it takes, by role.
        output: the kind of folder it writes.
        origin: the module that defines it as `STAGE`, or `module:NAME`; worker processes import
            the stage from there.
        uses: the robotid modules and packages its code lives in; their sources are part of the
            cache key, and a test proves that it imports no others.
        libraries: the modules of other packages it imports; the packages' versions are part of the
            key, and a worker imports them while it verifies the inputs.
        extras: the same for packages that need not be there; without one, its absence is part of
            the key.
        run: the function.
        gather: holds the results of the parts together, when an input says `each`.
        part_file: the file of a part's result that becomes `<part name><suffix>` of the gathered
            one; `gather` sees the other files of the parts.
        tolerant: parts with bad data are left out, which is reported, and the others go on.
        gather_keys: configuration keys that only `gather` reads; changing them runs no part again.
        check: refuses keys that do nothing with the roles that inputs are given for, before
            anything runs.
    """

    name: str
    config: type[StageConfig]
    inputs: Mapping[str, Input]
    output: str
    origin: str
    uses: tuple[str, ...]
    libraries: tuple[str, ...]
    run: Run
    gather: Gather | None = None
    part_file: str = ""
    gather_keys: tuple[str, ...] = ()
    tolerant: bool = False
    extras: tuple[str, ...] = ()
    check: Check | None = None

    @property
    def mapped_role(self) -> str | None:
        """The role whose parts the stage treats one by one, if any."""
        return next((role for role, given in self.inputs.items() if given.each is not None), None)


# The file by which a folder of each kind is recognised.
INDEX_FILES: Mapping[str, str] = {
    "comparison": "comparison.json",
    "table": "table.json",
    "dataset": "dataset.json",
    "excitation": "excitation.json",
    "export": "export.json",
    "factors": "factors.json",
    "fit": "fit.json",
    "logs": "truth.json",
    "predictions": "predictions.json",
    "report": "report.json",
    "rollout": "rollout.json",
    "decomposition": "decomposition.json",
    "tracking": "tracking.json",
}

# Kinds of folder whose files another stage may take one by one, as it takes a user's own files.
FILES_IN: Mapping[str, str] = {"logs": "*.csv"}
