"""Parameters as JSON and CSV, and payloads for controllers."""

import csv
import io
import json

import numpy as np
import pytest

from robotid.contracts.export import ParameterTable, PayloadTable
from robotid.contracts.fit import Parameter, PayloadFound
from robotid.errors import BadDataError, ConfigError
from robotid.exporting.payload import payload_table
from robotid.exporting.payload_frame import intervals_in, statuses_in
from robotid.exporting.tables import csv_table, json_table
from robotid.models.from_fit import read_fitted
from robotid.robot.geometry import (
    centre_and_inertia,
    phi_from,
    pose,
    rotation_about,
    transport,
)
from tests.exporting.fits import write_fit
from tests.exporting.test_robot_files import request_of
from tests.reference_models import random_rotation

INERTIA = ((0.02, 0.001, 0.002), (0.001, 0.03, -0.003), (0.002, -0.003, 0.04))
SIX = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))  # xx, xy, yy, xz, yz, zz


def payload(frame="panda_link7", mass=1.5):
    around = lambda value: [value, value - 0.1, value + 0.1]  # noqa: E731
    return PayloadFound(
        frame=frame,
        mass=around(mass),
        centre=[around(value) for value in (0.01, -0.02, 0.05)],
        inertia=[around(INERTIA[i][j]) for i, j in SIX],
        consistent=mass > 0,
        statuses={"mass": "identified", "Izz": "not excited"},
    )


def test_json_holds_every_parameter_and_link(tmp_path):
    request = request_of(write_fit(tmp_path, "ur10"))
    table = ParameterTable.model_validate_json(json_table(request).content)
    assert table.parameters == request.fitted.fit.parameters
    assert table.parameters[1].std == 0.01
    model = request.fitted.model
    assert [link.name for link in table.links] == list(model.layout.robot.links)
    centre, inertia = centre_and_inertia(model.links[2])
    assert table.links[2].mass == model.links[2, 0]
    np.testing.assert_array_equal(table.links[2].centre, centre)
    np.testing.assert_array_equal(table.links[2].inertia, inertia)
    assert all(link.not_physical is None for link in table.links)
    assert table.gravity == [0, 0, -9.81]


def test_json_of_what_cannot_exist_says_so(tmp_path):
    phi = read_fitted(write_fit(tmp_path, "furuta")).model.phi.copy()
    phi[0] = -1.0
    request = request_of(write_fit(tmp_path, "furuta", phi=phi))
    table = ParameterTable.model_validate_json(json_table(request).content)
    assert "mass -1 kg is not positive" in table.links[0].not_physical
    request = request_of(write_fit(tmp_path, "furuta", full=True))
    table = ParameterTable.model_validate_json(json_table(request).content)
    assert table.links == []
    assert len(table.parameters) == 26 + 8


def test_csv_has_all_digits(tmp_path):
    request = request_of(write_fit(tmp_path, "panda"))
    rows = list(csv.DictReader(io.StringIO(csv_table(request).content.decode())))
    for row, parameter in zip(rows, request.fitted.fit.parameters, strict=True):
        assert row["name"] == parameter.name
        assert float(row["value"]) == parameter.value
        assert (float(row["std"]) if row["std"] else None) == parameter.std
        assert row["status"] == parameter.status
        assert row["unit"] == "kg"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_s21_cells_are_no_formulas(text, tmp_path):
    """Text only: a negative number stays a number."""
    folder = write_fit(tmp_path, "furuta")
    fit = read_fitted(folder).fit
    first = fit.parameters[0].model_copy(update={"said": text, "value": -0.5})
    assert isinstance(first, Parameter)
    request = request_of(folder)
    changed = fit.model_copy(update={"parameters": [first, *fit.parameters[1:]]})
    request = request._replace(fitted=request.fitted._replace(fit=changed))
    written = csv_table(request).content.decode()
    row = next(csv.DictReader(io.StringIO(written, newline="")))
    assert row["said"] == f"'{text}"
    assert row["value"] == "-0.5"


def test_payload_as_controllers_take_it(tmp_path):
    request = request_of(write_fit(tmp_path, "panda", payload=payload()))
    written = payload_table(request)
    table = PayloadTable.model_validate_json(written.content)
    assert table.body == table.found
    assert table.body.mass == 1.5
    np.testing.assert_allclose(table.body.centre, [0.01, -0.02, 0.05], rtol=1e-12)
    np.testing.assert_allclose(table.body.inertia, INERTIA, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        table.ur.inertia, [0.02, 0.03, 0.04, 0.001, 0.002, -0.003], rtol=1e-9, atol=1e-12
    )
    assert table.ur.script.startswith("set_target_payload(1.5, [0.01")
    columns = np.array(INERTIA).T.ravel()
    np.testing.assert_allclose(table.franka.load_inertia, columns, rtol=1e-9, atol=1e-12)
    assert table.intervals["mass"] == (1.4, 1.6)
    assert table.intervals["Iyz"] == pytest.approx((-0.103, 0.097))
    assert table.statuses["Izz"] == "not excited"
    assert "link 'panda_link7'" in table.frame_note
    assert json.loads(written.content)["body"]["frame"] == "panda_link7"


