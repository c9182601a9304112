"""One byte string per value, so that equal values have equal keys and different ones do not."""

import hashlib
import json
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any


def canonical(value: Any) -> bytes:
    """JSON with sorted keys, no spaces, ASCII only; NaN and infinity are refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def digest(value: Any) -> str:
    """SHA-256 of the canonical bytes of a JSON value."""
    return hashlib.sha256(canonical(value)).hexdigest()


def tagged(value: Any) -> Any:
    """A JSON value from which type and exact bits can be read back.

    `1`, `1.0`, `"1"` and `true` all differ, so do `0.0` and `-0.0`: strings get the prefix `s:`,
    floats are written in hexadecimal behind `f:`; the rest is what JSON tells apart by itself.
    """
    if isinstance(value, Enum):
        return tagged(value.value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            msg = f"{value} cannot be part of a key"
            raise ValueError(msg)
        return f"f:{value.hex()}"
    if isinstance(value, str):
        return f"s:{value}"
    if isinstance(value, Mapping):
        return {_text_key(key): tagged(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [tagged(item) for item in value]
    msg = f"{type(value).__name__} cannot be part of a key"
    raise TypeError(msg)


def _text_key(key: Any) -> str:
    if not isinstance(key, str):
        msg = f"a mapping inside a key needs text keys, not {type(key).__name__}"
        raise TypeError(msg)
    return key
