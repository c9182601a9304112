"""robotid: from raw robot logs to a dynamics model one can trust."""

__version__ = "0.1.0"
