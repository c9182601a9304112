"""Numerical traps, one line each: what is done to sound logs, and the code it has to be answered with.

A trap that is refused or said by an early stage is run up to that stage only.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from robotid.information.regressor import Motion
from robotid.robot.load import load_robot
from tests.information.motions import harmonics
from tests.traps.chain import RATE, ROBOT, Log, log_of, logs


class Trap(NamedTuple):
    """A trap of the catalogue.

    Args:
        row: of docs/reliability.md.
        what: is wrong.
        code: that names it.
        plant: makes the recordings.
        settings: of the run, `stage.key=value`.
        until: the stage that has to say it.
        says: a part of the message.
    """

    row: str
    what: str
    code: str
    plant: Callable[[], dict[str, Log]] = logs
    settings: tuple[str, ...] = ()
    until: str = "ingest"
    says: str = ""


def each(change: Callable[[Log], object]) -> Callable[[], dict[str, Log]]:
    """Both recordings with a change; `change` works in place."""

    def plant() -> dict[str, Log]:
        made = logs()
        for log in made.values():
            change(log)
        return made

    return plant


def signal(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[], dict[str, Log]]:
    """Both recordings with another signal."""
    return each(lambda log: log.update({name: change(log[name])}))


def moved(change: Callable[[Motion], Motion], **options) -> Callable[[], dict[str, Log]]:
    """Recordings of motions of another kind."""

    def plant() -> dict[str, Log]:
        robot, made = load_robot(ROBOT).tree, {}
        for seed, name in enumerate(("first", "last")):
            motion = harmonics(robot, 5000, options.get("speed", 0.6), seed, RATE)
            made[name] = log_of(change(Motion(*(x.copy() for x in motion))), seed=seed)
        return made

    return plant


def _still(motion: Motion) -> Motion:
    """The second joint is held."""
    motion.q[:, 1], motion.qd[:, 1], motion.qdd[:, 1] = motion.q[0, 1], 0.0, 0.0
    return motion


def _one_way(motion: Motion) -> Motion:
    """Joints speed up and slow down and never turn round."""
    t = np.arange(len(motion.q))[:, None] / RATE
    return Motion(motion.q + 0.28 * t - 3, motion.qd + 0.28, motion.qdd)


def _hold(log: Log) -> None:
    for name in ("q", "qd", "tau"):
        log[name] = np.repeat(log[name][::5], 5, axis=0)


def _gaps(log: Log) -> None:
    for k in range(1, 20):
        log["t"][250 * k :] += 1


def _wrap(log: Log) -> None:
    """Three turns, wrapped, with a missing value before the first jump."""
    log["q"] = (3 * log["q"] + np.pi) % (2 * np.pi) - np.pi
    log["qd"] = 3 * log["qd"]
    log["q"][50, 0] = np.nan


def _only_positions(log: Log, noise: float) -> None:
    del log["qd"]
    log["q"] += noise * np.random.default_rng(1).normal(size=log["q"].shape)


def _at(log: Log, name: str, rows: object, value: object) -> None:
    log[name][rows] = value


def _alone() -> dict[str, Log]:
    return {"last": logs()["last"]}


def _twice() -> dict[str, Log]:
    return dict.fromkeys(("first", "last"), logs()["first"])


def _zeroed_in_between() -> dict[str, Log]:
    made = {**logs(), "more": logs(1)["first"]}
    made["more"]["tau"] += 0.3
    return made


def _other_conditions() -> dict[str, Log]:
    made = logs()
    made["last"]["tau"] *= 1.3
    return made


def _warm_up(log: Log) -> None:
    log["tau"] *= 1 + 0.4 * log["t"][:, None] / 20


_UNTIL_FILTER = {"until": "filter"}
_UNTIL_FIT = {"until": "fit"}
_FREE = "fit.terms=['offset','rotor']"

TRAPS = (
    Trap("N01", "cut-off beyond half the rate", "cutoff-beyond-nyquist", settings=("filter.cutoff_hz=200",), until="filter", says="125 Hz"),
    Trap("N01", "cut-off of nothing", "bad-value", settings=("filter.cutoff_hz=0",), until="filter"),
    Trap("N02", "cut-off as a share of the rate", "too-short", settings=("filter.cutoff_hz=0.04",), until="filter"),
    Trap("N05", "gap", "gap", each(lambda log: log["t"].__iadd__(3 * (log["t"] > 10)))),
    Trap("N05", "nothing but gaps", "too-short", each(_gaps), **_UNTIL_FILTER),
    Trap("N06", "one value is missing", "not-finite", each(lambda log: _at(log, "tau", 100, np.nan)), **_UNTIL_FILTER),
    Trap("N06", "one value is infinite", "missing-values", each(lambda log: _at(log, "q", 100, np.inf))),
    Trap("N07", "torque is filtered otherwise", "filters-differ", settings=("filter.signal_cutoff=['tau=5']",), until="filter"),
    Trap("N08", "every 20th sample", "decimation-folds", settings=("filter.decimate=20",), until="filter"),
    Trap("N09", "noisy positions only", "noisy-acceleration", each(lambda log: _only_positions(log, 2e-3)), **_UNTIL_FILTER),
    Trap("N10", "a joint is held", "rank-deficient", moved(_still), says="coulomb2", **_UNTIL_FIT),
    Trap("N11", "hardly any motion", "high-condition", lambda: logs(speed=0.02), says="determined worst", **_UNTIL_FIT),
    Trap("N14", "a joint is held", "not-moving", moved(_still)),
    Trap("N14", "no joint comes back", "less-than-a-period", moved(_one_way, speed=0.05)),
    Trap("N16", "offset without a term for it", "residual-correlated", settings=("fit.terms=['viscous','coulomb','rotor']",), until="fit"),
    Trap("N16", "sensors were zeroed in between", "offset-differs", _zeroed_in_between, **_UNTIL_FIT),
    Trap("N17", "joints turn one way", "rank-deficient", moved(_one_way, speed=0.05), says="coulomb2 - 1.00 offset2", **_UNTIL_FIT),
    Trap("N18", "torque grows as time passes", "residual-drift", each(_warm_up), **_UNTIL_FIT),
    Trap("N20", "held-out data of other conditions", "held-out-worse", _other_conditions, **_UNTIL_FIT),
    Trap("N21", "one recording only", "split-within-recording", _alone, ("ingest.test=[]", "filter.hold_out=0.2"), "filter"),
    Trap("N23", "same recording for training and test", "same-recording", _twice),
    Trap("N27", "a stretch without torque", "missing-values", each(lambda log: _at(log, "tau", slice(100, 400), np.nan)), says="6%"),
    Trap("N15", "no friction in the model", "residual-friction", settings=(_FREE,), until="fit", says="sign of the velocity"),
    Trap("N30", "two samples exchanged", "out-of-order", each(lambda log: _at(log, "t", [100, 105], log["t"][[105, 100]]))),
    Trap("N31", "the same time twice", "duplicate-times", each(lambda log: _at(log, "t", 100, log["t"][99]))),
    Trap("N32", "wrapped positions behind a missing value", "unwrapped", each(_wrap), says="continuous"),
    Trap("N36", "currents for torques", "torque-scale", signal("tau", lambda x: x / 20), says="motor current"),
    Trap("N36", "sign of a torque", "torque-sign", signal("tau", lambda x: x * [1, -1])),
    Trap("N36", "millinewton metres", "torque-scale", signal("tau", lambda x: x * 1000)),
    Trap("N36", "torques without a sign", "unsigned-torque", signal("tau", np.abs)),
    Trap("B53", "times in ms", "odd-rate", signal("t", lambda x: x * 1000)),
    Trap("B67", "torques 100 ms late", "torque-lag", signal("tau", lambda x: np.roll(x, 25, axis=0))),
    Trap("B67", "velocities 100 ms late", "velocity-lag", signal("qd", lambda x: np.roll(x, 25, axis=0))),
    Trap("B74", "degrees", "looks-like-degrees", signal("q", np.rad2deg)),
    Trap("B75", "revolutions per minute", "velocity-unit", signal("qd", lambda x: x * 9.5493), says="revolutions"),
    Trap("B78", "sign of a velocity", "velocity-sign", signal("qd", lambda x: x * [1, -1])),
    Trap("B79", "positions of other joints", "velocity-of-other-joint", signal("q", lambda x: x[:, ::-1])),
    Trap("B86", "torque at its limit", "saturated", signal("tau", lambda x: x.clip(*np.quantile(x, [0.1, 0.9])))),
    Trap("B87", "a torque that is always zero", "dead-channel", signal("tau", lambda x: x * [1, 0])),
    Trap("B87", "a sensor that freezes", "stuck", each(lambda log: _at(log, "tau", slice(1000, 1400), log["tau"][1000]))),
    Trap("B88", "spikes", "spike", each(lambda log: _at(log, "q", ([100, 900, 2000], 0), 0.5 + log["q"][[100, 900, 2000], 0]))),
    Trap("B90", "a slow driver in a fast log", "held-values", each(_hold), says="50 Hz"),
    Trap("B94", "positions and velocities exchanged", "q-and-qd-swapped", each(lambda log: log.update(q=log["qd"], qd=log["q"]))),
)  # fmt: skip
