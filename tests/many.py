"""How many inputs are generated where any number will do: `ROBOTID_MUTATIONS`, 60 by default."""

import os

from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("ROBOTID_MUTATIONS", "60"))


def many(times=1.0):
    """So many times that number; the same ones every time, but for large numbers."""
    return settings(
        max_examples=round(times * EXAMPLES),
        deadline=None,
        database=None,
        derandomize=EXAMPLES < 1000,
        suppress_health_check=list(HealthCheck),
    )
