"""What a number in a text log looks like, and nothing more."""

import re

DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
NON_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


def is_number(cell: str) -> bool:
    """Whether a cell is a decimal number or a word for one that is not finite (B44, B45)."""
    return bool(DECIMAL.fullmatch(cell) or NON_FINITE.fullmatch(cell))


_OTHER_WAYS = (
    (re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?"), "it has a decimal comma"),
    (re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?"), "it has thousands separators"),
    (re.compile(r"[+-]?0[xX][0-9a-fA-F]+"), "it is hexadecimal"),
    (re.compile(r"[+-]?[0-9.]+[dD][+-]?[0-9]+"), "it has a Fortran exponent"),
    (re.compile(r"[+-]?[0-9][0-9_]*_[0-9_.]*"), "it has underscores"),
    (re.compile("[\u2212\u2013][0-9.]+"), "its minus is not the one of the keyboard"),
    (re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*[^0-9\s].*"), "a unit or text follows"),
)


def why_not(cell: str) -> str:
    """What is odd about a cell that is not a number; empty when nothing comes to mind."""
    if not cell:
        return "it is empty"
    return next((said for way, said in _OTHER_WAYS if way.fullmatch(cell)), "")
