"""A robot with the ellipsoids of its links, laid out for a template to write as SVG."""

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.reporting.robot_drawing.callouts import (
    Anchor,
    Callout,
    callouts,
    room_for,
    width_for,
)
from robotid.reporting.robot_drawing.ellipsoids import Ellipsoid
from robotid.reporting.robot_drawing.skeleton import Skeleton, shown_pose, skeleton
from robotid.reporting.robot_drawing.views import View, views
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

WIDTH = 520  # of a view [px]
_WIDEST = 300.0  # of it for the robot, between the labels
_GAP = 16.0  # between robot and labels
_HIGHEST = 400.0
_EDGE = 30.0  # above and below; the scale stands in the lower one
_THINNEST = 1.5  # semi-axis that can still be seen [px]
_AXIS = 11.0  # half of the line that hints at an axis [px]
_CROSS = 6.0  # half of a cross [px]
_BAR = 96.0  # the scale is at most so long [px]


class Body(NamedTuple):
    """A link to draw.

    Args:
        name: of the link.
        fitted: its ellipsoid in its own frame; None where there is none.
        nominal: the same of the robot file.
        impossible: whether the fitted one cannot exist: drawn as a cross.
    """

    name: str
    fitted: Ellipsoid | None
    nominal: Ellipsoid | None
    impossible: bool = False


class Load(NamedTuple):
    """What the robot carries: the body it is tied to, and its ellipsoid in that one's frame."""

    body: int
    ellipsoid: Ellipsoid


class Oval(NamedTuple):
    """An SVG ellipse: `kind` is fitted, nominal or load."""

    kind: str
    name: str
    x: float
    y: float
    along: float
    across: float
    angle: float


class Dot(NamedTuple):
    """A joint: its place, the line along its axis, and whether it slides."""

    name: str
    x: float
    y: float
    axis: str
    slides: bool


class Picture(NamedTuple):
    """One view on paper."""

    title: str
    height: float
    bones: str
    ground: tuple[float, float] | None
    dots: list[Dot]
    ovals: list[Oval]
    crosses: list[str]
    labels: list[Callout]


class RobotDrawing(NamedTuple):
    """Both views, at one scale, and links that lie too far away to be drawn."""

    pictures: tuple[Picture, ...]
    bar: float
    bar_text: str
    far: list[str]
    kinds: list[str]
    width: int = WIDTH


class _Placed(NamedTuple):
    """A body with its ellipsoids in the base."""

    name: str
    origin: Array
    fitted: Ellipsoid | None
    nominal: Ellipsoid | None
    impossible: bool

    @property
    def middle(self) -> Array:
        """Where its label points to."""
        shown = self.fitted or self.nominal
        return self.origin if shown is None else shown.centre


def draw_robot(robot: RobotTree, bodies: Sequence[Body], load: Load | None = None) -> RobotDrawing:
    """The robot in a pose that its limits allow.

    Args:
        robot: its tree.
        bodies: one per body of the tree.
        load: what it carries.
    """
    frame = skeleton(robot, shown_pose(robot))
    placed, far = _placed(frame, bodies)
    carried = load and load.ellipsoid.moved(frame.poses[load.body])
    solids = [e for body in placed for e in (body.fitted, body.nominal) if e is not None]
    solids += [carried] if carried else []
    points = _points(frame)
    chosen = views(np.concatenate([points, *[e.centre[None] for e in solids]]), robot.gravity)
    boxes = [_box(view, points, solids) for view in chosen]
    spans = np.array([high - low for low, high in boxes])
    column = width_for((body.name, _note(body)) for body in placed)
    across = min(_WIDEST, WIDTH - 2 * (column + _GAP))
    scale = float(
        min(across / max(spans[:, 0].max(), 1e-6), _HIGHEST / max(spans[:, 1].max(), 1e-6))
    )
    inside = max(float(spans[:, 1].max()) * scale, room_for(len(placed)), 60.0)
    length = bar_length(_BAR / scale)
    kinds = {
        "fitted": any(body.fitted for body in placed),
        "nominal": any(body.nominal for body in placed),
        "impossible": any(body.impossible for body in placed),
        "load": carried is not None,
    }
    return RobotDrawing(
        pictures=tuple(
            _picture(robot, view, frame, placed, carried, box, scale, (across, inside))
            for view, box in zip(chosen, boxes, strict=True)
        ),
        bar=round(length * scale, 1),
        bar_text=f"{length:g} m" if length >= 1 else f"{100 * length:g} cm",
        far=far,
        kinds=[kind for kind, there in kinds.items() if there],
    )


def bar_length(longest: float) -> float:
    """The greatest of 1, 2, 5 times a power of ten that is not longer."""
    power = 10.0 ** floor(log10(longest))
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= longest * (1 + 1e-9))


