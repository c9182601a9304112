"""Words for what facts of a fit call by short names: the same in verdicts and in reports."""

from collections.abc import Collection

BASELINES = {
    "zero": "no torque",
    "mean": "the mean torque",
    "nominal": "the robot file",
    "unloaded": "the robot without its load",
}
DATA = {
    "train": "the data it was fitted to",
    "val": "validation data",
    "test": "held-out data",
}


def unit_of_errors(units: Collection[str]) -> str:
    """Of errors over several joints: a mean over turning and sliding ones is of either kind.

    Args:
        units: of torque of the joints; none where they are not known.
    """
    found = set(units) or {"N m", "N"}
    return " or ".join(unit for unit in ("N m", "N") if unit in found)


def times(ratio: float) -> str:
    """How many times, in plain digits: 2.5, 34 or 210."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"
