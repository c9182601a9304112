"""Words for what facts of a fit call by short names: the same in verdicts and in reports."""

BASELINES = {
    "zero": "no torque",
    "mean": "the mean torque",
    "nominal": "the robot file",
    "unloaded": "the robot without its load",
    "sdp": "a rigid body (sdp)",
}
ACCELERATION_BASELINES = {  # of fits that predict accelerations
    "zero": "no acceleration",
    "mean": "the mean acceleration",
    "nominal": "the robot file",
}
DATA = {
    "train": "the data it was fitted to",
    "val": "validation data",
    "test": "held-out data",
}


def times(ratio: float) -> str:
    """How many times, in plain digits: 2.5, 34 or 210."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"
