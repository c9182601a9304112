"""Pipeline files: what is wrong is told with its place before anything runs."""

from pathlib import Path

import pytest

from robotid.errors import ConfigError, InputMissingError, UsageError

GOOD = """
[stages.one]
stage = "emit"
text = "a"

[stages.two]
stage = "emit"
inputs.data = "@one"
"""


def notice(graph, text, settings=(), kind=ConfigError):
    with pytest.raises(kind) as caught:
        graph(text, settings)
    return caught.value.notice


def named(made, name):
    (node,) = (node for node in made.nodes if node.name == name)
    return node


def test_good_file(graph):
    made = graph(GOOD)
    assert [node.name for node in made.nodes] == ["one", "two"]
    assert made.nodes[1].needs() == ["one"]
    assert made.nodes[0].config.text == "a"


def test_order_follows_references_not_the_file(graph):
    first, second = GOOD.split("\n[stages.two]")
    made = graph(f"[stages.two]{second}{first}")
    assert [node.name for node in made.nodes] == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "code", "line", "says"),
    [
        ("[stages.a]\nstage = 'emitt'\n", "unknown-stage", 2, "did you mean 'emit'"),
        ("[stages.emitt]\n", "unknown-stage", 1, "did you mean 'emit'"),
        ("[stages.emit]\n\ntxt = 'x'\n", "unknown-key", 3, "did you mean 'text'"),
        ("[stages.emit]\nnumber = '5'\n", "bad-value", 2, "stages.emit.number: a valid number, not '5'"),
        ("[stages.emit]\ntext = 5\n", "bad-value", 2, "stages.emit.text"),
        ("[stages.emit]\nnumber = true\n", "bad-value", 2, "number"),
        ("[stages.emit]\nnumber = nan\n", "bad-value", 2, "nan is not a finite number"),
        ("[stages.emit]\nnumber = -inf\n", "bad-value", 2, "finite"),
        ("[stages.emit]\nnumber = 1979-05-27\n", "bad-value", 2, "date"),
        ("[stages.emit]\ninputs.data = '@nobody'\n", "dangling-reference", 2, "no such stage"),
        ("[stages.emit]\ninputs.dat = 'x'\n", "bad-input", 2, "did you mean 'data'"),
        ("[stages.emit]\ninputs.data = []\n", "bad-input", 2, "nothing is given"),
        ("[stages.read]\n", "bad-input", 1, "read needs it"),
        ("[stages.two]\ninputs = {train = ['a', 'b'], test = 'c'}\n", "bad-input", 2, "only one"),
        ("[stages.emit]\ninputs.data = 5\n", "bad-value", 2, "inputs"),
        ("[stages.'A b']\nstage = 'emit'\n", "bad-name", 1, "lower-case"),
        ("[stages.'../x']\nstage = 'emit'\n", "bad-name", None, "lower-case"),
        ("[stage.emit]\n", "unknown-key", 1, "did you mean 'stages'"),
        ("stages = 5\n", "bad-value", 1, "stages"),
        ("[stages]\n", "bad-value", 1, "stages"),
        ("", "bad-value", None, "stages"),
        ("[stages.emit\n", "toml-syntax", 1, ""),
        ("[stages.emit]\ntext = \n", "toml-syntax", 2, ""),
        ("[stages.emit]\ntext = 'a'\ntext = 'b'\n", "toml-syntax", 3, ""),
        ("a = " + "[" * 5000, "toml-syntax", None, ""),
        ("[stages.emit]\ninputs.data='@emit'\n", "cycle", 2, "emit -> emit"),
        (
            "[stages.a]\nstage='emit'\ninputs.data='@b'\n[stages.b]\nstage='emit'\ninputs.data='@c'\n"
            "[stages.c]\nstage='emit'\ninputs.data='@a'\n",
            "cycle",
            3,
            "a -> b -> c -> a",
        ),
    ],
)  # fmt: skip
def test_bad_files(graph, text, code, line, says):
    found = notice(graph, text)
    assert found.code == code
    assert found.file.endswith("pipeline.toml")
    assert says in found.text()
    if line is not None:
        assert found.line == line


def test_syntax_error_has_a_column(graph):
    found = notice(graph, "[stages.emit]\ntext = 'a' 'b'\n")
    assert (found.line, found.column) == (2, 12)


def test_wrong_kind_of_result(graph, monkeypatch):
    from dataclasses import replace

    from tests.fakes import stages

    monkeypatch.setattr(stages, "SLOW", replace(stages.SLOW, output="fit"))
    text = "[stages.slow]\n[stages.emit]\ninputs.data = '@slow'\n"
    assert "is a fit, a dataset is needed" in notice(graph, text).message


def test_missing_file_and_wrong_encoding(graph, tmp_path):
    from robotid.runner.pipeline import load_pipeline

    graph(GOOD)
    with pytest.raises(InputMissingError, match=r"did you mean 'pipeline\.toml'"):
        load_pipeline(tmp_path / "pipelin.toml")
    with pytest.raises(InputMissingError, match="does not exist"):
        load_pipeline(tmp_path / "nowhere" / "pipeline.toml")
    (tmp_path / "latin.toml").write_bytes("# ok\ndescription = 'é'".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"latin\.toml:2: not UTF-8"):
        load_pipeline(tmp_path / "latin.toml")
    with pytest.raises(ConfigError, match="regular"):
        load_pipeline(Path("/dev/zero"))
    with pytest.raises(ConfigError, match="regular"):
        load_pipeline(tmp_path)
    (tmp_path / "large.toml").write_bytes(b"#" * 2_000_000)
    with pytest.raises(ConfigError, match="more than"):
        load_pipeline(tmp_path / "large.toml")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("one.text=b", "b"), ("one.text='b c'", "b c"), ("one.text=", ""), ("one.text=a=b", "a=b")],
)
def test_set_text(graph, setting, value):
    assert named(graph(GOOD, [setting]), "one").config.text == value


def test_set_number_and_input(graph):
    made = graph(GOOD, ["one.number=2", "two.inputs.data=['@one', '@one']"])
    assert named(made, "one").config.number == 2.0
    assert named(made, "two").inputs["data"] == ("@one", "@one")


@pytest.mark.parametrize(
    "setting", ["one", "one.text", "=x", "nobody.text=x", ".text=x", "one.=x", "one.text.x=1"]
)
def test_bad_set(graph, setting):
    assert notice(graph, GOOD, [setting], UsageError).code == "bad-setting"


def test_set_goes_through_the_same_checks(graph):
    assert notice(graph, GOOD, ["one.number=nan"]).code == "bad-value"
    assert notice(graph, GOOD, ["one.numbr=1"]).code == "unknown-key"


def test_until_keeps_what_is_needed(graph):
    text = GOOD + '\n[stages.three]\nstage = "emit"\n'
    assert [node.name for node in graph(text).until("two").nodes] == ["one", "two"]
    with pytest.raises(UsageError, match="did you mean 'three'"):
        graph(text).until("thre")
