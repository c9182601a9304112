"""Everything that can be wrong with a URDF: each error names the file, the line and the way out."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotid.errors import BadDataError, RobotidError
from robotid.robot import xml_source
from robotid.robot.load import Changes, load_robot, loaded_from
from robotid.robot.xml_source import parse_xml
from tests.many import many

from .urdf_texts import ARM

LINES = ARM.splitlines()


def line_of(text, part):
    """The number of the first line that holds a part."""
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


def changed(old, new, count=1):
    assert old in ARM
    return ARM.replace(old, new, count)


JOINT = '<joint name="loop" type="fixed"><parent link="{}"/><child link="{}"/></joint></robot>'

# What: the text, the code of the error, a part of the line it names, words of the message.
CASES = {
    "cut off": (ARM[:900], "bad-xml", ARM[:900].splitlines()[-1], "well-formed"),
    "two tags": (changed("</robot>", "</robo>"), "bad-xml", "</robo>", "mismatched"),
    "doctype": ('<!DOCTYPE robot [<!ENTITY a "b">]>\n<robot name="&a;"/>', "doctype", "<!DOCTYPE", "entities"),
    "external": ('<!DOCTYPE robot SYSTEM "file:///etc/passwd">\n<robot/>', "doctype", "<!DOCTYPE", "DOCTYPE"),
    "encoding": ('<?xml version="1.0" encoding="utf-7"?>\n<robot/>', "bad-encoding", "utf-7", "UTF-8"),
    "sdf": ("<sdf/>", "unknown-format", "<sdf/>", "<robot>"),
    "empty": ('<robot name="r"/>', "empty-robot", "<robot", "no <link>"),
    "no motion": ('<robot name="r"><link name="a"/></robot>', "no-moving-joint", "<robot", "moves"),
    "xacro element": (changed('<link name="tip"/>', "<xacro:tip/>"), "xacro", "<xacro:tip", "expand"),
    "xacro value": (changed("0 0 0.4", "${length}"), "xacro", "${length}", "expand"),
    "planar": (changed("continuous", "planar"), "joint-type", "elbow", "planar"),
    "no type": (changed(' type="continuous"', ""), "joint-type", "elbow", "revolute"),
    "floating inside": (changed("continuous", "floating"), "floating-joint", "elbow", "whole robot"),
    "mimic": (changed('<axis xyz="0 1 1"/>', '<axis xyz="0 1 1"/>\n<mimic joint="shoulder"/>'), "mimic-joint", "<mimic", "lock it"),
    "zero axis": (changed("0 1 1", "0 0 0"), "zero-axis", '0 0 0"/>', "direction"),
    "axis of two": (changed("0 1 1", "0 1"), "bad-number", '"0 1"', "2 numbers, 3"),
    "nan": (changed("value='2.0'", 'value="nan"'), "bad-number", "nan", "finite"),
    "inf": (changed("0 0 0.3", "0 0 inf"), "bad-number", "inf", "finite"),
    "overflow": (changed("0 0 0.3", "0 0 1e999"), "bad-number", "1e999", "finite"),
    "huge": (changed("0 0 0.3", "0 0 1e200"), "bad-number", "1e200", "beyond"),
    "word": (changed("0.02", "heavy"), "bad-number", "heavy", "'heavy' is not a number"),
    "underscore": (changed("0.02", "1_0"), "bad-number", "1_0", "1_0"),
    "no mass": (changed("<mass value='2.0'/>", ""), "missing-element", "<inertial>", "<mass>"),
    "no ixy": (changed('ixy="0.001" ', ""), "missing-attribute", 'ixx="0.02"', "ixy"),
    "two inertials": (changed("</visual>", "</visual><inertial/>\n"), "given-twice", "    <inertial>", "two"),
    "no name": (changed('<link name="tip"/>', "<link/>"), "missing-attribute", "<link/>", "name"),
    "same link": (changed('<link name="tip"/>', '<link name="base"/>'), "duplicate-name", 'name="bracket"', "line 4"),
    "same joint": (changed('name="tool"', 'name="weld"'), "duplicate-name", "tool", "'weld'"),
    "no child": (changed('<child link="tip"/>', ""), "missing-element", 'name="tool"', "<child>"),
    "unknown link": (changed('<child link="tip"/>', '<child link="tpi"/>'), "missing-link", "tpi", "did you mean 'tip'"),
    "two parents": (changed("</robot>", JOINT.format("base", "tip")), "two-parents", "loop", "'tool'"),
    "cycle": (changed("</robot>", JOINT.format("tip", "base")), "cycle", 'name="base"', "circle"),
    "on itself": (changed("</robot>", '<link name="x"/>\n' + JOINT.format("x", "x")), "cycle", 'name="x"', "x -> x"),
    "two roots": (changed("</robot>", '<link name="other"/></robot>'), "several-roots", "other", "base, other"),
    "limits": (changed('lower="-2"', 'lower="3"'), "bad-limits", 'lower="-2"', "above"),
    "speed": (changed('velocity="3"', 'velocity="-3"'), "bad-limits", 'velocity="3"', "negative"),
    "damping": (changed('damping="0.1"', 'damping="-1"'), "negative-friction", 'damping="0.1"', "negative"),
}  # fmt: skip
# Where the changed text itself is not what the line is found by.
FOUND_IN_ARM = {"same link", "same joint", "limits", "speed", "damping", "no type", "no ixy"}


@pytest.mark.parametrize("what", CASES)
def test_b100_errors_name_file_line_and_way_out(load, tmp_path, what):
    text, code, part, says = CASES[what]
    with pytest.raises(BadDataError) as caught:
        load(text)
    notice = caught.value.notice
    assert notice.code == code
    assert notice.file == str(tmp_path / "robot.urdf")
    if what == "same link":
        wanted = line_of(ARM, '<link name="tip"/>')
    else:
        wanted = line_of(ARM if what in FOUND_IN_ARM else text, part)
    assert notice.line == wanted
    assert says in notice.text()


def test_s08_xacro_by_its_name(load):
    with pytest.raises(BadDataError, match="xacro FILE"):
        load(ARM, name="arm.urdf.xacro")


def test_leftover_xacro_namespace_is_fine(load):
    assert "xmlns:xacro" in ARM
    assert load(ARM).tree.n == 2


def test_b100_undefined_world_is_what_is_fixed(load):
    """Some tools hang robots on a link that no file defines."""
    tied = '<joint name="tied" type="fixed"><parent link="world"/><child link="base"/></joint>'
    loaded = load(ARM.replace("</robot>", tied + "</robot>"))
    assert loaded.tree.base == "world"
    assert [notice.code for notice in loaded.notices].count("implicit-world") == 1
    assert loaded.tree.n == load(ARM).tree.n


def test_mimic_may_be_locked_or_cut_off(load):
    text = ARM.replace('<axis xyz="0 1 1"/>', '<axis xyz="0 1 1"/><mimic joint="shoulder"/>')
    assert load(text, lock={"elbow": 0.5}).tree.joint_names == ("shoulder",)
    assert load(text, chain=("base", "bracket")).tree.joint_names == ("shoulder",)


def test_s06_bounds(load, monkeypatch):
    deep = "<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>"
    with pytest.raises(BadDataError, match="200 deep"):
        load(deep)
    many = '<robot name="r">' + "".join(f'<link name="l{n}"/>' for n in range(1001)) + "</robot>"
    with pytest.raises(BadDataError, match="1000 links"):
        load(many)
    monkeypatch.setattr(xml_source, "MAX_ELEMENTS", 20)
    with pytest.raises(BadDataError, match="more than 20 elements"):
        load(ARM)
    monkeypatch.setattr(xml_source, "MAX_BYTES", 1000)
    with pytest.raises(BadDataError) as caught:
        load(ARM)
    assert caught.value.notice.code == "too-large"


def test_s06_s07_entities_do_not_expand(load):
    """A billion laughs takes no time: the document type alone is refused."""
    laughs = "".join(
        f'<!ENTITY {b} "&{a};&{a};">' for a, b in zip("abcdefg", "bcdefgh", strict=True)
    )
    bomb = f'<!DOCTYPE r [<!ENTITY a "ha">{laughs}]><robot name="&h;"/>'
    with pytest.raises(BadDataError, match="entities"):
        load(bomb)


@pytest.mark.parametrize(
    "data", [b"", b"\0\1\2", "<robot/>".encode("utf-16"), b"\xff\xfe", b"PK\x03\x04"]
)
def test_what_is_no_text(load, data):
    with pytest.raises(BadDataError):
        load(data)


def test_missing_file(tmp_path):
    with pytest.raises(RobotidError) as caught:
        load_robot(tmp_path / "none.urdf")
    assert caught.value.exit_code == 66


def test_b14_a_pipe_is_no_robot(tmp_path):
    """Reading it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(BadDataError, match="regular") as caught:
        load_robot(tmp_path / "pipe.urdf")
    assert caught.value.notice.file == str(tmp_path / "pipe.urdf")


