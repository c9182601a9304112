"""Robots from texts."""

import pytest

from robotid.robot.load import load_robot


@pytest.fixture
def load(tmp_path):
    """Load a robot from a text, as a user would from a file."""

    def from_text(text, name="robot.urdf", **changes):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_robot(path, **changes)

    return from_text
