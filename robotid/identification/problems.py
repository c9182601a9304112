"""What estimators are given of a request: the problem of some evidence."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from robotid.dynamics.base_parameters import BaseParameters
from robotid.fitting.evidence import Evidence
from robotid.fitting.solved import Problem
from robotid.identification.request import Request
from robotid.identification.sample_reader import split_samples
from robotid.information.blocks import DataBlock
from robotid.information.layout import Layout
from robotid.signals.splits import gap_of


def problem_of(
    request: Request,
    layout: Layout,
    base: BaseParameters,
    train: Evidence,
    readable: Sequence[DataBlock],
) -> Problem:
    """The problem of some evidence; only samples of the recordings of `readable` can be read."""
    gains = request.ready.gains
    scale = np.array([gain.value for gain in gains]) if gains else None
    names = {block.recording for block in readable}
    read = partial(split_samples, request.folder, readable, layout, request.torque, scale)
    facts = [request.index.recordings[name] for name in sorted(names)]
    gap = max((math.ceil(gap_of(one) * one.rate_hz) for one in facts), default=0)
    return Problem(layout, base, train, request.options, read, gap)
