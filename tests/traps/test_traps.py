"""Every planted trap is named by its code, and sound logs are quiet.

`ROBOTID_CLEAN_RUNS` sets how many sound logs are tried.
"""

import os

import pytest

from tests.traps.chain import logs, outcome
from tests.traps.planted import TRAPS

CLEAN = int(os.environ.get("ROBOTID_CLEAN_RUNS", "2"))


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: f"{trap.row} {trap.what}")
def test_planted_traps_are_named(tmp_path, trap):
    found = outcome(tmp_path, trap.plant(), *trap.settings, until=trap.until)
    assert trap.code in found.codes, found.notices
    assert trap.says in " ".join(n.message for n in found.notices if n.code == trap.code)


def test_there_are_many_traps():
    assert len(TRAPS) >= 40
    assert len({(trap.row, trap.what) for trap in TRAPS}) == len(TRAPS)


def test_sound_logs_are_quiet(tmp_path):
    """Of sound logs at most one in fifty may be blamed for anything."""
    blamed = {}
    for seed in range(CLEAN):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found = outcome(folder, logs(seed))
        assert found.exit_code == 0
        if found.notices:
            blamed[seed] = found.notices
    assert len(blamed) <= 0.02 * CLEAN, blamed
