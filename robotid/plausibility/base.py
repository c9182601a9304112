"""Whether what is recorded of a base and of contacts can be: frames, gravity, weight.

Each quantity is compared with what it has to be the derivative of, as it is and as it would be if
it were in another frame, or held gravity; the one that fits much better is what it is.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from robotid.plausibility.blocks import Array, Block, Blocks, Kept
from robotid.plausibility.finding import Finding
from robotid.plausibility.report import Report
from robotid.plausibility.signals import setup
from robotid.robot.tree import RobotTree
from robotid.spatial.quaternions import rotation_of, turn_rate, turned, turned_back
from robotid.types import Columns

_SIX = ("x", "y", "z", "rx", "ry", "rz")
_WINDOW_NS = 50_000_000  # over which poses and velocities are differentiated
_FEWEST = 100  # windows
_MUCH = 0.5  # of the motion: how wrong what is stated has to be
_BETTER = 0.25  # of the error of what is stated: how well something else has to fit
_FITS = 0.9  # of a correlation: it is that quantity, but for its size
_OFF = 0.2  # of a ratio of 1
_WEIGHT = (0.5, 2.0)  # of the weight in the robot file: more or less is another unit
_STILL = 1e-6


class _Motion(NamedTuple):
    """Windows of a recording, each of shape (N, 3) but the rotation, (N, 3, 3)."""

    rotation: Array
    shift: Array  # derivative of the position, in the world
    turn: Array  # turn rate of the pose, in base coordinates
    twist: Array | None  # as recorded, (N, 6)
    change: Array | None  # derivative of that, (N, 6)
    acc: Array | None  # as recorded, (N, 6)


class BasePlausibility:
    """Looks at base and contacts while a recording passes by, in bounded memory.

    Args:
        names: columns `base.*` and `contact.*`, in the frames of recordings.
        robot: the robot file; without it forces have no weight to be compared with.
        file: the log, for notices.
    """

    def __init__(self, names: Sequence[str], robot: RobotTree | None, *, file: str | None) -> None:
        self._names, self._robot = list(names), robot
        self._report = Report(setup((), (), None, file, "measured"))
        self._blocks, self._kept = Blocks(self._names), Kept()
        self._force, self._rows = np.zeros(3), 0
        self._finished = False

    def push(self, columns: Columns) -> None:
        """Add rows, in order of time."""
        if self._names:
            for block in self._blocks.push(columns):
                self._add(block)

    def _add(self, block: Block) -> None:
        self._kept.add(block)
        forces = self._forces(block.values)
        if forces is not None:
            good = np.isfinite(forces).all(axis=0)
            self._force += forces[:, good].sum(axis=1)
            self._rows += int(np.count_nonzero(good))

    def _forces(self, values: Array) -> Array | None:
        """Sum of all contact forces in the world, shape (3, rows); None without any."""
        links = {n.rpartition(".")[0] for n in self._names if n.endswith(".fx")}
        if not links:
            return None
        place = {name: row for row, name in enumerate(self._names)}
        return np.array(
            [sum(values[place[f"{link}.f{axis}"]] for link in sorted(links)) for axis in "xyz"]
        )

    def findings(self) -> list[Finding]:
        """What was found; nothing can be added afterwards."""
        if not self._finished:
            self._finished = True
            for block in self._blocks.rest():
                self._add(block)
            self._check()
        return list(self._report.findings)

    def _check(self) -> None:
        has_base = any(name.startswith("base.") for name in self._names)
        if self._robot is not None and self._robot.floating != has_base:
            self._say_who_floats(self._robot)
            return
        place = {name: row for row, name in enumerate(self._names)}
        motion = _motion(self._kept.stretches(), place)
        if motion is not None:
            self._check_velocity(motion)
            self._check_acceleration(motion)
        if self._robot is not None and self._robot.floating:
            self._check_weight(self._robot)

    def _say_who_floats(self, robot: RobotTree) -> None:
        if robot.floating:
            said = f"robot {robot.name} has a floating base, and nothing is recorded of its motion"
            hint = "map [base.pos], [base.quat] and, where there is one, [base.vel]; or hold the "
            self._report.add("base-missing", said, f"{hint}base: --base fixed", refused=True)
            return
        said = f"the log holds the motion of a base, and that of robot {robot.name} is fixed"
        self._report.add("base-of-fixed-robot", said, "let it float: --base floating", refused=True)

    def _check_velocity(self, motion: _Motion) -> None:
        """Compare the recorded twist with the derivative of the pose."""
        if motion.twist is None:
            return
        R = motion.rotation
        for what, given, truth in (
            ("x, y, z", motion.twist[:, :3], turned_back(R, motion.shift)),
            ("rx, ry, rz", motion.twist[:, 3:], motion.turn),
        ):
            other = _other_frame(given, truth, R)
            if other is not None:
                stated = "base" if other == "world" else "world"
                self._report.add(
                    "base-velocity-frame",
                    f"base.vel.({what}) is the change of the pose in {other} coordinates, not in "
                    f"{stated} coordinates",
                    f'write frame = "{other}" for [base.vel] into the map',
                    refused=True,
                )
                return
            self._check_size(what, given, truth)

    def _check_size(self, what: str, given: Array, truth: Array) -> None:
        power, own = float(np.sum(truth**2)), float(np.sum(given**2))
        if min(power, own) < _STILL * len(truth):
            return
        product = float(np.sum(given * truth))
        ratio, alike = product / own, product / np.sqrt(power * own)
        if abs(alike) < _FITS:
            if np.sum((given - truth) ** 2) > power:
                said = f"base.vel.({what}) is not how the pose changes (correlation {alike:.2f})"
                hint = "check columns, order and units of position, quaternion and velocity"
                self._report.add("base-velocity-differs", said, hint)
        elif abs(ratio - 1) > _OFF:
            said = f"the pose changes {ratio:.3g} times as fast as base.vel.({what}) says"
            hint = "correct unit, scale or sign in the map"
            self._report.add("base-velocity-unit", said, hint, refused=True)

    def _check_acceleration(self, motion: _Motion) -> None:
        """Compare a recorded acceleration with the derivative of the twist."""
        if motion.acc is None or motion.change is None or motion.twist is None:
            return
        truth = motion.change[:, :3]
        gravity = np.array([0.0, 0.0, -9.81]) if self._robot is None else self._robot.gravity
        down = turned_back(motion.rotation, np.broadcast_to(gravity, truth.shape))
        given = motion.acc[:, :3]
        stated = float(np.mean((given - truth) ** 2))
        seen = float(np.mean(down**2))
        for held, hint in (
            (-1.0, 'it is what an IMU measures: kind = "proper" for [base.acc]'),
            (1.0, "it does not hold gravity, or with the other sign: correct its kind or scale"),
        ):
            error = float(np.mean((given - truth - held * down) ** 2))
            if stated > _MUCH**2 * seen and error < _BETTER * stated:
                sign = "as an IMU shows it" if held < 0 else "as something that falls does"
                said = f"base.acc holds gravity, {sign}: it differs by that from base.vel's change"
                self._report.add("gravity-in-acceleration", said, hint, refused=True)
                return

    def _check_weight(self, robot: RobotTree) -> None:
        """Compare contact forces with the weight: on average one carries the other."""
        weight = float(robot.phi[:, 0].sum() * np.linalg.norm(robot.gravity))
        if not self._rows:
            if not any(name.endswith(".on") for name in self._names):
                said = f"no contact forces: nothing is known to hold up robot {robot.name}"
                hint = "map [contact.LINK]; without force sensors fit with --contacts projected"
                self._report.add("no-contacts", said, hint)
            return
        up = -robot.gravity / np.linalg.norm(robot.gravity)
        carried = float(self._force @ up) / self._rows
        share = carried / weight
        if -_WEIGHT[1] < share < -_WEIGHT[0]:
            said = f"contacts pull with {-carried:.4g} N on average, and the weight is {weight:.4g}"
            self._report.add(
                "contact-sign",
                f"{said} N: these are forces of the robot on the ground",
                "flip them: scale = -1 in the map",
                refused=True,
            )
        elif not _WEIGHT[0] < share < _WEIGHT[1]:
            self._report.add(
                "contact-scale",
                f"contacts carry {carried:.4g} N on average, and the robot weighs {weight:.4g} N "
                f"({robot.phi[:, 0].sum():.4g} kg)",
                "is a contact missing, or in another unit or frame? correct [contact.LINK]",
                refused=True,
            )


def _other_frame(given: Array, truth: Array, rotation: Array) -> str | None:
    """The frame that fits much better than that of the base, if one does."""
    stated = float(np.sum((given - truth) ** 2))
    power = float(np.sum(truth**2))
    if stated < _MUCH**2 * power or power < _STILL * len(truth):
        return None
    # Said to be in base coordinates and in fact in the world's; or the other way round.
    other = {"world": turned_back(rotation, given), "base": turned(rotation, given)}
    errors = {name: float(np.sum((x - truth) ** 2)) for name, x in other.items()}
    best = min(errors, key=lambda name: errors[name])
    return best if errors[best] < _BETTER * stated else None


def _motion(kept: Sequence[Block], place: Mapping[str, int]) -> _Motion | None:
    """Derivatives over short windows; None where pose and windows are too few."""
    pose = [f"base.pos.{end}" for end in "xyz"], [f"base.quat.{end}" for end in "xyzw"]
    if not all(name in place for names in pose for name in names):
        return None
    position, quaternion = ([place[name] for name in names] for names in pose)
    twist, acc = (_all(place, f"base.{part}.") for part in ("vel", "acc"))
    parts: dict[str, list[Array]] = {}
    for block in kept:
        if len(block.t) < 16:
            continue
        width = max(1, round(_WINDOW_NS / max(1.0, float(np.median(np.diff(block.t)))) / 2))
        if len(block.t) <= 2 * width + 1:
            continue
        middle, before, after = (
            slice(width, -width), slice(None, -2 * width), slice(2 * width, None),
        )  # fmt: skip
        step_s = ((block.t[after] - block.t[before]) / 1e9)[:, None]
        values = block.values.T
        good = np.isfinite(values[middle]).all(axis=1)
        good &= np.isfinite(values[before]).all(axis=1) & np.isfinite(values[after]).all(axis=1)
        own = {
            "quaternion": values[middle][:, quaternion],
            "shift": (values[after] - values[before])[:, position] / step_s,
            "spin": (values[after] - values[before])[:, quaternion] / step_s,
        }
        if twist:
            own["twist"] = values[middle][:, twist]
            own["change"] = (values[after] - values[before])[:, twist] / step_s
        if acc:
            own["acc"] = values[middle][:, acc]
        for name, array in own.items():
            parts.setdefault(name, []).append(array[good])
    whole = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    if not whole or len(whole["shift"]) < _FEWEST:
        return None
    return _Motion(
        rotation=rotation_of(whole["quaternion"]),
        shift=whole["shift"],
        turn=turn_rate(whole["quaternion"], whole["spin"]),
        twist=whole.get("twist"),
        change=whole.get("change"),
        acc=whole.get("acc"),
    )


def _all(place: Mapping[str, int], prefix: str) -> list[int]:
    """Rows of all six columns of a prefix; none unless all are there."""
    names = [f"{prefix}{end}" for end in _SIX]
    return [place[name] for name in names] if all(name in place for name in names) else []
