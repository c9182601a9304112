"""What the robot is said to hold, joints or its base, as recordings have it."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from robotid.contracts.recording import inspect_recording, iterate_recording
from robotid.errors import Notice
from robotid.robot.tree import RobotTree

_STILL = 0.02  # [rad or m]: sensors and what gives way move a joint by less


def moving_locks(path: Path, locked: Mapping[str, float]) -> list[Notice]:
    """A remark for each joint that is locked and moves all the same, or stands elsewhere.

    Args:
        path: of a recording.
        locked: where joints are held [rad or m].
    """
    names, _ = inspect_recording(path)
    held = {f"q.{joint}": value for joint, value in locked.items() if f"q.{joint}" in names}
    if not held:
        return []
    low, high = np.full(len(held), np.inf), np.full(len(held), -np.inf)
    for batch in iterate_recording(path, list(held)):
        q = np.stack([batch[name] for name in held])
        low, high = np.minimum(low, q.min(axis=1)), np.maximum(high, q.max(axis=1))
    notices = []
    for (name, value), least, most in zip(held.items(), low.tolist(), high.tolist(), strict=True):
        joint = name.removeprefix("q.")
        if most - least > _STILL:
            did = f"moves from {least:.3g} to {most:.3g}"
            hint = "do not lock it, or leave out recordings in which it moves"
        elif max(abs(most - value), abs(least - value)) > _STILL:
            did = f"stands at {0.5 * (least + most):.3g}"
            hint = f"lock it where it stands: {joint}={0.5 * (least + most):.4g}"
        else:
            continue
        said = f"joint {joint} is locked at {value:g} and {did} in recording {path.stem}"
        notices.append(Notice(code="locked-joint-moves", message=said, joint=joint, hint=hint))
    return notices


def base_not_used(path: Path, robot: RobotTree) -> list[Notice]:
    """A remark where a recording holds the motion of a base, and the robot has a fixed one."""
    names, _ = inspect_recording(path)
    if robot.floating or not any(name.startswith("base.") for name in names):
        return []
    said = f"recording {path.stem} holds the motion of a base, that of robot {robot.name} is fixed"
    hint = "let it float: --base floating; fixed, it may not have moved"
    return [Notice(code="base-not-used", message=said, hint=hint)]
