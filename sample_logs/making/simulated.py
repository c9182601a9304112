"""Recordings of the robots that come with robotid, by `robotid simulate`."""

import json
import tempfile
import tomllib
from pathlib import Path

from robotid.robot.catalog import shipped_path
from robotid.stages.contract import Source
from robotid.stages.simulate import SimulateConfig, run


def simulate(robot: str, config: Path, folder: Path) -> None:
    """Write the recordings and `truth.json` of a configuration.

    What simulate writes besides, such as the true accelerations, is large and made again in
    seconds, so it is left out; versions of libraries are left out too, as they are not the same
    everywhere.

    Args:
        robot: the name of a robot that comes with robotid, or the path of a robot file.
        config: the keys of simulate (TOML).
        folder: where to.
    """
    path = Path(robot) if "/" in robot else shipped_path(robot)
    options = SimulateConfig.model_validate(tomllib.loads(config.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as place:
        out = Path(place)
        run(options, {"robot": [Source("", path, "")]}, out)
        for log in sorted(out.glob("*.csv")):
            (folder / log.name).write_bytes(log.read_bytes())
        truth = json.loads((out / "truth.json").read_text(encoding="utf-8"))
    truth["versions"] = {}
    text = json.dumps(truth, indent=1, ensure_ascii=False) + "\n"
    (folder / "truth.json").write_text(text, encoding="utf-8")
