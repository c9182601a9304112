"""How a fit came about: digests of what went in, versions, and commands that make it again."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from robotid.contracts.dataset import MadeBy
from robotid.contracts.fit_data import Provenance

# What stands for files in commands: what each stage writes, which the next one takes.
_WRITES = {"ingest": "DATASET", "filter": "FILTERED", "sample": "SAMPLES", "fit": "FIT"}

_MEANINGS = {
    "LOGS": "the logs, one for each recording",
    "MAP": "the map of their columns; its content is in dataset.json, under made_by",
    "ROBOT": "the robot file, or the name of a robot, with digest {robot}",
    "ROBOT_OF_LOGS": "the robot file that the logs were read with, with digest {robot_of_logs}",
    "DATASET": "a new folder for the recordings as they are read",
    "FILTERED": "a new folder for the filtered recordings",
    "SAMPLES": "a new folder for the samples of the state space",
    "TRUE_ROBOT": "the robot file that the samples are of, with digest {true_robot}",
    "UNLOADED_FIT": "the fit without load, with digest {payload_of}",
    "EARLIER_FIT": "the fit that is continued, with digest {update}",
    "FIT": "a new folder for the fit",
}
_DIGITS = 12  # of a digest, enough to tell files apart


def provenance(
    dataset: Sequence[MadeBy],
    options: Mapping[str, Any],
    inputs: Mapping[str, Sequence[str]],
    libraries: Mapping[str, str],
) -> Provenance:
    """The provenance of a fit.

    Args:
        dataset: how its data were made.
        options: configuration keys of the fit that differ from their defaults.
        inputs: digests by role.
        libraries: versions by package.
    """
    fit = MadeBy(stage="fit", options=dict(options), inputs={r: list(d) for r, d in inputs.items()})
    taken = [_WRITES[step.stage] for step in dataset] or ["FILTERED"]
    first = [] if dataset and dataset[0].stage == "sample" else ["LOGS"]
    commands = [
        _command(step, fit.inputs["robot"], given)
        for step, given in zip(dataset, [first, *([word] for word in taken)], strict=False)
    ]
    commands.append(_command(fit, fit.inputs["robot"], taken[-1:]))
    return Provenance(
        inputs=fit.inputs,
        libraries=dict(libraries),
        commands=commands,
        placeholders=_placeholders(commands, dataset, fit),
    )


def _placeholders(
    commands: Sequence[str], dataset: Sequence[MadeBy], fit: MadeBy
) -> dict[str, str]:
    """What the words in capitals stand for, in the order in which they are needed."""
    of_logs = [digest for step in dataset for digest in step.inputs.get("robot", [])]
    true = [digest for step in dataset for digest in step.inputs.get("true_robot", [])]
    digests = {**fit.inputs, "robot_of_logs": of_logs, "true_robot": true}
    shown = {role: found[0][:_DIGITS] for role, found in digests.items() if found}
    words = dict.fromkeys(word for command in commands for word in shlex.split(command))
    return {word: _MEANINGS[word].format_map(shown) for word in words if word in _MEANINGS}


def _command(step: MadeBy, robot: Sequence[str], taken: Sequence[str]) -> str:
    """A command for a shell; `robot` is the digest of the file that ROBOT stands for.

    `taken` are words for what the stage takes first, if anything.
    """
    words = ["robotid", step.stage, *taken]
    options = dict(step.options)
    if options.pop("columns", None) is not None:  # a map may be a file, or a table of a pipeline
        words += ["--map", "MAP"]
    if "robot" in step.inputs:
        words += ["--robot", "ROBOT" if step.inputs["robot"] == robot else "ROBOT_OF_LOGS"]
    if "true_robot" in step.inputs:
        words += ["--true-robot", "TRUE_ROBOT"]
    if "payload_of" in step.inputs:
        words += ["--payload-of", "UNLOADED_FIT"]
    if "update" in step.inputs:
        words += ["--update", "EARLIER_FIT"]
    for key, value in options.items():
        words += _flag(key, value)
    return shlex.join([*words, "--out", _WRITES[step.stage]])


def _flag(key: str, value: Any) -> list[str]:
    """A configuration key as the command line takes it; of a list, each entry for itself."""
    flag = "--" + key.replace("_", "-")
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag[2:]}"]
    if isinstance(value, list):
        # An empty text stands for no entry at all, where there are some by default.
        return [f"{flag}={entry}" for entry in value or [""]]
    return [f"{flag}={value}"]
