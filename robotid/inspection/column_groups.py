"""Columns that are one signal of several joints: what they have in common, and what differs.

`Position1 … Position7` are numbered; `- arm_1_joint_position`, `- torso_lift_joint_position` are
told apart by names.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from robotid.inspection.column_words import NameFacts, read_name, words_of
from robotid.inspection.survey import ColumnFacts, StreamFacts
from robotid.logs.log import Kind

_NUMBER = re.compile(r"\d+")


class Group(NamedTuple):
    """Columns of one signal.

    Args:
        stream: where they are.
        pattern: their names with `{n}`, `{i}` or `{joint}`; None if no pattern gives them.
        labels: what tells them apart: numbers or names of joints.
        columns: in the order of the labels.
        facts: what their names say.
        file: the name of the file, in a folder of several.
    """

    stream: StreamFacts
    pattern: str | None
    labels: tuple[str, ...]
    columns: tuple[ColumnFacts, ...]
    facts: NameFacts
    file: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def shown(self) -> str:
        """What the columns are called, in short."""
        return self.pattern or ", ".join(self.names[:4]) + (", …" if len(self.names) > 4 else "")

    @property
    def dead(self) -> bool:
        """Whether no column ever changes."""
        return all(column.constant or not column.values for column in self.columns)


def groups_of(stream: StreamFacts, *, folder: bool, robot: Sequence[str] = ()) -> list[Group]:
    """Every signal of joints that names of columns speak of, in the order of the file.

    Args:
        stream: what was seen of it.
        folder: whether the log is a folder of files, whose names may say what is in them.
        robot: names of its joints.
    """
    path = stream.place.log.path
    context = (stream.place.stream.name, *([path.stem] if folder else []))
    classes: dict[tuple[object, ...], list[ColumnFacts]] = {}
    facts: dict[str, NameFacts] = {}
    for column in stream.columns:
        if column.kind not in (Kind.FLOAT, Kind.INT):
            continue
        said = read_name(_without_joint(column.name, robot), context)
        if said.signal in (None, "time"):
            continue
        facts[column.name] = said
        key = (said.signal, said.marks, said.unit, column.unit)
        classes.setdefault(key, []).append(column)
    found: list[Group] = []
    for columns in classes.values():
        for pattern, labels, chosen in _split(columns, robot):
            name = Path(path).name if folder else None
            found.append(Group(stream, pattern, labels, chosen, facts[chosen[0].name], name))
    return found


_Split = tuple[str | None, tuple[str, ...], tuple[ColumnFacts, ...]]


def _without_joint(name: str, robot: Sequence[str]) -> str:
    """The name without that of a joint, so that `motor_speed_joint` is not taken for a word."""
    inside = [joint for joint in robot if joint in name]
    return name.replace(max(inside, key=len), "", 1) if inside else name


def _split(columns: Sequence[ColumnFacts], robot: Sequence[str]) -> list[_Split]:
    """Columns that say the same: numbered ones, or named ones, or several such groups."""
    if len(columns) == 1:
        name = columns[0].name
        inside = [joint for joint in robot if joint in name]
        if inside and "{" not in name:
            joint = max(inside, key=len)
            return [(name.replace(joint, "{joint}", 1), (joint,), tuple(columns))]
        numbered = bool(_NUMBER.search(name))
        return [(name, ("1",) if not numbered else (_NUMBER.findall(name)[-1],), tuple(columns))]
    numbered_groups = _numbered(columns)
    by_name = _named(columns, robot)
    of_robot = by_name is not None and bool(set(by_name[1]) & set(robot))
    if len(numbered_groups) == 1 and len(numbered_groups[0][2]) == len(columns):
        return [by_name] if by_name is not None and of_robot else numbered_groups
    covered = sum(len(chosen) for *_, chosen in numbered_groups) == len(columns)
    alike = covered and len({labels for _, labels, _ in numbered_groups}) == 1
    if by_name is not None and (of_robot or not alike):
        return [by_name]
    rest = [c for c in columns if not any(c in chosen for _, _, chosen in numbered_groups)]
    return [*numbered_groups, *(part for c in rest for part in _split([c], robot))]


def _numbered(columns: Sequence[ColumnFacts]) -> list[_Split]:
    """Columns whose names differ in one number, the last one in which several differ."""
    members: dict[tuple[str, str], dict[int, ColumnFacts]] = {}
    for column in columns:
        for match in _NUMBER.finditer(column.name):
            key = (column.name[: match.start()], column.name[match.end() :])
            members.setdefault(key, {}).setdefault(int(match[0]), column)
    found: list[_Split] = []
    taken: set[str] = set()
    # The number that stands furthest back counts, as in arm2_q[0].
    for (head, tail), by_number in sorted(members.items(), key=lambda item: -len(item[0][0])):
        chosen = {n: c for n, c in sorted(by_number.items()) if c.name not in taken}
        if len(chosen) < 2:
            continue
        numbers = list(chosen)
        taken |= {column.name for column in chosen.values()}
        first = numbers[0]
        pattern = None
        if (
            "{" not in head + tail
            and first in (0, 1)
            and numbers == list(range(first, first + len(numbers)))
        ):
            pattern = f"{head}{{{'i' if first == 0 else 'n'}}}{tail}"
            if any(c.name != f"{head}{n}{tail}" for n, c in chosen.items()):
                pattern = None  # numbers with zeros in front
        found.append((pattern, tuple(map(str, numbers)), tuple(chosen.values())))
    order = {column.name: place for place, column in enumerate(columns)}
    return sorted(found, key=lambda part: order[part[2][0].name])


def _named(columns: Sequence[ColumnFacts], robot: Sequence[str]) -> _Split | None:
    """Columns whose names differ in one part that is neither all nor nothing of them."""
    names = [column.name for column in columns]
    head = _common_start(names)
    tail = _common_start([name[len(head) :][::-1] for name in names])[::-1]
    for joint in robot:  # names of joints may begin or end alike
        for name in names:
            at = name.find(joint)
            if at >= 0:
                head = head[:at]
                tail = tail[-(len(name) - at - len(joint)) :] if at + len(joint) < len(name) else ""
    head, tail = _at_word_end(head, names[0]), _at_word_start(tail, names[0])
    labels = tuple(name[len(head) : len(name) - len(tail)] for name in names)
    if not all(labels) or "{" in head + tail or not _says(f"{head} {tail}"):
        return None
    return f"{head}{{joint}}{tail}", labels, tuple(columns)


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    return first[: next((i for i, c in enumerate(first) if c != last[i : i + 1]), len(first))]


def _says(text: str) -> bool:
    """Whether words name a signal, and not weakly."""
    said = read_name(text)
    return said.signal is not None and not said.weak


def _at_word_end(head: str, name: str) -> str:
    """What names have in common in front, cut where a whole word of the signal ends."""
    ends = [w.end for w in words_of(name) if w.end <= len(head) and _says(w.text)]
    if not ends:
        # No signal in it: only what is no word at all, as in "- arm_1".
        return head[: len(head) - len(head.lstrip(" -_./"))]
    end = ends[-1]
    while end < len(head) and not head[end].isalnum():
        end += 1
    return head[:end]


def _at_word_start(tail: str, name: str) -> str:
    """The same at the end of names."""
    first = len(name) - len(tail)
    starts = [w.start for w in words_of(name) if w.start >= first and _says(w.text)]
    if not starts:
        return tail[len(tail.rstrip(" -_./])")) :] if tail else ""
    start = starts[0]
    while start > first and not name[start - 1].isalnum():
        start -= 1
    return name[start:]
