"""Data as estimators take them: one width per friction term, signals in units of torque."""

from collections.abc import Sequence
from fnmatch import fnmatch
from typing import NamedTuple

from robotid.contracts.fit import Choice, DriveGain
from robotid.errors import BadDataError, ConfigError
from robotid.fitting.candidates import choose_widths
from robotid.fitting.drive_gains import drive_gains
from robotid.fitting.keys import given_by
from robotid.fitting.known_widths import widths_of
from robotid.fitting.load import Load, load_frame
from robotid.fitting.option_texts import load_numbers
from robotid.fitting.options import FitOptions
from robotid.identification.gathered import Gathered
from robotid.information.layout import Layout


class Prepared(NamedTuple):
    """Data for estimators.

    Args:
        data: without candidates, loads and currents.
        open: the same with all candidates, for folds that choose for themselves.
        choices: of widths.
        gains: of drives.
    """

    data: Gathered
    open: Gathered
    choices: list[Choice]
    gains: list[DriveGain]


def prepared(
    data: Gathered, options: FitOptions, torque: str, like: Layout | None = None
) -> Prepared:
    """Choose widths by the training data, and find gains of drives where currents were recorded.

    Args:
        data: factors of all recordings.
        options: of the fit.
        torque: the signal that stands for torque.
        like: of an earlier fit of the robot; where candidates hold its widths, those are taken.
    """
    loaded = _loaded(data, options)
    every = without = data.without(loaded)
    picks = None if like is None else widths_of(data.layout, like)
    choices: list[Choice] = []
    if picks is None:
        layout, _, kept, found = choose_widths(without.evidence(without.of("train")), data.layout)
        choices += found
    else:
        layout, kept = data.layout.choosing(picks)
    if kept.size < data.layout.parameters:
        data = data.changed(layout, lambda factor: factor.restricted(kept))
    if not loaded:
        if torque == "current":
            said = "currents are no torques: their gains are needed"
            hint = "give torque constants in the map, or name recordings with a known load"
            raise ConfigError("current-as-torque", said, hint=hint)
        return Prepared(data, every, choices, [])
    without = data.without(loaded)
    with_load = data.evidence(block for block in data.blocks if block.recording in loaded)
    with given_by("load_link"):
        load_frame(data.layout, options.load_link)
    with given_by("load"):
        load = _load(options)
    gains = drive_gains(
        data.layout,
        without.evidence(without.of("train")),
        [(with_load, load)],
        frame=options.load_link,
    )
    if not gains.converged:
        said = f"gains of drives still changed after {gains.iterations} iterations"
        hint = "record a motion that excites more, with a heavier load"
        raise BadDataError("gains-not-converged", said, hint=hint)
    every = every.changed(every.layout, gains.in_torque)
    without = without.changed(data.layout, gains.in_torque)
    return Prepared(without, every, choices, gains.found())


def _loaded(data: Gathered, options: FitOptions) -> Sequence[str]:
    """Names of the recordings with a load."""
    if not options.loaded:
        return ()
    if options.load is None:
        said = "load: recordings with a load are named, but not what the load is"
        raise ConfigError("load-unknown", said, hint="weigh it and give load")
    names = list(data.recordings)
    found = [name for name in names if any(fnmatch(name, given) for given in options.loaded)]
    if not found:
        said = f"loaded: no recording is called {', '.join(options.loaded)}"
        raise ConfigError("no-such-recording", said, hint=", ".join(names[:10]))
    if not data.without(found).of("train"):
        said = f"loaded: {', '.join(options.loaded)} leaves no recording to train without the load"
        hint = f"name only those with the load, of {', '.join(names[:10])}"
        raise ConfigError("all-loaded", said, hint=hint)
    return found


def _load(options: FitOptions) -> Load:
    mass, *rest = load_numbers(options.load or "")
    if not rest:
        return Load(mass)
    x, y, z, *six = rest
    if not six:
        return Load(mass, (x, y, z))
    xx, yy, zz, xy, xz, yz = six
    return Load(mass, (x, y, z), (xx, xy, yy, xz, yz, zz))
