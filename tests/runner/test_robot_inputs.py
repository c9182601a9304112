"""A robot as an input: by path, or by the name of one that comes with the package."""

import pytest

from robotid.errors import ExitCode, InputMissingError
from robotid.robot.catalog import shipped_path

from .conftest import text_of

BY = '[stages.a]\nstage = "robot"\ninputs.robot = "{}"\n'


def test_a_shipped_robot_by_name(run):
    result, ran = run(BY.format("pendulum"))
    assert result.exit_code == ExitCode.OK
    assert ran == ["a"]
    assert text_of(result, "a") == f"pendulum {shipped_path('pendulum').stat().st_size}"


def test_the_key_is_that_of_the_bytes(run, tmp_path):
    """By name, by path, under another name: the same result."""
    run(BY.format("pendulum"))
    (tmp_path / "mine.urdf").write_bytes(shipped_path("pendulum").read_bytes())
    for given in ("mine.urdf", "./mine.urdf", str(shipped_path("pendulum"))):
        assert run(BY.format(given))[1] == []
    (tmp_path / "mine.urdf").write_bytes(shipped_path("cartpole").read_bytes())
    assert run(BY.format("mine.urdf"))[1] == ["a"]


def test_a_bare_word_is_a_name_even_beside_a_file(run, tmp_path):
    run(BY.format("pendulum"))
    (tmp_path / "pendulum").write_bytes(shipped_path("cartpole").read_bytes())
    assert run(BY.format("pendulum"))[1] == []
    assert run(BY.format("./pendulum"))[1] == ["a"]


@pytest.mark.parametrize(
    ("given", "says"), [("pendulums", "did you mean 'pendulum'"), ("none.urdf", "no such file")]
)
def test_what_is_not_there_stops_before_anything_runs(run, given, says):
    with pytest.raises(InputMissingError, match=says):
        run(BY.format(given))


def test_names_are_for_robots_only(run):
    with pytest.raises(InputMissingError, match="no such file"):
        run('[stages.a]\nstage = "read"\ninputs.files = "pendulum"\n')


def test_in_worker_processes(run_in_workers):
    result = run_in_workers(BY.format("pendulum"))
    assert result.exit_code == ExitCode.OK
    assert text_of(result, "a").startswith("pendulum ")
