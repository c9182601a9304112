"""The problem of a design written in torch, as one would by hand, for those who use autograd."""

import numpy as np
import torch

from robotid.dynamics.regressor import joint_torque_regressor
from robotid.excitation.problem import Problem

SHARPNESS = 1e5  # of largest eigenvalues, for those who cannot raise it: where ours ends


class AutogradProblem:
    """Criterion and torques of a problem, written in torch as one would by hand."""

    def __init__(self, problem: Problem) -> None:
        """Take over the problem: maps, scales, and columns of friction."""
        self._problem, layout = problem, problem.recipe.target.layout
        self._robot, self._layout = problem.robot, layout
        maps = problem.space.maps(problem.recipe.samples)
        M = np.zeros((3 * problem.recipe.samples, problem.robot.n, problem.space.size))
        for i, (matrix, part) in enumerate(zip(maps.matrices, maps.parts, strict=True)):
            M[:, i, part] = matrix
        self._M, self._m = torch.tensor(M), torch.tensor(np.stack(maps.offsets, 1))
        unknowns = problem.recipe.target
        self._columns = torch.tensor(unknowns.columns)
        weight = problem.recipe.weight / problem.recipe.samples
        self._factor = torch.tensor(
            np.sqrt(weight) * unknowns.scale[None] / problem.recipe.noise[:, None]
        )  # (n, b)
        self._eye = torch.eye(problem.robot.n, dtype=torch.float64)
        driven = problem.robot.driven
        self._own = [(c.motor.members[0][0], c.term, c.saturation or 1.0) for c in layout.own]
        self._phi = torch.tensor(problem.robot.phi.ravel())
        self._damping = torch.tensor([joint.damping for joint in driven], dtype=torch.float64)
        self._rotor = torch.tensor([joint.rotor_inertia for joint in driven], dtype=torch.float64)

    def _motion(self, x: torch.Tensor) -> torch.Tensor:
        return (self._M @ x + self._m).reshape(3, self._problem.recipe.samples, -1)

    def objective(self, x: np.ndarray, sharpness: float) -> tuple[float, np.ndarray]:
        """Criterion and gradient."""
        given = torch.tensor(x, requires_grad=True)
        q, qd, qdd = self._motion(given)
        Y = joint_torque_regressor(self._robot, q, qd, qdd)
        terms = {"viscous": lambda j, _: qd[:, j], "rotor": lambda j, _: qdd[:, j]}
        terms["coulomb"] = lambda j, width: torch.clamp(qd[:, j] / width, -1.0, 1.0)
        terms["offset"] = lambda j, _: torch.ones_like(qd[:, j])
        own = torch.stack(
            [terms[t](j, width)[:, None] * self._eye[j] for j, t, width in self._own], 2
        )
        rows = torch.cat([Y, own], 2)[:, :, self._columns] * self._factor
        rows = rows.reshape(-1, rows.shape[-1])
        A = rows.T @ rows + torch.tensor(self._problem.given)
        value = self._criterion(A, np.sqrt(sharpness))
        (slope,) = torch.autograd.grad(value, given)
        return float(value.detach()), slope.numpy()

    def _criterion(self, A: torch.Tensor, power: float) -> torch.Tensor:
        name = self._problem.recipe.criterion
        if name == "logdet":
            return -torch.logdet(A) / len(A)
        if name == "trace-inv":
            return torch.log(torch.trace(torch.linalg.inv(A)) / len(A))
        logs = torch.log(torch.linalg.eigvalsh(A))
        if np.isinf(power):
            return -logs[0] if name == "mineig" else 0.5 * (logs[-1] - logs[0])
        size = np.log(len(A))
        worst = (torch.logsumexp(-power * logs, 0) - size) / power
        if name == "mineig":
            return worst
        return 0.5 * (worst + (torch.logsumexp(power * logs, 0) - size) / power)

    def _shares(self, x: torch.Tensor) -> torch.Tensor:
        q, qd, qdd = self._motion(x)
        torques = joint_torque_regressor(self._robot, q, qd, qdd) @ self._phi
        return (torques + self._rotor * qdd + self._damping * qd) / torch.tensor(
            0.99 * self._problem.torque_room
        )

    def curved_values(self, x: np.ndarray) -> np.ndarray:
        """Torques as shares."""
        with torch.no_grad():
            return self._shares(torch.tensor(x)).numpy().ravel()

    def curved_jacobian(self, x: np.ndarray) -> np.ndarray:
        """Their derivatives: a pass per joint to the motion, then the map to x."""
        motion = self._motion(torch.tensor(x)).requires_grad_()
        q, qd, qdd = motion
        torques = joint_torque_regressor(self._robot, q, qd, qdd) @ self._phi
        shares = (torques + self._rotor * qdd + self._damping * qd) / torch.tensor(
            0.99 * self._problem.torque_room
        )
        M = self._M.reshape(3, self._problem.recipe.samples, *self._M.shape[1:])
        rows = [
            torch.einsum(
                "osn,osnx->sx", torch.autograd.grad(total, motion, retain_graph=True)[0], M
            )
            for total in shares.sum(0)
        ]
        return torch.stack(rows, 1).reshape(-1, x.size).numpy()


def check_goal(problem: Problem, x: np.ndarray) -> float:
    """How far the criterion in torch is from the compiled one, value and gradient."""
    mine, theirs = problem.objective(x, SHARPNESS), AutogradProblem(problem).objective(x, SHARPNESS)
    return max(abs(mine[0] - theirs[0]), float(np.abs(mine[1] - theirs[1]).max()))