PIECES = ["", "<", ">", '"', "0", "-1", "nan", "1e308", "1e-320", "fixed", "floating", "base", "tip",
          "<link name='z'/>", "<mimic/>", "</robot>", "${x}", "&amp;", "&lt;", "\n", "é", "\x00"]  # fmt: skip


@many(3)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(ARM)),
            st.integers(0, 40),
            st.one_of(st.sampled_from(PIECES), st.text(max_size=8)),
        ),
        max_size=4,
    )
)
def test_mutated_files_are_read_or_refused(cuts):
    text = ARM
    for start, length, piece in cuts:
        text = text[:start] + piece + text[start + length :]
    _read_or_refuse(text.encode("utf-8", "surrogatepass"))


@many(2)
@given(st.data())
def test_shuffled_attributes_are_read_or_refused(data):
    """Well-formed files with values in the wrong places: the reader's own checks, not expat's."""
    values = data.draw(st.lists(st.sampled_from([
        "base", "upper", "lower", "tip", "0", "0 0 0", "1 2 3", "-1", "1e12", "1e-300", "nan",
        "revolute", "fixed", "floating", "prismatic", "",
    ]), min_size=3, max_size=3))  # fmt: skip
    text = ARM
    quoted = [part for part in ARM.split('"')[1::2] if part]
    for value in values:
        text = text.replace(f'"{data.draw(st.sampled_from(quoted))}"', f'"{value}"', 1)
    _read_or_refuse(text.encode())


def _read_or_refuse(data):
    """Anything but a RobotidError fails the test; what is said names the file."""
    refused = None
    try:
        loaded_from(parse_xml(data, "x.urdf"), Path("x.urdf"), Changes())
    except RobotidError as error:
        refused = error
    if refused is not None:
        assert refused.notice.file == "x.urdf"
        assert refused.exit_code == 65
