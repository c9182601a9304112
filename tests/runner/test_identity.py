"""Which sources a result depends on."""

import errno
import os
from pathlib import Path

import pytest

from robotid.runner.identity import code_identity
from robotid.stages.catalog import stage_named


def test_folders_that_another_process_fills_are_left_alone(monkeypatch):
    """Compiled code appears and vanishes while keys are made: it is no source."""
    before = code_identity(stage_named("filter"), fresh=True)
    plain = os.scandir

    def scandir(path="."):
        if "__pycache__" in os.fspath(path):
            raise FileNotFoundError(path)
        return plain(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert code_identity(stage_named("filter"), fresh=True) == before
    assert len(set(before.values())) == len(before) > 5


def test_a_folder_that_cannot_be_listed_is_no_other_code(monkeypatch):
    """`os.walk` passes over what it cannot open, and the key would be that of other sources."""
    real = os.scandir

    def scandir(path="."):
        if Path(path).name == "signals":
            raise OSError(errno.EINTR, "interrupted", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(OSError, match="interrupted"):
        code_identity(stage_named("filter"), fresh=True)
