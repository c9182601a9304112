"""Where a finding is: paths of one run, turned into names that any run can read.

A stage names the file it was reading. That may be a user's path, which is different tomorrow, or a
link in a workspace that is gone. What is stored with a result is the role of the input instead, and
whoever shows the finding puts in the path the input has then.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from robotid.errors import Notice
from robotid.runner.task import Task
from robotid.stages.contract import Inputs

_ROLE = re.compile(r"<(\w+)\[(\d+)\]>(.*)", re.DOTALL)


def portable(notices: Iterable[Notice], inputs: Inputs) -> list[Notice]:
    """Findings with inputs named by role: `<logs[0]>` and what follows its path."""
    paths = {
        str(source.path): f"<{role}[{position}]>"
        for role, sources in inputs.items()
        for position, source in enumerate(sources)
    }
    return [replace(notice, file=_renamed(notice.file, paths)) for notice in notices]


def localised(notices: Iterable[Notice], task: Task) -> list[Notice]:
    """Findings with the paths that the inputs of this task have now."""
    return [_localised(notice, task) for notice in notices]


def _localised(notice: Notice, task: Task) -> Notice:
    if notice.file is None:
        return replace(notice, message=f"{task.label}: {notice.message}")
    match = _ROLE.fullmatch(notice.file)
    if match is None:
        return notice
    pieces: Sequence[object] = task.inputs.get(match[1], ())
    position = int(match[2])
    if position >= len(pieces):
        return replace(notice, file=None)
    return replace(notice, file=task.inputs[match[1]][position].place + match[3])


def _renamed(file: str | None, paths: Mapping[str, str]) -> str | None:
    if file is None:
        return None
    for path, name in paths.items():
        if file == path or file.startswith(path + "/"):
            return name + file.removeprefix(path)
    return file
