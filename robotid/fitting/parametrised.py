"""DiffNEA and DiffBary on an information factor: unconstrained parameters, minimised by Newton.

Steps are those of a trust region with the full Hessian, in a metric that knows what a link is, so
that they do not depend on how a parametrisation scales its entries. Where a consistent
parametrisation has run into a dead end (all principal moments zero, a mass of zero that carries an
inertia), adding a rod to one link leads out; as the loss is convex in phi, there is such a way as
long as phi is not the best.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.fitting.pseudo_inertias import metric, moved_inside, steepest_consistent
from robotid.fitting.rigid_body_loss import Derivatives, RigidBodyLoss
from robotid.fitting.trust_region import best_step, predicted_gain

Array = NDArray[np.float64]
_ROOTS = 1e-2  # [N m s/rad, N m, kg m²]; joint parameters below this count as the same
_FLOOR = 1.0  # metric of entries of theta that phi does not depend on
_MARGIN = 1e-7  # of links that a way out has moved; see `moved_inside`
_INERTNESS = 1e-9  # share of the loss that a way of length 1 has to gain; else nothing moves
RESULT_MARGIN = 1e-9  # of results: no radius of gyration below 3 µm; see `moved_inside`


@dataclass(frozen=True)
class Limits:
    """When to stop.

    Args:
        iterations: at most so many.
        seconds: at most so much processor time; results then depend on the machine.
        tolerance: converged when `patience` iterations took away less than this share of the loss.
        patience: see there.
        negligible: fall of the loss that data cannot tell from noise; one that fell by no more in
            the second half of all iterations has converged as well, at its last digits.
    """

    iterations: int = 500
    seconds: float | None = None
    tolerance: float = 1e-9
    patience: int = 10
    negligible: float = 0.0


class Moment(NamedTuple):
    """A point of a training curve: iteration, processor seconds so far, loss."""

    iteration: int
    seconds: float
    loss: float


@dataclass(frozen=True, eq=False)
class ParametrisedFit:
    """What a fit has found.

    Args:
        theta: entries of all links and joints.
        phi: parameters of each body, shape (bodies, 10).
        joint_terms: parameters of the joints' terms, as in the layout.
        loss: sum of squared weighted errors.
        iterations: how many steps were taken.
        seconds: wall-clock time.
        converged: whether the loss had stopped falling.
        message: how it ended, and what to do if that is not well.
        history: loss after each iteration.
    """

    theta: Array
    phi: Array
    joint_terms: Array
    loss: float
    iterations: int
    seconds: float
    converged: bool
    message: str
    history: tuple[Moment, ...]


def fit_parametrised(
    loss: RigidBodyLoss, start: Array, limits: Limits | None = None
) -> ParametrisedFit:
    """Minimise a loss from a start (see `starts`)."""
    limits = limits or Limits()
    began, began_cpu = time.perf_counter(), time.process_time()
    search = _Search(loss, start)
    history = [Moment(0, 0.0, search.now.loss)]
    converged, iteration = False, 0
    for iteration in range(1, limits.iterations + 1):
        moved = search.step()
        spent = time.process_time() - began_cpu
        history.append(Moment(iteration, spent, search.now.loss))
        before = history[max(0, iteration - limits.patience)].loss
        settled = iteration >= limits.patience
        settled &= before - search.now.loss <= limits.tolerance * before
        converged = not moved or settled
        if converged or (limits.seconds is not None and spent > limits.seconds):
            break
    late = history[iteration // 2].loss - search.now.loss
    converged |= iteration >= limits.patience and late < limits.negligible
    search.leave_boundary()
    seconds = time.perf_counter() - began
    phi = search.now.phi
    return ParametrisedFit(
        theta=search.theta,
        phi=phi[: 10 * loss.bodies].reshape(loss.bodies, 10),
        joint_terms=phi[10 * loss.bodies :],
        loss=search.now.loss,
        iterations=iteration,
        seconds=seconds,
        converged=converged,
        message=_ended(converged, iteration),
        history=tuple(history),
    )


def _ended(converged: bool, iterations: int) -> str:
    if converged:
        return f"converged after {iterations} iterations"
    return (
        f"the loss still fell after {iterations} iterations; "
        "start from the SDP solution, or allow more iterations"
    )


class _Search:
    """A point, the derivatives there, and how far they are believed."""

    def __init__(self, loss: RigidBodyLoss, start: Array) -> None:
        self._loss, self.theta, self._radius = loss, start.astype(np.float64), 1.0
        self.now = loss.derivatives(self.theta)
        self._consistent = loss.entries.parametrisation.guarantees.full

    def step(self) -> bool:
        """One iteration; False where no step makes the loss smaller."""
        before, moved = self.now.loss, self._newton()
        if not self._consistent:
            return moved
        return self._way_out(before - self.now.loss) or moved

    def _newton(self) -> bool:
        loss, now, to_theta = self._loss, self.now, self._to_theta(self.now)
        # Eigenvectors of the Hessian in coordinates where the metric is the identity.
        curvatures, axes = np.linalg.eigh(to_theta.T @ now.hessian @ to_theta)
        curvatures += _INERTNESS * now.loss
        to_theta = to_theta @ axes
        slopes = to_theta.T @ now.gradient
        rounding = 1e-15 * now.loss
        while True:
            step = best_step(curvatures, slopes, self._radius)
            expected = predicted_gain(curvatures, slopes, step)
            if not expected > rounding:
                return False
            straight = to_theta @ step
            new, error = self.theta + straight, loss.error(self.theta + straight)
            missed = error - now.error - now.error_jacobian @ straight
            bent = new + to_theta @ _bend(
                curvatures, slopes, step, to_theta.T @ (now.error_jacobian.T @ missed)
            )
            fell, also = (now.loss - loss.of_error(e) for e in (error, loss.error(bent)))
            if also > fell:
                new, fell = bent, also
            share = fell / expected
            length = float(np.linalg.norm(step))
            if not share >= 0.25:  # also where it is not a number
                self._radius = 0.25 * length
            elif share > 0.75 and length > 0.9 * self._radius:
                self._radius *= 2.0
            if share > 1e-4:
                self.theta, self.now = new, loss.derivatives(new)
                return True

    def _way_out(self, gained: float) -> bool:
        """Adds a rod to a link where this promises more than the last step gave."""
        loss, now = self._loss, self.now
        way = steepest_consistent(loss.system.R, now.phi, now.slope, loss.bodies)
        if way.gain <= gained or way.gain <= 1e-12 * now.loss:
            return False
        theta = self._theta_of(way.phi, _MARGIN)
        if not now.loss - loss.loss(theta) > 0.1 * way.gain:
            return False
        self.theta, self.now = theta, loss.derivatives(theta)
        return True

    def leave_boundary(self) -> None:
        """Moves links inside by the margin of results where they are nearer to the boundary."""
        if self._consistent:
            self.theta = self._theta_of(self.now.phi, RESULT_MARGIN)
            self.now = self._loss.derivatives(self.theta)

    def _theta_of(self, phi: Array, margin: float) -> Array:
        """Entries of the links of phi, moved inside; those of the joints stay."""
        entries, given = self._loss.entries, phi.copy()
        links = given[: 10 * entries.bodies].reshape(-1, 10)
        links[:] = moved_inside(links, margin)
        theta = entries.theta(given)
        theta[entries.of_links :] = self.theta[entries.of_links :]
        return theta

    def _to_theta(self, now: Derivatives) -> Array:
        """C with d theta = C y, where |y| is the distance of links and joints."""
        loss, entries = self._loss, self._loss.entries.parametrisation.size
        links = now.phi[: 10 * loss.bodies].reshape(-1, 10)
        form = now.jacobian.transpose(0, 2, 1) @ metric(links) @ now.jacobian
        values, vectors = np.linalg.eigh(form)
        roots = vectors / np.sqrt(np.maximum(values, 0.0) + _FLOOR)[:, None, :]
        found = np.zeros((loss.entries.size, loss.entries.size))
        for body, root in enumerate(roots):
            block = slice(body * entries, (body + 1) * entries)
            found[block, block] = root
        joints = np.arange(loss.entries.of_links, loss.entries.size)
        found[joints, joints] = np.sqrt(self.theta[joints] ** 2 + _ROOTS)
        return found


def _bend(curvatures: Array, slopes: Array, step: Array, missed: Array) -> Array:
    """A second step that undoes what the errors missed of their straight path along the first.

    Valleys of the loss are bent in theta; following them takes about a third of the iterations
    away. Along each axis it is as stiff as the first step was.

    Args:
        curvatures: along the axes.
        slopes: along the axes.
        step: the first step, along the axes.
        missed: the Jacobian of the errors, transposed, times what they missed.
    """
    stiffness = np.full_like(step, np.inf)
    np.divide(-slopes, step, out=stiffness, where=step != 0)
    stiffness = np.maximum(stiffness, np.abs(curvatures))
    return np.divide(-2.0 * missed, stiffness, out=np.zeros_like(step), where=stiffness > 0)
