"""MJCF from a tree: bodies, joints with limits, inertias, friction and rotor inertia; no shapes.

Links that are tied together are one body, as in the tree.
"""

from xml.sax.saxutils import quoteattr

import numpy as np

from robotid.robot.export_urdf import mass_and_centre, text_of
from robotid.robot.tree import Array, Joint, RobotTree


def mjcf_text(robot: RobotTree, origin: list[str]) -> str:
    """The file.

    Args:
        robot: the tree, with the parameters and frictions to write.
        origin: lines for a comment, without `--`.
    """
    children: dict[int, list[int]] = {body: [] for body in range(-1, robot.bodies)}
    for body, parent in enumerate(robot.parents):
        children[parent].append(body)
    lines = [
        f"<mujoco model={quoteattr(robot.name)}>",
        *(f"  <!-- {line} -->" for line in origin),
        '  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>',
        f'  <option gravity="{text_of(*robot.gravity)}"/>',
        "  <worldbody>",
    ]
    pending: list[tuple[int, int | str]] = [(2, body) for body in reversed(children[-1])]
    while pending:  # a stack: depth first, and what closes a body behind all it carries
        depth, item = pending.pop()
        indent = "  " * depth
        if isinstance(item, str):
            lines.append(indent + item)
            continue
        lines += [indent + line for line in _body(robot, item)]
        pending.append((depth, "</body>"))
        pending += [(depth + 1, body) for body in reversed(children[item])]
    return "\n".join([*lines, "  </worldbody>", "</mujoco>", ""])


def _body(robot: RobotTree, body: int) -> list[str]:
    placement, name = robot.placements[body], robot.links[body]
    quaternion = quaternion_of(placement[:3, :3])
    opening = (
        f'<body name={quoteattr(name)} pos="{text_of(*placement[:3, 3])}" '
        f'quat="{text_of(*quaternion)}">'
    )
    lines = [opening, f"  {_joint(robot.joints[body])}"]
    if robot.phi[body].any():
        mass, centre, i = mass_and_centre(name, robot.phi[body])
        full = text_of(i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
        lines.append(f'  <inertial pos="{text_of(*centre)}" mass="{mass}" fullinertia="{full}"/>')
    return lines


def _joint(joint: Joint) -> str:
    attributes = {
        "type": "slide" if joint.kind == "prismatic" else "hinge",
        "axis": text_of(*joint.axis),
    }
    lower, upper, _, effort = joint.limits
    if joint.kind != "continuous" and np.isfinite([lower, upper]).all() and lower < upper:
        attributes["range"] = text_of(lower, upper)
    if np.isfinite(effort) and effort > 0:
        attributes["actuatorfrcrange"] = text_of(-effort, effort)
    losses = {
        "damping": joint.damping,
        "frictionloss": joint.friction,
        "armature": joint.rotor_inertia,
    }
    attributes |= {name: text_of(value) for name, value in losses.items() if value}
    words = " ".join(f'{name}="{text}"' for name, text in attributes.items())
    return f"<joint name={quoteattr(joint.name)} {words}/>"


def quaternion_of(rotation: Array) -> Array:
    """The unit quaternion (w, x, y, z) of a rotation.

    Every row of 4 q qᵀ can be read off the matrix; the one with the largest entry on its diagonal
    has no cancellation.
    """
    r = rotation
    trace = np.trace(r)
    rows = np.array(
        [
            [1 + trace, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], 1 + 2 * r[0, 0] - trace, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 + 2 * r[1, 1] - trace, r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 + 2 * r[2, 2] - trace],
        ]
    )
    best = rows[int(np.argmax(np.diag(rows)))]
    result: Array = best / np.linalg.norm(best)
    return result
