"""The solids of a robot that distances are measured from: capsules of links, balls about frames."""

from collections.abc import Iterable, Sequence

import numpy as np

from robotid.errors import ConfigError, nearest
from robotid.excitation.clearance import Solid
from robotid.excitation.regions import ALL, capsule_of
from robotid.robot.shapes import link_frames
from robotid.robot.solids import Capsule
from robotid.robot.tree import RobotTree


class Solids:
    """Capsules in the frames of bodies; balls about frames join them when they are asked for.

    Args:
        robot: whose links they are around.
        texts: capsules as the user gives them.
        shapes: those of the robot file, which given ones replace link by link.
    """

    def __init__(self, robot: RobotTree, texts: Iterable[str], shapes: Sequence[Capsule]) -> None:
        self._robot, self._frames = robot, link_frames(robot)
        self.all: list[Solid] = []
        self.of_link: dict[str, list[int]] = {}
        given = [capsule_of(text) for text in texts]
        self.given = {capsule.link for capsule in given}
        chosen = [*given, *(shape for shape in shapes if shape.link not in self.given)]
        links = [capsule.link for capsule in chosen]
        for at, (link, start, end, radius) in enumerate(chosen):
            number = f" ({links[: at + 1].count(link)})" if links.count(link) > 1 else ""
            which = self._add("capsules", link, f"{link}{number}", [start, end], radius)
            self.of_link.setdefault(link, []).append(which)
        self.capsules = len(self.all)

    def check(self, key: str, link: str) -> None:
        """Refuse a name that no link has."""
        if link not in self._frames:
            said = f"{key}: robot {self._robot.name} has no link or frame {link!r}"
            raise ConfigError("unknown-frame", said, hint=nearest(link, self._frames))

    def meant(self, key: str, frame: str, radius: float | None = None) -> list[int]:
        """Solids that a name stands for.

        A radius asks for a ball about the frame. Without one, its capsules are meant, or the point
        itself where it has none; `*` is all capsules, and all moving frames outside of them.
        """
        if frame == ALL:
            moving = [name for name, (body, _) in self._frames.items() if body >= 0]
            outside = [name for name in moving if not self._inside(name)]
            return [*range(self.capsules), *(self._ball(key, name, 0.0) for name in outside)]
        self.check(key, frame)
        if radius is None and frame in self.of_link:
            return self.of_link[frame]
        return [self._ball(key, frame, radius or 0.0)]

    def _inside(self, frame: str) -> bool:
        """Whether the origin of a frame is inside a capsule of its own body."""
        body, placement = self._frames[frame]
        for solid in self.all[: self.capsules]:
            if solid.body == body:
                start, along = solid.ends[0], solid.ends[1] - solid.ends[0]
                way = (placement[:3, 3] - start) @ along / max(float(along @ along), 1e-300)
                nearest_to = start + np.clip(way, 0.0, 1.0) * along
                if np.linalg.norm(placement[:3, 3] - nearest_to) <= solid.radius:
                    return True
        return False

    def _ball(self, key: str, frame: str, radius: float) -> int:
        for which in range(self.capsules, len(self.all)):
            if (self.all[which].name, self.all[which].radius) == (frame, radius):
                return which
        return self._add(key, frame, frame, [(0.0, 0.0, 0.0)] * 2, radius)

    def _add(
        self, key: str, link: str, name: str, ends: Sequence[Sequence[float]], radius: float
    ) -> int:
        self.check(key, link)
        body, placement = self._frames[link]
        there = np.asarray(ends) @ placement[:3, :3].T + placement[:3, 3]
        self.all.append(Solid(link, name, body, there, radius))
        return len(self.all) - 1

    def bare(self) -> list[str]:
        """Bodies with a mass that no capsule is around."""
        around = {self.all[which].body for which in range(self.capsules)}
        heavy = self._robot.phi[:, 0] > 0
        return [n for b, n in enumerate(self._robot.links) if heavy[b] and b not in around]