def _placed(frame: Skeleton, bodies: Sequence[Body]) -> tuple[list[_Placed], list[str]]:
    """Bodies in the base; fitted ones farther away than the robot is large are left out."""
    moved = [
        _Placed(
            body.name,
            pose[:3, 3],
            body.fitted and body.fitted.moved(pose),
            body.nominal and body.nominal.moved(pose),
            body.impossible,
        )
        for body, pose in zip(bodies, frame.poses, strict=True)
    ]
    given = [body.nominal for body in moved if body.nominal is not None]
    known = np.concatenate([_points(frame), *[e.centre[None] for e in given]])
    low, high = known.min(axis=0), known.max(axis=0)
    size = float(np.linalg.norm(high - low)) + max([e.reach for e in given], default=0.0)
    kept: list[_Placed] = []
    far: list[str] = []
    for body in moved:
        solid = body.fitted
        away = solid and np.linalg.norm(solid.centre - 0.5 * (low + high)) + solid.reach
        too_far = away is not None and bool(away > size)
        far += [body.name] if too_far else []
        kept.append(body._replace(fitted=None) if too_far else body)
    return kept, far


def _points(frame: Skeleton) -> Array:
    return np.concatenate(
        [frame.poses[:, :3, 3], frame.bones.reshape(-1, 3), frame.tips.reshape(-1, 3)]
    )


def _box(view: View, points: Array, solids: Sequence[Ellipsoid]) -> tuple[Array, Array]:
    """Least and greatest coordinates of all that is drawn, shape (2,) each [m]."""
    flat = points @ view.projection.T
    low, high = flat.min(axis=0), flat.max(axis=0)
    for solid in solids:
        outline = solid.seen(view.projection)
        low = np.minimum(low, outline.centre - outline.half)
        high = np.maximum(high, outline.centre + outline.half)
    return low, high


def _picture(
    robot: RobotTree,
    view: View,
    frame: Skeleton,
    placed: Sequence[_Placed],
    carried: Ellipsoid | None,
    box: tuple[Array, Array],
    scale: float,
    room: tuple[float, float],
) -> Picture:
    """One view; `room` is the width and height for the robot, the same in all views [px]."""
    (low, high), (across, inside) = box, room
    middle = np.array([0.5 * WIDTH, _EDGE + 0.5 * inside])

    def at(point: Array) -> Array:
        return middle + scale * (view.projection @ point - 0.5 * (low + high))

    def rounded(point: Array) -> tuple[float, float]:
        x, y = at(point).tolist()
        return round(x, 1), round(y, 1)

    def path(lines: Array) -> str:
        ends = [(at(begin), at(end)) for begin, end in lines]
        return "".join(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" for a, b in ends)

    def oval(kind: str, name: str, solid: Ellipsoid) -> Oval:
        place = at(solid.centre)
        along, across, angle = solid.seen(scale * view.projection).axes
        sizes = (max(along, _THINNEST), max(across, _THINNEST))
        return Oval(kind, name, *(round(float(x), 1) for x in (*place, *sizes, angle)))

    anchors = [Anchor(body.name, *rounded(body.middle), note=_note(body)) for body in placed]
    side = 0.5 * (WIDTH - across) - _GAP
    ovals = [oval("nominal", body.name, body.nominal) for body in placed if body.nominal]
    ovals += [oval("fitted", body.name, body.fitted) for body in placed if body.fitted]
    ovals += [oval("load", "load", carried)] if carried else []
    return Picture(
        title=view.title,
        height=round(inside + 2 * _EDGE, 1),
        bones=path(np.concatenate([frame.bones, frame.tips])),
        ground=None if robot.floating else rounded(np.zeros(3)),
        dots=[
            Dot(
                joint.name,
                *rounded(joint.origin),
                axis=_hint(at(joint.origin), _AXIS * view.projection @ joint.axis),
                slides=joint.kind == "prismatic",
            )
            for joint in frame.joints
        ],
        ovals=ovals,
        crosses=[_cross(at(body.middle)) for body in placed if body.impossible],
        labels=callouts(anchors, side, WIDTH - side, _EDGE, _EDGE + inside),
    )


def _note(body: _Placed) -> str:
    return "cannot exist" if body.impossible else ""


def _hint(at: Array, half: Array) -> str:
    return f"M{at[0] - half[0]:.1f} {at[1] - half[1]:.1f}l{2 * half[0]:.1f} {2 * half[1]:.1f}"


def _cross(at: Array) -> str:
    x, y, size = at[0] - _CROSS, at[1] - _CROSS, 2 * _CROSS
    return f"M{x:.1f} {y:.1f}l{size:g} {size:g}m0 {-size:g}l{-size:g} {size:g}"
