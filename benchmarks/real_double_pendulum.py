"""How near do forward models come to a real double pendulum, and to what is published of it?

    ROBOTID_REAL_LOGS=FOLDER python benchmarks/real_double_pendulum.py

Recordings go through ingest and filter, then `fit --loss forward` with each actuator and rollouts
of 1 s from two recordings that no fit has seen. Errors are roots of mean squares of positions and
velocities, in percent of the range in training. Parameters are the sums that accelerations show.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

sys.path.insert(0, str(Path(__file__).parent.parent))

from robotid.contracts.forward import ForwardResult
from tests.real_double_pendulum import (
    HELD_OUT,
    OTHER,
    ROTOR,
    TIMES_S,
    WITHOUT_FRICTION,
    Session,
    at_times,
    beside_published,
    turned,
)
from tests.test_real_logs import REAL

STARTS = 40
ADAM = ("--optimizer", "adam", "--epochs", 30)
FITS = {  # name -> actuator and flags
    "none": ("none",),
    "viscous": ("viscous",),
    "coulomb": ("coulomb",),
    "stribeck": ("stribeck",),
    "nn-friction": ("nn-friction", *ADAM),
    "learned": ("coulomb", "--kinematics", "learned", "--init", "prior"),
    "random": ("coulomb", "--kinematics", "learned", "--init", "random"),
    "commanded": ("coulomb", "--torque", "tau_cmd"),
}


def row(name: str, errors: list[float], said: str = "") -> None:
    print(f"  {name:24s}" + "".join(f"{100 * error:9.1f}" for error in errors) + said)


def compared(session: Session) -> tuple[dict[str, ForwardResult], bool]:
    """Print errors of all fits beside baselines; whether friction is needed for a good one."""
    fits = {}
    for name, (actuator, *flags) in FITS.items():
        began = time.perf_counter()
        fits[name] = session.fit(name, actuator, *flags)
        share = fits[name].metrics["test"]["nmse_var"].mean
        ended = fits[name].status.message
        print(
            f"fit {name:12s} {100 * share:5.1f} % of the variance of held-out accelerations "
            f"unexplained, {time.perf_counter() - began:.0f} s, {ended}",
            flush=True,
        )
    rolled = session.rollout(*fits, starts=STARTS)
    print(f"\nhorizon error [% of the range], {len(rolled.starts)} starts in {', '.join(HELD_OUT)}")
    print(f"  {'after':24s}" + "".join(f"{time_s:7.1f} s" for time_s in TIMES_S))
    baselines = session.baselines(fits["none"], STARTS)
    for name, errors in baselines.items():
        row(name, errors)
    curves = {name: at_times(rolled.fits[name].error) for name in fits}
    for name, errors in curves.items():
        growth = rolled.fits[name].energy_growth
        row(f"fit {name}", errors, f"   energy grows by {100 * growth:.2g} %")
    without = min(curves["none"][-1], *(baselines[name][-1] for name in WITHOUT_FRICTION))
    with_it = max(curves[name][-1] for name in ("coulomb", "stribeck"))
    said = baselines["published, friction"][-1]
    print(
        f"after {TIMES_S[-1]:g} s: coulomb and stribeck at most {100 * with_it:.1f} %, published "
        f"with friction {100 * said:.1f} %, the best without friction {100 * without:.1f} %"
    )
    return fits, with_it < 0.5 * without


def listed(fit: ForwardResult, name: str) -> None:
    """Print parameters beside the published ones."""
    found = beside_published(fit)
    print(f"\nfit {name:20s}{'found':>10s}{'published':>11s}{'off':>12s}{'model 2.0':>11s}")
    for one in found:
        off = "" if one.percent is None else f"{one.percent:+.1f} %"
        other = f"{OTHER[one.name]:.4f}" if one.name in OTHER else ""
        print(f"  {one.name:22s}{one.found:10.4f}{one.published:11.4f}{off:>12s}{other:>11s}")
    angles = turned({one.name: one for one in found})
    print(f"  zeros of the encoders off by {angles[0]:.1f} and {angles[1]:.1f} deg")


def spread(session: Session) -> None:
    """Print how parameters vary with the recording that is held out."""
    every = []
    for number in range(1, 6):
        session.filtered(f"design_C1_run{number}")
        every.append(beside_published(session.fit("one", "coulomb")))
    print("\ncoulomb, by the recording that is held out: least and most [% off the published]")
    for rows in zip(*every, strict=True):
        if rows[0].percent is not None:
            off = [one.percent for one in rows]
            print(f"  {rows[0].name:22s}{min(off):+8.1f}{max(off):+8.1f}")


def main() -> int:
    if not REAL.is_dir():
        print("ROBOTID_REAL_LOGS does not say where real logs are: nothing to measure")
        return 0
    with tempfile.TemporaryDirectory(prefix="robotid-real-") as folder:
        os.chdir(folder)
        os.environ["ROBOTID_CACHE_DIR"] = str(Path(folder) / "cache")
        session = Session()
        session.filtered(*HELD_OUT)
        fits, better = compared(session)
        for name in ("coulomb", "stribeck", "viscous", "none", "commanded"):
            listed(fits[name], name)
        spread(session)
    print(f"\nthe published rotors would add {ROTOR:.4f} to the moments about both joints")
    print(f"half the error of all without friction, at most: {'pass' if better else 'FAIL'}")
    return 0 if better else 1


if __name__ == "__main__":
    sys.exit(main())
