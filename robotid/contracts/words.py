"""Words for what facts of a fit call by short names: the same in verdicts and in reports."""

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
