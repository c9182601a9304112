"""Words for what facts call by short names."""

BASELINES = {
    "zero": "no torque",
    "mean": "the mean torque",
    "nominal": "the robot file",
    "unloaded": "the robot without its load",
}
SPLITS = {"train": "training", "val": "validation", "test": "test"}
DATA = {
    "train": "the data it was fitted to",
    "val": "validation data",
    "test": "held-out data",
}


def listed(words: list[str]) -> str:
    """One, two and three."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(number: int, one: str) -> str:
    """3 joints, 1 joint."""
    return f"{number} {one}{'' if number == 1 else 's'}"
