"""Numbers as people read them; what is not known is a dash."""

_DASH = "–"
_ROUNDING = 1e-6  # of its standard deviation: what is smaller is zero but for rounding
_NOTHING = 1e-15  # in SI units, where there is no standard deviation: no part of a robot has less
_NO_BREAK, _THIN_SPACE = SPACES = "\u00a0\u202f"  # within numbers, where no line ends


def number(value: float | None) -> str:
    """Four digits that matter."""
    return _DASH if value is None else f"{value:.4g}"


def fitted(value: float, std: float | None) -> str:
    """A fitted value as `number`; one that a bound keeps at zero, but for rounding, is 0."""
    return "0" if is_zero(value, std) else number(value)


def is_zero(value: float, std: float | None) -> bool:
    """Whether a fitted value is nothing but rounding around zero."""
    return abs(value) < (_ROUNDING * std if std else _NOTHING)


def percent(share: float | None) -> str:
    """A share as per cent, with three digits that matter."""
    return _DASH if share is None else f"{100 * share:.3g}{_NO_BREAK}%"


def whole(count: int | None) -> str:
    """A count, thousands set apart."""
    return _DASH if count is None else f"{count:,}".replace(",", _THIN_SPACE)


def fixed(value: float, digits: int) -> str:
    """So many decimals; what rounds to zero has no sign."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed(value: float, digits: int) -> str:
    """The same with a plus sign where it is positive."""
    text = fixed(value, digits)
    return text if text.startswith("-") or float(text) == 0 else f"+{text}"
