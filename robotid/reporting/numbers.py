"""Numbers as people read them; what is not known is a dash."""

_DASH = "–"
_NO_BREAK = "\u00a0"
_THIN_SPACE = "\u202f"


def number(value: float | None) -> str:
    """Four digits that matter."""
    return _DASH if value is None else f"{value:.4g}"


def percent(share: float | None) -> str:
    """A share as per cent, with three digits that matter."""
    return _DASH if share is None else f"{100 * share:.3g}{_NO_BREAK}%"


def whole(count: int | None) -> str:
    """A count, thousands set apart."""
    return _DASH if count is None else f"{count:,}".replace(",", _THIN_SPACE)
