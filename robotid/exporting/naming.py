"""Names from robot files in generated code: as identifiers and in comments, and nothing else.

A name may hold anything, also what ends a comment or a string. What is not a plain letter, digit or
one of a few signs becomes an underscore.
"""

import re

_LONGEST = 80


def identifier(name: str) -> str:
    """A name that C and Python take as the beginning of an identifier."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name)[:_LONGEST].strip("_").lower()
    return plain if plain and not plain[0].isdigit() else f"robot_{plain}".rstrip("_")


def comment(text: str) -> str:
    """Text that can stand in a comment or a docstring of either language."""
    return re.sub(r"[^A-Za-z0-9 _.,:;+%()=-]", "_", text)[: 4 * _LONGEST]
