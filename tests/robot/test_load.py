"""Names and paths of robots."""

import subprocess
import sys

import pytest

from robotid.errors import InputMissingError
from robotid.robot.catalog import FILES, ROBOTS, robot_path
from robotid.robot.load import load_robot

from .urdf_texts import ARM


@pytest.mark.parametrize("name", ROBOTS)
def test_every_listed_robot_is_there_and_has_its_name(name):
    assert load_robot(name).tree.name == name
    assert ROBOTS[name].summary


def test_every_file_is_listed():
    assert {path.name for path in FILES.glob("*.urdf")} == {robot.file for robot in ROBOTS.values()}


def test_unknown_name_answers_with_the_nearest():
    with pytest.raises(InputMissingError, match="did you mean 'panda'"):
        load_robot("pnada")


def test_a_bare_word_is_a_name_and_the_rest_are_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("panda", "mine", "arm.urdf"):
        (tmp_path / name).write_text(ARM)
    assert load_robot("panda").tree.name == "panda"
    assert load_robot("./panda").tree.name == "arm"
    assert load_robot("arm.urdf").tree.name == "arm"
    assert load_robot(tmp_path / "panda").tree.name == "arm"
    with pytest.raises(InputMissingError, match=r"\./mine"):
        load_robot("mine")
    assert robot_path("arm.urdf", tmp_path) == tmp_path / "arm.urdf"


def test_catalogue_is_light_and_loading_needs_numpy_only():
    """Pipelines look names up, and a listing must be quick."""
    code = (
        "import sys; import robotid.robot.catalog; assert 'numpy' not in sys.modules;"
        "from robotid.robot.load import load_robot; load_robot('humanoid'); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"torch", "scipy", "mujoco", "pydantic"} & set(done.stdout.split()) == set()