def test_payload_in_the_frame_of_the_flange(tmp_path):
    """The flange sits 0.107 m along z of panda_link7."""
    folder = write_fit(tmp_path, "panda", payload=payload())
    table = PayloadTable.model_validate_json(
        payload_table(request_of(folder, payload_frame="panda_flange")).content
    )
    assert table.body.frame == "panda_flange"
    np.testing.assert_allclose(table.body.centre, [0.01, -0.02, 0.05 - 0.107], rtol=1e-9)
    np.testing.assert_allclose(table.body.inertia, INERTIA, rtol=1e-9, atol=1e-12)
    assert table.found.centre[2] == pytest.approx(0.05)
    assert table.intervals["cz"] == pytest.approx((-0.05 - 0.107, 0.15 - 0.107))
    assert table.intervals["Ixz"] == pytest.approx((-0.098, 0.102))  # axes are not turned
    assert table.franka.F_x_Cload == table.body.centre


def turned(angle):
    """A frame that is turned about z and moved."""
    return pose(rotation_about((0, 0, 1), angle), (1.0, 2.0, 3.0))


def test_intervals_turn_with_the_frame():
    """By a quarter axes change places, by less intervals are as wide as the worst case."""
    given = payload()
    assert intervals_in(given, np.eye(4))["Ixy"] == tuple(given.inertia[1][1:])
    quarter = intervals_in(given, turned(np.pi / 2))
    assert quarter["cx"] == pytest.approx((1 + 0.02 - 0.1, 1 + 0.02 + 0.1))  # -y of before
    assert quarter["cy"] == pytest.approx((2 + 0.01 - 0.1, 2 + 0.01 + 0.1))
    assert quarter["Ixx"] == pytest.approx(given.inertia[2][1:])
    assert quarter["Ixy"] == pytest.approx((-0.101, 0.099))
    assert quarter["mass"] == (1.4, 1.6)
    eighth = intervals_in(given, turned(np.pi / 4))
    assert np.ptp(eighth["cx"]) == pytest.approx(0.2 * np.sqrt(2))
    assert np.mean(eighth["cx"]) == pytest.approx(1 + (0.01 + 0.02) / np.sqrt(2))
    assert np.ptp(eighth["cz"]) == pytest.approx(0.2)


def test_intervals_in_another_frame_hold_what_the_old_ones_hold():
    rng = np.random.default_rng(0)
    given = payload()
    entries = np.array([*given.centre, *given.inertia])
    for _ in range(50):
        placement = pose(random_rotation(rng), rng.normal(size=3))
        found = intervals_in(given, placement)
        value = rng.uniform(entries[:, 1], entries[:, 2])
        inertia = np.array([value[[3, 4, 6]], value[[4, 5, 7]], value[[6, 7, 8]]])
        phi = transport(phi_from(1.5, value[:3], inertia), placement)
        centre, about = centre_and_inertia(phi)
        moved = {"mass": phi[0], **dict(zip(("cx", "cy", "cz"), centre, strict=True))}
        moved |= {f"I{'xyz'[i]}{'xyz'[j]}": about[i, j] for i, j in SIX}
        for name, number in moved.items():
            assert found[name][0] - 1e-12 <= number <= found[name][1] + 1e-12


def test_what_is_mixed_with_an_unknown_is_unknown():
    given = payload().model_copy(
        update={
            "centre": [[0.01, 0.0, 0.02], [0.0, None, None], [0.05, 0.04, 0.06]],
            "statuses": {"cx": "identified", "cy": "not excited", "cz": "identified"},
        }
    )
    quarter, eighth = turned(np.pi / 2), turned(np.pi / 4)
    assert not {"cx"} & intervals_in(given, quarter).keys()
    assert "cy" in intervals_in(given, quarter)
    assert not {"cx", "cy"} & intervals_in(given, eighth).keys()
    assert statuses_in(given, quarter)["cx"] == "not excited"
    assert statuses_in(given, quarter)["cy"] == "identified"
    assert set(statuses_in(given, eighth).values()) == {"not excited", "identified"}
    assert statuses_in(given, eighth)["cz"] == "identified"


def test_payloads_that_the_data_do_not_show(tmp_path):
    """What would be set in a controller has to be known; inertias may be zero there."""
    statuses = {"mass": "identified", "cx": "identified", "cy": "not excited", "cz": "uncertain"}
    doubtful = payload().model_copy(update={"statuses": statuses})
    folder = write_fit(tmp_path, "panda", payload=doubtful)
    with pytest.raises(BadDataError, match=r"cy \(not excited\), cz \(uncertain\)") as caught:
        payload_table(request_of(folder))
    assert caught.value.notice.code == "payload-not-identified"
    assert "--allow-unidentified" in caught.value.notice.hint
    written = payload_table(request_of(folder, allow_unidentified=True))
    assert [notice.code for notice in written.notices] == ["payload-not-identified"]


def test_payloads_that_cannot_be_given(tmp_path):
    with pytest.raises(ConfigError, match="not of a payload"):
        payload_table(request_of(write_fit(tmp_path / "a", "panda")))
    folder = write_fit(tmp_path / "b", "panda", payload=payload(mass=-0.2))
    with pytest.raises(BadDataError, match=r"mass -0.2 kg is not positive"):
        payload_table(request_of(folder))
    payload_table(request_of(folder, allow_infeasible=True))
    folder = write_fit(tmp_path / "c", "panda", payload=payload())
    with pytest.raises(ConfigError, match="moves against"):
        payload_table(request_of(folder, payload_frame="panda_link6"))
    with pytest.raises(ConfigError, match="did you mean 'panda_flange'"):
        payload_table(request_of(folder, payload_frame="panda_flang"))
