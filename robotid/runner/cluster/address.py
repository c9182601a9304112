"""Addresses of schedulers. Light to import: a wrong one is refused before anything is started."""

import re

from robotid.errors import UsageError

_FORM = re.compile(r"((?P<scheme>\w+)://)?(?P<host>\[[0-9a-fA-F:]+\]|[^\s/:]+):(?P<port>\d{1,5})")
_SCHEMES = ("tcp", "tls", "ws", "wss", "ucx", "ucxx")
_LAST_PORT = 65535


def check_address(address: str) -> None:
    """Refuse what cannot be the address of a scheduler."""
    hint = "such as tcp://10.0.0.1:8786, or tls://… with dask's settings for TLS"
    found = _FORM.fullmatch(address)
    if found is None or int(found["port"]) > _LAST_PORT:
        said = f"--scheduler {address!r} is not an address"
        raise UsageError("bad-scheduler", said, hint=hint)
    if found["scheme"] is not None and found["scheme"] not in _SCHEMES:
        said = f"--scheduler {address}: {found['scheme']}:// is none of {', '.join(_SCHEMES)}"
        raise UsageError("bad-scheduler", said, hint=hint)
