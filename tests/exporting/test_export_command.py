"""`robotid export`, as a user calls it."""

import json

import pytest

from robotid.contracts.export import read_export_index
from robotid.contracts.fit import Reason, Verdict
from robotid.errors import BadDataError
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
    assert {"converted", "not-carried", "load-included"} == {
        w["code"] for w in answer.json["warnings"]
    }
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


@pytest.mark.parametrize("code", ["load-not-seen", "load-inconsistent", "load-not-explained"])
def test_nothing_is_exported_of_a_load_that_is_none(code, robotid, tmp_path):
    reason = Reason(code=code, message="no load is seen", hint="check the recordings")
    verdict = Verdict(usable=False, sentence="Not to be used: no load is seen.", reasons=[reason])
    fit = write_fit(tmp_path / "fit", "panda", payload=payload(), verdict=verdict)
    answer = robotid("export", fit, "--out", tmp_path / "out", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (65, "fit-not-usable")
    assert answer.json["error"]["hint"] == "check the recordings"
    assert not (tmp_path / "out").exists()


def test_a_payload_that_is_not_to_be_used_goes_into_no_controller(tmp_path):
    """Whatever the reason; other files are written with a warning, as always."""
    reason = Reason(code="gate-failed", message="max_rmse", hint="record more")
    verdict = Verdict(usable=False, sentence="Not to be used: max_rmse.", reasons=[reason])
    fit = write_fit(tmp_path / "fit", "panda", payload=payload(), verdict=verdict)
    with pytest.raises(BadDataError, match="Not to be used: max_rmse"):
        export(fit, tmp_path / "a", format=["payload"])
    _, notices = export(fit, tmp_path / "b", format=["json"])
    assert {notice.code for notice in notices} == {"fit-not-usable", "load-included"}


def test_files_that_hold_a_load_are_named(tmp_path):
    """Else it is set a second time in the controller."""
    fit = write_fit(tmp_path / "found", "panda", payload=payload())
    _, notices = export(fit, tmp_path / "a", format=["urdf", "payload", "python"])
    (said,) = [notice.message for notice in notices if notice.code == "load-included"]
    assert said == "urdf, python: link parameters hold the load of 1.5 kg that was found"
    assert "load-included" not in [
        n.code for n in export(fit, tmp_path / "b", format=["payload"])[1]
    ]
    options = {"payload": ["panda_link7,1e-6,0,0,0"]}
    fit = write_fit(tmp_path / "given", "panda", options=options)
    _, notices = export(fit, tmp_path / "c", format=["urdf", "mjcf"])
    (said,) = [notice.message for notice in notices if notice.code == "load-included"]
    assert said == "mjcf: link parameters hold the payload of the fit"


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
