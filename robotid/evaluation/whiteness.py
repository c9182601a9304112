"""What residuals still hold that a model should have explained, in plain words."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit_data import Autocorrelation, Whiteness
from robotid.contracts.recording import RecordingFacts
from robotid.contracts.residuals import Excerpt
from robotid.contracts.words import times
from robotid.errors import Notice
from robotid.evaluation.correlation import TimeCorrelation, correlation_in_time, shown
from robotid.evaluation.turning import moving, near_turns
from robotid.signals.filtered_noise import FilteredNoise

Array = NDArray[np.float64]

_SURE = 4.0  # standard deviations
_LARGE = 0.35  # of a correlation: an eighth of the error's power
_BINS = 8
_FEWEST = 64  # samples with a motion that are needed to correlate with it
_MOTION = ("qd", "qdd")
_NOTHING = 1e-9  # of the torque: such residuals are rounding
_LONGER = 2.0  # times the filter's own correlation time


class JointWindow(NamedTuple):
    """Samples of one joint without a gap, each of shape (samples,).

    Args:
        qd: velocity [rad/s or m/s].
        qdd: acceleration.
        tau: measured torque [N m].
        predicted: predicted torque [N m].
    """

    qd: Array
    qdd: Array
    tau: Array
    predicted: Array


class JointResiduals(NamedTuple):
    """What the residuals of a joint hold; no autocorrelation of rounding, or of no motion."""

    whiteness: Whiteness
    autocorrelation: Autocorrelation | None
    notices: list[Notice]


class Residuals(NamedTuple):
    """The same of all joints, by joint."""

    whiteness: dict[str, Whiteness]
    autocorrelation: dict[str, Autocorrelation]
    notices: list[Notice]


class _Found(NamedTuple):
    """A correlation, None where there was too little motion, and whether it is beyond chance."""

    value: float | None
    sure: bool

    @property
    def matters(self) -> bool:
        return self.sure and self.value is not None and abs(self.value) >= _LARGE


_NONE = _Found(None, sure=False)


def whiteness(
    joint: str,
    windows: Sequence[JointWindow],
    noise: FilteredNoise,
    samples: int,
    terms: Collection[str] = (),
    *,
    in_time: bool = True,
    largest: float = 0.0,
) -> JointResiduals:
    """How far the residuals of a joint are from filtered white noise.

    Correlation with speed is that of the residual along the motion with any curve over the speed
    (eight bins), and so never negative: what is in proportion to the velocity, or constant, a fit
    has taken away already.

    Args:
        joint: its name.
        windows: an excerpt of the training data, at one rate.
        noise: what the filter makes of white noise.
        samples: of all training data.
        terms: that the joint has.
        in_time: samples follow each other; else nothing is said of what comes before and after.
        largest: torque of any joint, root mean square: what is rounding where a joint has none.
    """
    windows = [window for window in windows if window.tau.size > 1]
    e = np.concatenate([window.tau - window.predicted for window in windows] or [np.zeros(0)])
    torque = np.concatenate([window.tau for window in windows] or [np.zeros(0)])
    size = np.linalg.norm(torque) or largest * np.sqrt(torque.size)
    if np.linalg.norm(e) <= _NOTHING * size:
        share = noise.share
        nothing = Whiteness(
            lag_s=0.0,
            share=share,
            effective=share * samples,
            with_velocity=None,
            with_speed=None,
            with_acceleration=None,
            white=True,
        )
        return JointResiduals(nothing, None, [])
    time = correlation_in_time([window.tau - window.predicted for window in windows], noise)
    clear = np.concatenate([moving(w.qd) & ~(near_turns(w.qd, noise) & in_time) for w in windows])
    e = e[clear]
    qd, qdd = (np.concatenate([getattr(w, name) for w in windows])[clear] for name in _MOTION)
    rate = np.concatenate([np.gradient(w.predicted) * noise.rate_hz for w in windows])[clear]
    friction = _correlated(e, np.sign(qd), time.share)
    # Turning points may have shifted the values of Coulomb and viscous friction: another matter.
    curve = _along_speed(_without(e, [np.sign(qd), qd]), qd, time.share)
    inertia = _correlated(e, qdd, time.share)
    # A fit that knows nothing of a delay hides some of it in friction and inertia.
    along = np.sign(qd) * (_speed_bins(qd) == np.arange(_BINS)[:, None])
    rest = _without(rate, [np.ones_like(e), qd, qdd, *along])
    delay = _correlated(e, rest, time.share)
    found = Whiteness(
        lag_s=None if time.lag is None else time.lag / noise.rate_hz,
        share=time.share,
        effective=time.share * samples,
        with_velocity=friction.value,
        with_speed=curve.value,
        with_acceleration=inertia.value,
        white=time.fits_filter and not any(x.sure for x in (friction, curve, inertia, delay)),
    )
    notices = [
        *(_time_notices(joint, time, noise, found) if in_time else ()),
        *_motion_notices(joint, friction, curve, inertia, terms),
        *(_delay_notices(joint, delay, e, rest) if in_time else ()),
    ]
    return JointResiduals(found, shown(time, noise.rate_hz) if in_time else None, notices)


def whiteness_of_joints(
    found: Excerpt,
    recordings: Mapping[str, RecordingFacts],
    samples: int,
    terms: Mapping[str, Collection[str]] | None = None,
) -> Residuals:
    """The same for every joint of an excerpt, from its training data.

    Recordings that were filtered in another way than most samples are left out.

    Args:
        found: the excerpt.
        recordings: facts by name.
        samples: of all training data.
        terms: of each joint.
    """
    result = Residuals({}, {}, [])
    training = [window for window in found.windows if window.split == "train"]
    in_time = not any(recordings[window.recording].independent for window in training)
    powers = [np.mean(window.tau**2, axis=0).max() for window in training if window.tau.size]
    largest = float(np.sqrt(max(powers, default=0.0)))
    for place, joint in enumerate(found.joints):
        alike: dict[FilteredNoise, list[JointWindow]] = {}
        for window in training:
            noise = FilteredNoise.of(recordings[window.recording], joint)
            signals = (window.qd, window.qdd, window.tau, window.predicted)
            one = JointWindow(*(signal[:, place] for signal in signals))
            alike.setdefault(noise, []).append(one)
        if alike:
            noise = max(alike, key=lambda noise: sum(w.tau.size for w in alike[noise]))
            named = (terms or {}).get(joint, ())
            own = whiteness(
                joint, alike[noise], noise, samples, named, in_time=in_time, largest=largest
            )
            result.whiteness[joint] = own.whiteness
            if own.autocorrelation is not None:
                result.autocorrelation[joint] = own.autocorrelation
            result.notices.extend(own.notices)
    return result


def _correlated(e: Array, x: Array, share: float) -> _Found:
    """Correlation about the means; sure where filtered noise would hardly give it."""
    if e.size < _FEWEST:
        return _NONE
    e, x = e - e.mean(), x - x.mean()
    size = float(np.linalg.norm(e) * np.linalg.norm(x))
    if size == 0 or not np.isfinite(size):
        return _NONE
    value = float(e @ x) / size
    return _Found(value, sure=abs(value) * np.sqrt(share * e.size) > _SURE)


def _along_speed(e: Array, qd: Array, share: float) -> _Found:
    """Correlation ratio of the residual along the motion with the speed, freed of chance."""
    if e.size < _FEWEST * _BINS:
        return _NONE
    speed, along = np.abs(qd), e * np.sign(qd)
    along = along - along.mean()
    total = float(along @ along)
    bins = _speed_bins(qd)
    counts = np.bincount(bins, minlength=_BINS)
    sums = np.bincount(bins, weights=along, minlength=_BINS)
    if total == 0 or np.ptp(speed) <= 1e-6 * speed.max():
        return _NONE
    explained = float(np.sum(sums**2 / np.maximum(counts, 1))) / total
    free, independent = _BINS - 1, share * e.size
    by_chance = free / max(independent, free + 1.0)
    value = float(np.sqrt(max(0.0, (explained - by_chance) / (1 - by_chance))))
    # Wilson and Hilferty: the cube root of chi-squared over its freedom is about normal.
    root = np.cbrt(independent * explained / free)
    return _Found(value, sure=bool((root - 1 + 2 / (9 * free)) / np.sqrt(2 / (9 * free)) > _SURE))


def _speed_bins(qd: Array) -> NDArray[np.int64]:
    """Which of eight classes of speed, all of the same size, each sample is in."""
    speed = np.abs(qd)
    if not speed.size:
        return np.zeros(0, dtype=np.int64)
    return np.searchsorted(np.quantile(speed, np.arange(1, _BINS) / _BINS), speed)


def _without(x: Array, others: Sequence[Array]) -> Array:
    """What is left of a signal without its parts along others."""
    columns = np.column_stack(others)
    return np.asarray(x - columns @ np.linalg.lstsq(columns, x, rcond=None)[0])


def _time_notices(
    joint: str, time: TimeCorrelation, noise: FilteredNoise, found: Whiteness
) -> list[Notice]:
    if time.fits_filter or noise.share < _LONGER * time.share:
        return []
    said = (
        f"errors stay alike {times(noise.share / time.share)} times longer than the filter makes "
        f"them: {found.effective:.0f} samples count as independent"
    )
    hint = "the model lacks something; believe no intervals but those from the spread of blocks"
    return [Notice(code="residual-correlated", message=said, joint=joint, hint=hint)]


def _motion_notices(
    joint: str, friction: _Found, curve: _Found, inertia: _Found, terms: Collection[str]
) -> list[Notice]:
    notices = []
    if friction.matters or curve.matters:
        worst = max((friction, curve), key=lambda x: abs(x.value or 0.0))
        what = "sign of the velocity" if worst is friction else "speed"
        said = f"errors go with the {what} (correlation {worst.value:.2f}): friction is not right"
        hint = _other_friction(terms)
        notices.append(Notice(code="residual-friction", message=said, joint=joint, hint=hint))
    if inertia.matters:
        said = f"errors go with the acceleration (correlation {inertia.value:.2f})"
        delay = "check the delay between torque and motion"
        hint = delay if "rotor" in terms else f"add a rotor term, or {delay}"
        notices.append(Notice(code="residual-inertia", message=said, joint=joint, hint=hint))
    return notices


def _other_friction(terms: Collection[str]) -> str:
    """Which terms of friction a joint with these ones could have besides or instead."""
    if not any(term.startswith("coulomb") for term in terms):
        return "add coulomb to this joint"
    more = [] if "stribeck" in terms else ["add stribeck"]
    more += [
        f"take {term}-asymmetric in place of {term}"
        for term in ("coulomb", "viscous")
        if term in terms
    ]
    if not more:
        return "friction may depend on load (add load) or temperature: warm the robot up"
    return ", or ".join(more)


def _delay_notices(joint: str, delay: _Found, e: Array, rest: Array) -> list[Notice]:
    """tau(t - d) is about tau - d times its rate; `rest` is what no other term could take of that.

    It still holds what the links took, so the delay is rather longer than this.
    """
    if not delay.matters or delay.value is None:
        return []
    late = -delay.value * float(np.linalg.norm(e) / np.linalg.norm(rest))
    which = "later" if late > 0 else "earlier"
    said = (
        f"errors go with the rate of the torque (correlation {delay.value:.2f}): torques come at "
        f"least {1e3 * abs(late):.2g} ms {which} than the motion"
    )
    hint = "shift the torques (lag_s in the map)"
    return [Notice(code="residual-delay", message=said, joint=joint, hint=hint)]
