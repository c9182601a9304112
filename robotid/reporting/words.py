"""How a report says things."""

SPLITS = {"train": "training", "val": "validation", "test": "test"}


def listed(words: list[str]) -> str:
    """One, two and three."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(number: int, one: str, several: str | None = None) -> str:
    """3 joints, 1 joint; `several` where an s does not do."""
    return f"{number} {one if number == 1 else several or one + 's'}"
