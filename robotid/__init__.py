"""robotid: from raw robot logs to a dynamics model one can trust."""

from robotid.release import __version__ as __version__
