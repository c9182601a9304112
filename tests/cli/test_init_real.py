"""Logs of real robots from init to a report, with nothing edited but the map.

They are not part of the project: `ROBOTID_REAL_LOGS` says where they are.
"""

import pytest

from tests.test_real_logs import CASES, REAL

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="ROBOTID_REAL_LOGS is not set")


# Whether the map that init writes has to be filled in: motors, gears, and no times.
@pytest.mark.parametrize(("name", "edited"), [("ur10", False), ("panda", False), ("tx40", True)])
def test_from_init_to_report(robotid, tmp_path, name, edited):
    case = CASES[name]
    logs, out = sorted(REAL.glob(case.logs)), tmp_path / "start"
    words = ["--robot", REAL / case.robot, *logs, "--model", "sdp", "--out", out, "--json"]
    answer = robotid("init", *words)
    assert answer.code == 0, answer.err
    assert answer.json["ready"] != edited
    if edited:
        (out / "columns.map.toml").write_text(case.columns)
    done = robotid("run", out / "pipeline.toml", "--out", tmp_path / "results", "--json")
    assert done.code == 0, done.err
    assert (tmp_path / "results" / "report" / "report.html").is_file()
