"""`robotid export`, as a user calls it."""

import json

from robotid.contracts.export import read_export_index
from robotid.contracts.fit import Reason, Verdict
from robotid.models.from_fit import read_fitted
from robotid.robot.load import load_robot
from robotid.stages.contract import Source
from robotid.stages.export import ExportConfig, run
from tests.exporting.fits import write_fit
from tests.exporting.test_robot_files import MJCF
from tests.exporting.test_tables import payload

ALL = "urdf,mjcf,json,csv,payload,python,c"
FILES = {
    "robot.urdf", "robot.xml", "parameters.json", "parameters.csv", "payload.json",
    "inverse_dynamics.py", "inverse_dynamics.h",
}  # fmt: skip


def test_every_format_at_once(robotid, tmp_path):
    fit = write_fit(tmp_path / "fit", "panda", payload=payload())
    out = tmp_path / "out"
    answer = robotid("export", fit, "--format", ALL, "--out", out, "--json")
    assert answer.code == 0, answer.err
    assert {"converted", "not-carried"} == {w["code"] for w in answer.json["warnings"]}
    index = read_export_index(out)
    assert {file.file for file in index.files} == FILES
    for file in index.files:
        assert file.checked, file
        assert file.difference < 1e-9
        assert (out / file.file).stat().st_size > 0
    assert index.usable
    again = robotid("export", fit, "--format", ALL, "--out", out, "--json")
    assert (again.code, again.json["cached"]) == (0, True)
    assert again.json["warnings"] == answer.json["warnings"]


def export(fit, out, **config):
    """The stage in this process; returns the names of the files and the findings."""
    out.mkdir()
    notices = run(ExportConfig(**config), {"fit": [Source("", fit, "0" * 64)]}, out)
    return {path.name: path.read_bytes() for path in out.iterdir()}, notices


def test_the_default_is_the_robots_own_format_and_json(tmp_path):
    fit = write_fit(tmp_path / "fit", "ur10")
    files, _ = export(fit, tmp_path / "a")
    assert files.keys() == {"robot.urdf", "parameters.json", "export.json"}
    (tmp_path / "arm.xml").write_text(MJCF)
    fit = write_fit(tmp_path / "arm", file=tmp_path / "arm.xml")
    files, _ = export(fit, tmp_path / "b")
    assert files.keys() == {"robot.xml", "parameters.json", "export.json"}


def test_the_same_bytes_again(tmp_path):
    fit = write_fit(tmp_path / "fit", "furuta")
    formats = ["urdf", "mjcf", "python", "c", "csv", "json"]
    assert export(fit, tmp_path / "a", format=formats) == export(
        fit, tmp_path / "b", format=formats[::-1]
    )


def test_infeasible_links(robotid, tmp_path):
    phi = read_fitted(write_fit(tmp_path / "fit", "ur10")).model.phi.copy()
    phi[0] = -2.0
    fit = write_fit(tmp_path / "fit", "ur10", phi=phi)
    answer = robotid("export", fit, "--out", tmp_path / "out")
    assert answer.code == 65
    assert "mass -2 kg is not positive" in answer.err
    assert "--allow-infeasible" in answer.err
    assert not (tmp_path / "out").exists()
    answer = robotid("export", fit, "--out", tmp_path / "out", "--allow-infeasible", "--json")
    assert answer.code == 0, answer.err
    assert "infeasible" in [w["code"] for w in answer.json["warnings"]]
    new = load_robot(tmp_path / "out" / "robot.urdf").tree
    assert new.phi[0, 0] == -2.0
    # Code and tables are what the fit says, whether a body could be like that or not.
    files, notices = export(fit, tmp_path / "code", format=["json", "csv", "python", "c"])
    assert (len(files), notices) == (5, [])


def test_a_fit_that_is_not_usable(robotid, tmp_path):
    reason = Reason(code="worse-than-nominal", message="…", hint="record more motion")
    verdict = Verdict(usable=False, sentence="The robot file predicts better.", reasons=[reason])
    fit = write_fit(tmp_path / "fit", "furuta", verdict=verdict)
    answer = robotid("export", fit, "--out", tmp_path / "out", "--json")
    assert answer.code == 4
    (said,) = [w for w in answer.json["warnings"] if w["code"] == "fit-not-usable"]
    assert said["message"] == f"export: {verdict.sentence}"
    assert said["hint"] == "record more motion"
    assert said["effect"] == "quality"
    assert not read_export_index(tmp_path / "out").usable
    assert json.loads((tmp_path / "out" / "parameters.json").read_text())["usable"] is False


def test_what_cannot_be_exported(robotid, tmp_path):
    fit = write_fit(tmp_path / "fit", "furuta")
    for flags, says in (("usd", "no format 'usd'"), ("jsn", "did you mean 'json'")):
        answer = robotid("export", fit, "--format", flags)
        assert (answer.code, says in answer.err) == (78, True)
    assert robotid("export", tmp_path / "none").code == 66
    (fit / "nominal.urdf").write_bytes(load_robot("cartpole").data)
    answer = robotid("export", fit)
    assert (answer.code, "fit-differs" in answer.err) == (65, True)


def test_a_frame_of_a_payload_without_one_is_refused(robotid, tmp_path):
    fit = write_fit(tmp_path / "fit", "panda")
    answer = robotid("export", fit, "--payload-frame", "panda_flange", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (78, "bad-value")
    assert "payload_frame is for format payload" in answer.json["error"]["message"]
