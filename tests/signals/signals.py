"""Recordings in memory, and the filter run on them."""

import numpy as np

from robotid.signals.low_pass import RecordingFilter
from robotid.signals.options import FilterOptions
from robotid.signals.threads import Threads

RATE = 500.0


def columns_of(t, **signals):
    """Columns from times [s] and signals, `q_a` standing for `q.a`."""
    named = {name.replace("_", ".", 1): np.asarray(x, float) for name, x in signals.items()}
    return {"t": np.round(np.asarray(t) * 1e9).astype(np.int64), **named}


def joints_of(columns):
    names = [name.partition(".") for name in columns]
    return sorted({joint for signal, _, joint in names if signal in ("q", "qd")})


def run_filter(columns, batch=16384, threads=2, **options):
    """What the filter makes of a recording: rows and facts."""

    def source(names):
        for begin in range(0, columns["t"].size, batch):
            yield {name: columns[name][begin : begin + batch] for name in names}

    pieces = []
    with Threads(threads) as pool:
        work = RecordingFilter(
            source, list(columns), joints_of(columns), FilterOptions(**options), pool
        )
        done = work.run(lambda rows: pieces.append({n: x.copy() for n, x in rows.items()}))
    joined = (
        {n: np.concatenate([piece[n] for piece in pieces]) for n in pieces[0]} if pieces else {}
    )
    return joined, done


def rms(x):
    return float(np.sqrt(np.mean(np.square(x))))
