"""The release number: a module of its own, so that what states it can say so in its key."""

__version__ = "0.1.0"
