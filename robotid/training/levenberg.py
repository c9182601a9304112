"""Damped Gauss-Newton steps on all samples (Levenberg-Marquardt).

A model has few parameters beside its samples, so the derivatives of every sample fit: one backward
pass per joint gives those of a whole batch.
"""

import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.func import functional_call, jacrev, vmap

from robotid.training.history import Step, Trained
from robotid.training.problem import Problem, Samples

_LARGEST, _LEAST = 1e12, 1e-12  # of the damping
_LITTLE = 5  # steps in a row that gain next to nothing
_FARTHEST = 1.0  # that a step moves any parameter: beyond, its slopes say nothing
_EXACT = 1e-16  # loss that is rounding, of errors in units of their spread


@dataclass(frozen=True)
class LevenbergOptions:
    """How to train.

    Args:
        steps: at most.
        tolerance: relative gain of a step below which it has converged.
        batch: samples whose derivatives are held at a time.
    """

    steps: int = 200
    tolerance: float = 1e-4
    batch: int = 1024


def train_levenberg(problem: Problem, options: LevenbergOptions) -> Trained:
    """Train until nothing is gained; the model keeps the last parameters, which err least.

    So few cannot be overfitted, and a step on the way that happens to suit the validation would
    depend on the start.
    """
    return _Search(problem, options).run()


class _Search:
    def __init__(self, problem: Problem, options: LevenbergOptions) -> None:
        self.problem, self.options = problem, options
        self.names = {name: values.shape for name, values in problem.model.named_parameters()}
        self.began = time.process_time()

    def run(self) -> Trained:
        problem, options = self.problem, self.options
        theta = torch.cat([p.detach().reshape(-1) for p in problem.model.parameters()])
        loss, damping, grown = self._loss(theta, problem.train), 1e-3, 2.0
        history, little = [self._step(0, loss, theta)], 0
        said, converged = f"stopped after {options.steps} steps; allow more", False
        for step in range(1, options.steps + 1):
            H, g = self._normal(theta)
            moved = None
            while moved is None and damping < _LARGEST:
                tried = theta + self._towards(H, g, damping)
                found = self._loss(tried, problem.train)
                if math.isfinite(found) and found < loss:
                    moved = tried
                else:
                    damping, grown = damping * grown, grown * 2.0
            if moved is None:
                said, converged = "converged: no step is better", step > 1
                break
            gained, theta, loss = 1.0 - found / loss, moved, found
            damping, grown = max(damping / 5.0, _LEAST), 2.0
            history.append(self._step(step, loss, theta))
            little = little + 1 if gained < options.tolerance else 0
            if loss < _EXACT:
                said, converged = "converged: what is left is rounding", True
                break
            if little == _LITTLE:
                said, converged = f"converged: a step gains less than {options.tolerance:g}", True
                break
        self._assign(theta)
        last = history[-1]
        return Trained(last.validation, last.step, converged, said, tuple(history))

    def _step(self, number: int, loss: float, theta: Tensor) -> Step:
        spent = time.process_time() - self.began
        return Step(number, spent, loss, self._loss(theta, self.problem.validation))

    def _named(self, theta: Tensor) -> dict[str, Tensor]:
        parts = theta.split([shape.numel() for shape in self.names.values()])
        return {n: p.reshape(s) for (n, s), p in zip(self.names.items(), parts, strict=True)}

    def _loss(self, theta: Tensor, samples: Samples) -> float:
        return self.problem.loss(samples, self._named(theta))

    def _normal(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """JᵀJ and Jᵀe, of the mean squared error."""
        size, count = len(theta), self.problem.train.qdd.numel()
        H, g = theta.new_zeros(size, size), theta.new_zeros(size)
        for part in self.problem.train.batches(self.options.batch):
            J, e = self._jacobian(theta, part)
            H += J.T @ J
            g += J.T @ e
        return H / count, g / count

    def _jacobian(self, theta: Tensor, part: Samples) -> tuple[Tensor, Tensor]:
        def error(point: Tensor, command: Tensor, q: Tensor, qd: Tensor) -> tuple[Tensor, Tensor]:
            found = functional_call(self.problem.model, self._named(point), (command, q, qd))
            return found, found

        slope = vmap(jacrev(error, has_aux=True), in_dims=(None, 0, 0, 0))
        J, found = slope(theta, part.command, part.q, part.qd)
        weights = self.problem.weights
        J = (J * weights[:, None]).reshape(-1, len(theta)).detach()
        return J, ((found.detach() - part.qdd) * weights).reshape(-1)

    def _towards(self, H: Tensor, g: Tensor, damping: float) -> Tensor:
        """The step, damped in units of each parameter's own curvature."""
        diagonal = H.diagonal()
        own = torch.maximum(diagonal, 1e-9 * diagonal.max())
        root = own.sqrt()
        scaled = H / root / root[:, None] + damping * torch.eye(len(g), dtype=g.dtype)
        found: Tensor = -torch.linalg.solve(scaled, g / root) / root
        return found * (_FARTHEST / max(float(found.abs().max()), _FARTHEST))

    def _assign(self, theta: Tensor) -> None:
        with torch.no_grad():
            for name, values in self._named(theta).items():
                self.problem.model.get_parameter(name).copy_(values)
