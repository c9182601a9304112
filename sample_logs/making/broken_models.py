"""Logs that are whole, and cannot be what they say they are: units, signs, order, dead channels."""

import numpy as np

from making.broken_values import ROBOT
from making.case import Base, Case
from making.signals import Recording, csv_lines, text

_DEG = 180 / np.pi


def _log(run: Recording, **changed: np.ndarray) -> bytes:
    return text(csv_lines(run._replace(**changed), 5))


def _of_one(values: np.ndarray, joint: int, new: np.ndarray | float) -> np.ndarray:
    out = values.copy()
    out[:, joint] = new
    return out


def _wrapped(q: np.ndarray) -> np.ndarray:
    return (q + np.pi) % (2 * np.pi) - np.pi


def model_cases(base: Base) -> list[Case]:
    """B67, B70 and B74 to B94: what only shows against the laws of motion or the robot."""
    run = base.motion
    q, qd, tau = run.q, run.qd, run.tau
    second = np.array([1.0, -1.0])
    late = np.vstack([np.repeat(tau[:1], 5, axis=0), tau[:-5]])
    spikes = tau.copy()
    spikes[[40, 140, 240], 0] += 60.0
    stuck = tau.copy()
    stuck[100:180, 1] = stuck[100, 1]
    held = np.repeat(qd[::5], 5, axis=0)
    top = 0.4 * float(np.abs(tau[:, 0]).max())
    stop = tau.copy()
    stop[200:240] += np.array([8.0, 4.0])

    def case(row: str, name: str, wrong: str, code: str, exit: int = 65, **new: np.ndarray) -> Case:  # noqa: A002
        log = _log(run, **new)
        return Case(row, f"{row.lower()}_{name}.csv", wrong, log, exit, code, ROBOT)

    return [
        case("B67", "late_torques", "torques 100 ms later than positions", "torque-lag", 0,
             tau=late),
        case("B74", "degrees", "positions and velocities in degrees", "looks-like-degrees",
             q=_DEG * q, qd=_DEG * qd),
        case("B74", "positions_in_degrees", "positions in degrees, velocities in rad/s",
             "looks-like-degrees", q=_DEG * q),
        case("B75", "rpm", "velocities in revolutions per minute", "velocity-unit",
             qd=60 / (2 * np.pi) * qd),
        case("B75", "millinewtonmetres", "torques in mN m", "torque-scale", tau=1e3 * tau),
        case("B76", "currents", "currents where torques should be, 12 N m/A and 8 N m/A",
             "torque-scale", tau=tau / np.array([12.0, 8.0])),
        case("B77", "motor_side", "torques of the motors, in front of gears of 1:50",
             "torque-scale", tau=tau / 50),
        case("B78", "sign", "the torque of one joint has the wrong sign", "torque-sign",
             tau=second * tau),
        case("B78", "unsigned", "torques without their sign", "unsigned-torque",
             tau=np.abs(tau)),
        case("B79", "swapped_torques", "torques of the two joints are swapped",
             "torque-of-other-joint", tau=tau[:, ::-1]),
        case("B84", "wrapped", "positions that jump from π to -π", "unwrapped", 0,
             q=_wrapped(q + 1.5 * run.t[:, None]), qd=qd + 1.5),
        case("B84", "wrapped_too_fast", "half a turn from sample to sample, wrapped: which way?",
             "ambiguous-wrap", q=_wrapped(q + 150 * run.t[:, None]), qd=qd + 150),
        case("B86", "saturated", "torques cut off at what the motor can do", "saturated", 0,
             tau=np.clip(tau, -top, top)),
        case("B87", "stuck", "a torque sensor that hangs for 1.6 s", "stuck", 0, tau=stuck),
        case("B87", "dead", "a torque sensor that says zero all the time", "dead-channel",
             tau=_of_one(tau, 1, 0.0)),
        case("B88", "spikes", "three values far off", "spike", 0, tau=spikes),
        case("B89", "coarse", "positions in steps as large as the motion", "coarse-steps", 0,
             q=np.round(q / 0.2) * 0.2),
        case("B90", "held", "velocities that are renewed only every fifth sample", "held-values",
             0, qd=held),
        case("B91", "at_rest", "a joint that does not move", "not-moving", 0,
             q=_of_one(q, 1, 0.3), qd=_of_one(qd, 1, 0.0)),
        case("B92", "beyond_limits", "positions the robot cannot reach", "beyond-limits", 0,
             q=q + 9.0),
        case("B93", "stop", "a collision: torques the motion does not explain",
             "unexplained-torque", 0, tau=stop),
        case("B94", "swapped_columns", "positions called velocities, and the other way round",
             "q-and-qd-swapped", q=qd, qd=q),
    ]  # fmt: skip
