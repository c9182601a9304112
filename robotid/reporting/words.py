"""How a report says things."""

SPLITS = {"train": "training", "val": "validation", "test": "test"}


def listed(words: list[str]) -> str:
    """One, two and three."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(number: int, one: str) -> str:
    """3 joints, 1 joint."""
    return f"{number} {one}{'' if number == 1 else 's'}"
