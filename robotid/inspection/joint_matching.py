"""Which joint of the log is which of the robot: by name, by part of it, by number, in order."""

import re
from collections.abc import Callable, Sequence

_NUMBER = re.compile(r"\d+")


def matched(labels: Sequence[str], joints: Sequence[str]) -> tuple[dict[str, str], str] | None:
    """Names in the robot to those in the log, and how they were matched; None if they cannot be.

    Every label has to find a joint of its own; the robot may have more joints than the log.
    """
    for alike, how in _WAYS:
        by_key: dict[str, list[str]] = {}
        for joint in joints:
            by_key.setdefault(alike(joint), []).append(joint)
        keys = [alike(label) for label in labels]
        if len(set(keys)) == len(keys) and all(k and len(by_key.get(k, ())) == 1 for k in keys):
            found = {by_key[key][0]: label for key, label in zip(keys, labels, strict=True)}
            return {joint: found[joint] for joint in joints if joint in found}, how
    if len(labels) == len(joints):
        return dict(zip(joints, labels, strict=True)), "in order"
    return None


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _without_first_word(name: str) -> str:
    return _plain(re.split(r"[^A-Za-z0-9]+", name, maxsplit=1)[-1])


def _without_joint(name: str) -> str:
    return _plain(name).replace("joint", "")


def _last_number(name: str) -> str:
    numbers = _NUMBER.findall(name)
    return str(int(numbers[-1])) if numbers else ""


_WAYS: tuple[tuple[Callable[[str], str], str], ...] = (
    (str, "by name"),
    (_plain, "by name"),
    (_without_joint, "by name without the word joint"),
    (_without_first_word, "by name without its first word"),
    (_last_number, "by number"),
)
