"""What names of columns are taken to mean."""

import pytest

from robotid.inspection.column_words import read_name, time_unit_of, words_of


@pytest.mark.parametrize(
    ("name", "signal", "marks"),
    [
        ("Position1", "q", ""),
        ("pos_meas1", "q", "measured"),
        ("q_0", "q", ""),
        ("position[3]", "q", ""),
        ("rec.arm.q[0]", "q", ""),
        ("- arm_1_joint_position", "q", ""),
        ("position.fer_joint1", "q", ""),
        ("PositionCmptd1", "q", "computed"),
        ("pos_filt1", "q", "filtered"),
        ("goal_position", "q", "commanded"),
        ("theta2", "q", ""),
        ("qd1", "qd", ""),
        ("q_dot_1", "qd", ""),
        ("theta1_dot", "qd", ""),
        ("ref_kin.phi_r_all_d1[0]", "qd", "commanded"),
        ("ref_kin.phi_r_all_d2[0]", "qdd", "commanded"),
        ("jointSpeed3", "qd", ""),
        ("omega[2]", "qd", ""),
        ("AccCmptd1", "qdd", "computed"),
        ("tau_meas1", "tau", "measured"),
        ("tau_con1", "tau", "commanded"),
        ("TorqueCur1", "tau", "current"),
        ("TorqueSm1", "tau", "measured"),
        ("effort.elbow", "tau", ""),
        ("torque_enable", "tau", "switch"),
        ("motor_current_3", "current", "motor"),
        ("i_1", "current", ""),
        ("Cur1", "current", ""),
        ("Temp4", "temperature", ""),
        ("rec.error_pos_deg[0]", "q", "error"),
        ("ee_pos_x", "q", "cartesian"),
        ("Time", "time", ""),
        ("t", "time", ""),
        ("header.stamp", "time", ""),
        ("time_data.time_cont", "time", ""),
        ("input_volts", None, "switch"),
        ("m_all[0]", None, ""),
        ("", None, ""),
        ("%&§", None, ""),
    ],
)
def test_names(name, signal, marks):
    said = read_name(name)
    assert said.signal == signal
    assert said.marks == set(marks.split())
    assert not said.weak


def test_weak_words():
    assert read_name("load")[:2] == ("tau", True)
    assert read_name("Joint_1")[:2] == ("q", True)


def test_other_names_speak_for_columns_that_say_nothing():
    assert read_name("Joint_1", ("data", "curr_data"))[:2] == ("current", False)
    assert read_name("Joint_1", ("data", "pos_read_data"))[:2] == ("q", False)
    assert read_name("Velocity1", ("positions",)).signal == "qd"


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("pos_deg1", "deg"),
        ("rec.act_vel_se_deg_per_s[0]", "deg/s"),
        ("act_torque_nm[0]", "Nm"),
        ("speed_rpm_2", "rpm"),
        ("vel_deg", "deg/s"),
        ("pos_m1", None),
        ("current_mA", "mA"),
        ("torque_mNm_1", "mNm"),
        ("x_deg", None),
    ],
)
def test_units_in_names(name, unit):
    assert read_name(name).unit == unit


@pytest.mark.parametrize(
    ("name", "unit"),
    [("time_ms", "ms"), ("t_us", "us"), ("stamp_nsec", "ns"), ("time", None), ("times", None)],
)
def test_units_of_time_in_names(name, unit):
    assert time_unit_of(name) == unit


def test_words():
    assert [word.text for word in words_of("TorqueSm1")] == ["torque", "sm", "1"]
    assert [word.text for word in words_of("IMUData_x2")] == ["imu", "data", "x", "2"]
