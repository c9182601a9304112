"""Options that cannot continue an earlier fit. Light to import, as `options` is.

An earlier fit leaves one factor per joint of all its training data: no samples, no blocks, no
recordings one by one. What needs more than that would be a guess, and is refused.
"""

from typing import NamedTuple

from robotid.errors import ConfigError
from robotid.fitting.options import FitOptions

_TOGETHER = "of the earlier fit only all training data together are known"
_AT_ONCE = "fit all recordings at once"


class _Refused(NamedTuple):
    """A value of a key (None for any but the default), why it is refused, and what to do."""

    key: str
    value: object
    why: str
    hint: str


_REFUSED = (
    _Refused("loss", "forward", "forward models learn from samples", _AT_ONCE),
    _Refused("model", "irls", "irls weighs stretches of recordings", f"take wls, or {_AT_ONCE}"),
    _Refused("optimizer", "adam", "adam trains on samples", f"take newton, or {_AT_ONCE}"),
    _Refused("cv", None, "folds leave out single recordings", f"leave it out, or {_AT_ONCE}"),
    _Refused(
        "intervals", "blocks", "blocks are stretches of recordings", f"leave it out, or {_AT_ONCE}"
    ),
    _Refused("loaded", None, "gains of drives need recordings with and without a load", _AT_ONCE),
)


def check_update(options: FitOptions) -> None:
    """Refuse options with which the result would not be that of all data at once."""
    for key, value, why, hint in _REFUSED:
        given = getattr(options, key)
        if given == value or (value is None and given != FitOptions.model_fields[key].default):
            said = f"{key}: {why}, and {_TOGETHER} (update)"
            raise ConfigError("no-exact-update", said, hint=hint)
