"""Errors of a value as errors of the configuration key that it was given by."""

from collections.abc import Iterator
from contextlib import contextmanager

from robotid.errors import ConfigError, UsageError


@contextmanager
def given_by(key: str) -> Iterator[None]:
    """What a library function says of its argument, as said of a key of the configuration."""
    try:
        yield
    except UsageError as error:
        said = error.notice
        message = f"{key}: {said.message}"
        raise ConfigError(said.code, message, joint=said.joint, hint=said.hint) from error
