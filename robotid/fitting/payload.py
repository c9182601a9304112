"""What a robot carries: one least-squares problem in the robot and its load.

    min  |R phi - z|²  +  sum over rows of |R_l (phi + T phi_load + d) - z_l|²

The first term is what the unloaded robot showed, the second what it shows with the load; T takes
parameters of the load to those of its body, and d holds terms of joints that may have changed in
between, such as offsets of torque sensors. Solving for both at once, the uncertainty of the robot's
own parameters is in that of the load.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import PayloadFound
from robotid.contracts.information import Information
from robotid.dynamics.base_parameters import reduce
from robotid.errors import BadDataError, Effect, Notice, UsageError
from robotid.fitting.evidence import Evidence
from robotid.fitting.load import LoadFrame, columns_of_terms, load_frame
from robotid.fitting.load_body import LoadBody, LoadInformation, load_body
from robotid.information.layout import Layout
from robotid.information.system import System
from robotid.information.triangular import triangle

Array = NDArray[np.float64]

_ROUNDS = 3  # how many times the noise of the loaded robot is found anew
_MUCH_LESS = 0.8  # of the errors of all joints: what another link leaves if the load is there
_UNLIKELY_EXCESS = 18.3  # 95 % of chi-squared with ten degrees of freedom


@dataclass(frozen=True, eq=False)
class Payload:
    """What a robot carries.

    Args:
        frame: of its numbers.
        body: the load, with intervals and statuses.
        noise: standard deviation of errors with the load [N m], by row.
        changed: by how much terms of joints that were found anew have changed, by name.
        notices: what to know about it.
    """

    frame: LoadFrame
    body: LoadBody
    noise: dict[str, float]
    changed: dict[str, float]
    notices: tuple[Notice, ...]

    def found(self) -> PayloadFound:
        """As `fit.json` has it."""
        triples = [[q.value, q.lower, q.upper] for q in self.body.quantities]
        return PayloadFound(
            frame=self.frame.name,
            mass=triples[0],
            centre=triples[1:4],
            inertia=triples[4:],
            consistent=self.body.consistent,
            statuses={q.name: q.status for q in self.body.quantities},
        )


def payload_of(
    layout: Layout,
    unloaded: Information | Array,
    loaded: Evidence,
    *,
    frame: str | None = None,
    anew: Sequence[str] = ("offset",),
) -> Payload:
    """The load of a robot that was identified without it.

    Args:
        layout: the robot and the terms of its joints, as in the fit without the load.
        unloaded: what that fit knows. Parameters alone, shape (p,), are taken for exact.
        loaded: recordings with the load.
        frame: link the load is tied to; the last one otherwise.
        anew: terms of joints that may have changed since, of all joints that have them.
    """
    place = load_frame(layout, frame)
    changes = columns_of_terms(layout, anew)
    own = _own(layout, unloaded, loaded)
    rows = _unweighted(own, loaded, np.column_stack([changes, place.columns]))
    noise, kept = own.noise, None
    for _ in range(_ROUNDS):
        problem = _solved(own, loaded, rows, noise, kept)
        noise, kept = problem.noise, problem.kept
    body = load_body(problem.load)
    others = [load_frame(layout, link) for link in layout.robot.links]
    solve = partial(_at, changes=changes, own=own, loaded=loaded, like=problem)
    notices = _fits_elsewhere(place, problem.noise, others, solve)
    notices += _notices(body, exact=not isinstance(unloaded, Information))
    names = [layout.names[column] for column in np.nonzero(changes.T)[1]]
    return Payload(
        frame=place,
        body=body,
        noise=dict(zip(loaded.rows, problem.noise.tolist(), strict=True)),
        changed=dict(zip(names, problem.changes.tolist(), strict=True)),
        notices=tuple(notices),
    )


class _Own(NamedTuple):
    """What is known of the robot itself.

    Args:
        rows: [R | z] in units of the noise, shape (p, p + 1); None for exact parameters.
        exact: those, shape (p,).
        noise: where the search for that of the loaded robot begins, shape (rows,).
        equations: how many independent ones stand behind the rows.
    """

    rows: Array | None
    exact: Array
    noise: Array
    equations: float


class _Solved(NamedTuple):
    """What the data say of the load, d (k,), noise (rows,), independent columns of phi and d."""

    load: LoadInformation
    changes: Array
    noise: Array
    kept: tuple[int, ...]


def _own(layout: Layout, unloaded: Information | Array, loaded: Evidence) -> _Own:
    p = layout.parameters
    if loaded.parameters != p:
        raise UsageError("wrong-shape", f"evidence of {loaded.parameters} parameters, not of {p}")
    if not isinstance(unloaded, Information):
        exact = np.asarray(unloaded, dtype=np.float64)
        if exact.shape != (p,):
            raise UsageError("wrong-shape", f"parameters of shape {exact.shape}, not ({p},)")
        return _Own(None, exact, np.ones(len(loaded.rows)), 0.0)
    facts = unloaded.facts
    hint = "fit the unloaded robot with the same robot file and the same terms"
    if facts.geometry_sha256 != layout.digest:
        said = f"the fit without load is of another robot ({facts.robot})"
        raise BadDataError("base-differs", said, hint=hint)
    if list(facts.parameters) != list(layout.names):
        odd = sorted(set(facts.parameters) ^ set(layout.names))
        said = f"the fit without load has other parameters: {', '.join(odd[:3]) or 'their order'}"
        raise BadDataError("base-differs", said, hint=hint)
    rows = np.sqrt(facts.independent) * np.column_stack([unloaded.R, unloaded.z])
    noise = np.array([facts.noise.get(row, 1.0) for row in loaded.rows])
    return _Own(rows, np.zeros(p), noise, facts.count * facts.independent)


def _at(place: LoadFrame, changes: Array, own: _Own, loaded: Evidence, like: _Solved) -> _Solved:
    """What the data say of a load at another place, with the weights of one that was solved."""
    rows = _unweighted(own, loaded, np.column_stack([changes, place.columns]))
    return _solved(own, loaded, rows, like.noise, like.kept)


def _unweighted(own: _Own, loaded: Evidence, extra: Array) -> list[Array]:
    """Rows [W, W d, W T | tau] of each joint with the load; without W where phi is exact.

    Args:
        own: what is known of the robot itself.
        loaded: recordings with the load.
        extra: [d, T], shape (p, k + 10).
    """
    p = len(extra)
    found = []
    for factor in loaded.merged():
        rows = np.zeros((len(factor.R), p + 1))
        rows[:, np.append(factor.columns, p)] = factor.rows
        W, tau = rows[:, :p], rows[:, p] - rows[:, :p] @ own.exact
        found.append(np.column_stack([W if own.rows is not None else W[:, :0], W @ extra, tau]))
    return found


def _solved(
    own: _Own,
    loaded: Evidence,
    unweighted: Sequence[Array],
    noise: Array,
    kept: tuple[int, ...] | None,
) -> _Solved:
    """The least-squares problem for given noise of the loaded robot, shape (rows,).

    Columns of phi and d that depend on others are left out: by rounding they would take away what
    shows the load. Which ones stay (`kept`) is found once, as it does not depend on the noise.
    """
    weights = np.sqrt(loaded.independent) / noise
    blocks = [weight * rows for weight, rows in zip(weights.tolist(), unweighted, strict=True)]
    stack = np.vstack(blocks)
    others = stack.shape[1] - 11  # columns of phi and d
    first = 0 if own.rows is None else len(own.exact)  # of d
    if own.rows is not None:
        known = np.zeros((first, others + 11))
        known[:, :first], known[:, -1] = own.rows[:, :-1], own.rows[:, -1]
        stack = np.vstack([known, stack])
    R = triangle(stack)
    columns = np.arange(others + 10, dtype=np.int64)
    whole = System(columns, R[:-1, :-1], R[:-1, -1], abs(float(R[-1, -1])), len(stack))
    if kept is None:
        names = [str(column) for column in range(others)]
        kept = reduce(whole.R[:, :others], names, range(others)).independent if others else ()
    inner = whole.restricted([*kept, *range(others, others + 10)])
    n = len(kept)
    lengths = np.linalg.norm(inner.R, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    inverse = np.linalg.pinv(inner.R / lengths, rcond=1e-9) / lengths[:, None]
    found = np.zeros(others + 10)
    found[inner.columns] = inverse @ inner.z
    losses = [float(np.sum((block[:, :-1] @ found - block[:, -1]) ** 2)) for block in blocks]
    taken = [float(np.sum((block[:, inner.columns] @ inverse) ** 2)) for block in blocks]
    free = loaded.counts.sum(axis=0) * loaded.independent - np.array(taken)
    for row, left in zip(loaded.rows, free.tolist(), strict=True):
        if left <= 0:
            said = "too few independent samples with the load"
            raise BadDataError("too-few-samples", said, joint=row, hint="record for longer")
    load = LoadInformation(
        S=inner.R[n:, n:],
        z=inner.z[n:],
        reach=np.linalg.norm(inner.R[:, n:], axis=0),
        freedom=float(free.sum()) + max(0.0, own.equations - n),
    )
    size = noise * np.sqrt(np.array(losses) / free)
    return _Solved(load, found[first:others], np.maximum(size, loaded.least_noise), kept)


def _fits_elsewhere(
    place: LoadFrame,
    noise: Array,
    others: Sequence[LoadFrame],
    solve: Callable[[LoadFrame], _Solved],
) -> list[Notice]:
    """Say where a load that can exist leaves much smaller errors, if it does anywhere.

    Args:
        place: of the load.
        noise: that it leaves there, shape (rows,).
        others: frames of all links.
        solve: what the data say of a load at one of them.
    """
    least, better = _MUCH_LESS, ""
    for other in others:
        if other.body == place.body:
            continue
        try:
            found = solve(other)
            left = float(np.exp(np.mean(np.log(found.noise / noise))))
            if left < least and not _notices(load_body(found.load), exact=False):
                least, better = left, other.name
        except BadDataError:  # no load can be there
            continue
    if not better:
        return []
    said = f"the load fits link {better} better than {place.name}: errors are "
    said += f"{least:.2g} times as large there"
    hint = f"if it is tied to that one, give load_link {better}"
    return [Notice(code="load-elsewhere", message=said, hint=hint, effect=Effect.QUALITY)]


def _notices(body: LoadBody, *, exact: bool) -> list[Notice]:
    notices = []
    mass = body.quantities[0]
    if mass.lower is not None and mass.lower <= 0:
        said = f"no load is seen: its mass is at most {mass.upper:.3g} kg, and may be zero"
        hint = "check that these recordings are of the loaded robot"
        notices.append(Notice(code="load-not-seen", message=said, hint=hint, effect=Effect.QUALITY))
    if body.excess > _UNLIKELY_EXCESS:
        said = "no body that can exist fits these data as well as noise alone would let it"
        hint = "check the frame of the load, and that nothing but the load changed in between"
        notices.append(
            Notice(code="load-inconsistent", message=said, hint=hint, effect=Effect.QUALITY)
        )
    if exact:
        said = "intervals of the load take the robot's own parameters for exact"
        hint = "fit the unloaded robot again to have its uncertainty"
        notices.append(Notice(code="base-taken-for-exact", message=said, hint=hint))
    return notices
