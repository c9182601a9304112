"""`robotid robots`: the list, and one robot."""

import json

import pytest

from robotid.robot.catalog import ROBOTS
from tests.robot.urdf_texts import ARM


def test_list(robotid):
    answer = robotid("robots")
    assert answer.code == 0
    lines = answer.out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == list(ROBOTS)
    assert "12 + floating base" in answer.out
    listed = robotid("robots", "--json").json["robots"]
    assert [robot["name"] for robot in listed] == list(ROBOTS)
    panda = next(robot for robot in listed if robot["name"] == "panda")
    assert panda["joints"] == 7
    assert panda["floating"] is False
    assert panda["mass"] == pytest.approx(16.062132 + 0.629769)  # docs/robots.md, and the base


@pytest.mark.parametrize("name", ROBOTS)
def test_one_by_name(robotid, name):
    answer = robotid("robots", name)
    assert answer.code == 0
    assert answer.err == ""
    shown = robotid("robots", name, "--json").json
    assert shown["name"] == name
    assert shown["warnings"] == []
    for joint in shown["joints"]:
        assert joint["name"] in answer.out
        assert joint["kind"] in ("revolute", "continuous", "prismatic")
    own = sum(link["mass"] for link in shown["links"])
    assert own == pytest.approx(shown["mass"])


def test_one_by_path_with_findings(robotid, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.replace('<mass value="1.0"/>', '<mass value="-1.0"/>'))
    answer = robotid("robots", path)
    assert answer.code == 0
    assert f"warning[non-physical-link] {path}:17 (elbow)" in answer.err
    shown = robotid("robots", path, "--json").json
    assert [notice["code"] for notice in shown["warnings"]] == ["non-physical-link"]
    elbow = shown["joints"][1]
    assert (elbow["lower"], elbow["upper"], elbow["effort"]) == (None, None, None)
    assert (elbow["link"], elbow["parent"]) == ("lower", "upper")
    tied = {link["name"]: link["tied_to"] for link in shown["links"]}
    assert tied == {
        "upper": None, "lower": None, "base": "ground", "bracket": "upper", "tip": "lower",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [("pnada", 66, "did you mean 'panda'"), ("./none.urdf", 66, "none.urdf")],
)
def test_what_is_not_there(robotid, given, code, says):
    answer = robotid("robots", given, "--json")
    assert answer.code == code
    assert says in answer.err
    assert json.loads(answer.out)["error"]["code"] in ("unknown-robot", "not-found")


def test_bad_file(robotid, tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text("<robot>\n<link</robot>")
    answer = robotid("robots", path)
    assert answer.code == 65
    assert f"error[bad-xml] {path}:2:" in answer.err


def test_base_parameters_of_a_robot(robotid):
    answer = robotid("robots", "panda", "--base-parameters", "--json")
    assert len(answer.json["base_parameters"]) == 43
    shown = robotid("robots", "panda", "--base-parameters")
    assert answer.json["base_parameters"][1] in shown.out
    assert robotid("robots", "panda", "--json").json["base_parameters"] is None
    refused = robotid("robots", "--base-parameters")
    assert refused.code == 2
