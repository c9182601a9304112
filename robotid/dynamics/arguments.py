"""What functions are given: checked, completed from the robot, and laid out for the algorithms."""

from typing import NamedTuple

from torch import Tensor

from robotid.dynamics.layout import Batch
from robotid.dynamics.structure import Structure, structure_of
from robotid.errors import UsageError
from robotid.robot.tree import RobotTree


class Arguments(NamedTuple):
    """Arguments as in `layout`, the batch axis last; of size 1 where all samples share them.

    Args:
        tree: tensors of the robot.
        batch: the leading axes of the call.
        q: shape (nq, B).
        phi: shape (10 or 13, bodies, B).
        placements: shape (4, 4, bodies, B).
        gravity: shape (3, B).
    """

    tree: Structure
    batch: Batch
    q: Tensor
    phi: Tensor
    placements: Tensor
    gravity: Tensor


def laid_out(
    robot: RobotTree,
    q: Tensor,
    *,
    phi: Tensor | None = None,
    placements: Tensor | None = None,
    gravity: Tensor | None = None,
    **others: Tensor | None,
) -> Arguments:
    """Arguments of a function of this package.

    Args:
        robot: the robot, which gives what is not given.
        q: configuration, shape (..., nq).
        phi: link parameters, shape (..., bodies, 10 or 13).
        placements: shape (..., bodies, 4, 4).
        gravity: shape (..., 3).
        others: vectors that are only checked, by name.
    """
    shapes = {
        "q": (robot.nq,),
        "qd": (robot.nv,),
        "qdd": (robot.nv,),
        "tau": (robot.nv,),
        "rotor_inertia": (robot.n,),
        "point": (3,),
        "phi": (robot.bodies, 10),
        "placements": (robot.bodies, 4, 4),
        "gravity": (3,),
    }
    if not q.is_floating_point():
        raise UsageError("wrong-dtype", f"q is {q.dtype}, a floating-point type is needed")
    given = {"q": q, "phi": phi, "placements": placements, "gravity": gravity, **others}
    cores = {}
    for name, value in given.items():
        if value is not None:
            _check(robot, name, value, shapes[name], q)
            cores[name] = (value, len(shapes[name]))
    tree, batch = structure_of(robot, q.dtype, q.device), Batch.of(*cores.values())
    return Arguments(
        tree=tree,
        batch=batch,
        q=batch.last(q, 1),
        phi=tree.phi if phi is None else batch.last(phi, 2).movedim(0, 1),
        placements=tree.placements
        if placements is None
        else batch.last(placements, 3).movedim(0, 2),
        gravity=tree.gravity if gravity is None else batch.last(gravity, 1),
    )


def _check(robot: RobotTree, name: str, value: Tensor, wanted: tuple[int, ...], q: Tensor) -> None:
    found = value.shape[-len(wanted) :]
    if found != wanted and not (name == "phi" and found == (robot.bodies, 13)):
        shape = ", ".join(map(str, wanted))
        raise UsageError(
            "wrong-shape",
            f"{name} has shape {tuple(value.shape)}, robot {robot.name} needs (..., {shape})",
        )
    if value.dtype != q.dtype or value.device != q.device:
        raise UsageError(
            "mixed-dtypes",
            f"{name} is {value.dtype} on {value.device}, q is {q.dtype} on {q.device}",
            hint="convert them to one type; float64 is right for identification",
        )
