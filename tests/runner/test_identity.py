"""Which sources a result depends on."""

import os

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
