"""Sweeps: stages varied along axes, told apart by name, gathered where a stage says so."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from inline import run_inline

from robotid.errors import ConfigError, UsageError
from robotid.store.store import Store
from tests.runner.conftest import statuses, text_of

TWO = """
[stages.first]
stage = "emit"
text = "a"

[stages.second]
stage = "emit"
inputs.data = "@first"

[stages.all]
stage = "emit"
inputs.data = "@second"
gathers = ["number"]

[sweep.axes.word]
keys = ["first.text"]
values = ["x", "y"]

[sweep.axes.number]
keys = ["second.number"]
values = [1, 2, 3]
"""


def names(made):
    return [node.name for node in made.nodes]


def node(made, name):
    (found,) = (one for one in made.nodes if one.name == name)
    return found


def test_stages_vary_along_what_touches_them_and_what_they_take(graph):
    made = graph(TWO)
    assert sorted(names(made)) == sorted(
        [f"first/word={w}" for w in "xy"]
        + [f"second/word={w}/number={n}" for w in "xy" for n in (1, 2, 3)]
        + [f"all/word={w}" for w in "xy"]
    )
    assert node(made, "first/word=y").config.text == "y"
    assert node(made, "second/word=y/number=2").config.number == 2
    assert node(made, "second/word=y/number=2").inputs["data"] == ("@first/word=y",)
    assert node(made, "all/word=x").inputs["data"] == tuple(
        f"@second/word=x/number={n}" for n in (1, 2, 3)
    )
    assert node(made, "all/word=x").table == "all"


def test_named_choices_set_any_keys_of_any_stages(graph):
    made = graph(
        """
        [stages.a]
        stage = "emit"
        [stages.b]
        stage = "emit"
        [stages.c]
        stage = "emit"
        inputs.data = "@a"
        [sweep.axes.way.choices]
        one = { a = { text = "1" } }
        other = { c = { inputs = { data = "@b" }, number = 4 } }
        """
    )
    assert sorted(names(made)) == ["a/way=one", "a/way=other", "b", "c/way=one", "c/way=other"]
    assert node(made, "c/way=one").inputs["data"] == ("@a/way=one",)
    assert node(made, "c/way=other").inputs["data"] == ("@b",)
    assert node(made, "c/way=other").config.number == 4
    assert node(made, "a/way=other").config.text == node(graph(TWO), "all/word=x").config.text


def test_the_same_work_is_done_once_and_found_again(run):
    result, ran = run(TWO)
    assert len(ran) == len(set(ran)) == 10
    assert set(statuses(result).values()) == {"computed"}
    again, ran = run(TWO)
    assert ran == []
    assert set(statuses(again).values()) == {"cached"}
    assert text_of(again, "first/word=y") != text_of(again, "first/word=x")


def test_one_more_value_costs_that_value(run):
    run(TWO)
    _, ran = run(TWO, ["sweep.axes.number.values=[1, 2, 3, 4]"])
    assert sorted(label for label in ran if label.startswith("second")) == [
        "second/word=x/number=4",
        "second/word=y/number=4",
    ]


def test_a_table_stands_for_its_variations(graph):
    assert len(graph(TWO).until("second").nodes) == 8
    assert names(graph(TWO).until("first/word=x")) == ["first/word=x"]
    with pytest.raises(UsageError, match="no stage 'secnd'") as caught:
        graph(TWO).until("secnd")
    assert "second" in caught.value.notice.hint


def test_a_value_may_be_negative(graph):
    made = graph(TWO, ["sweep.axes.number.values=[-1, 2]"])
    assert node(made, "second/word=x/number=-1").config.number == -1


def test_what_an_axis_sets_cannot_be_set_beside_it(graph):
    """Else --set would do nothing, and say nothing."""
    with pytest.raises(UsageError, match=r"sets first\.text") as caught:
        graph(TWO, ["first.text=z"])
    assert caught.value.notice.hint == "change sweep.axes.word.values"
    graph(TWO, ["second.text=z"])
    choices = "[sweep.axes.word]\nchoices={a={first={text='a'}}, b={first={number=2}}}\n"
    text = TWO.replace(
        TWO[TWO.index("[sweep.axes.word]") : TWO.index("[sweep.axes.number]")], choices
    )
    made = graph(text, ["first.text=z"])  # what a choice leaves alone can be set
    assert node(made, "first/word=b").config.text == "z"


def test_a_list_is_one_value(graph):
    """As the recordings of a split are."""
    text = """
    [stages.named]
    inputs.data = "@emit"
    [stages.emit]
    [sweep.axes.taken]
    keys = ["many.words"]
    values = [["a"], ["a", "b"], []]
    [stages.many]
    inputs.data = "@emit"
    """
    made = graph(text.replace(", []", ""))
    assert [n for n in names(made) if n.startswith("many")] == ["many/taken=a", "many/taken=a+b"]
    assert node(made, "many/taken=a+b").config.words == ("a", "b")
    with pytest.raises(ConfigError, match="an empty list has no name"):
        graph(text)


def test_a_star_gathers_every_axis_but_those_of_the_stage_itself(graph):
    text = TWO.replace('gathers = ["number"]', 'gathers = ["*"]')
    assert len(node(graph(text), "all").inputs["data"]) == 6
    own = text + "[sweep.axes.third]\nkeys = ['all.number']\nvalues = [1, 2]\n"
    made = [name for name in names(graph(own)) if name.startswith("all")]
    assert made == ["all/third=1", "all/third=2"]


def test_c12_r20_a_sweep_that_is_killed_goes_on_where_it_was(graph, store, tmp_path):
    """The whole process group dies again and again; nothing is done twice, nothing is wrong."""
    text = """
    [stages.slow]
    seconds = 0.15
    [stages.all]
    stage = "named"
    inputs.data = "@slow"
    gathers = ["*"]
    [sweep.axes.word]
    keys = ["slow.text"]
    values = ["a", "b", "c", "d"]
    [sweep.axes.number]
    keys = ["slow.number"]
    values = [1, 2, 3]
    """
    graph(text)
    script = (
        "import sys; from pathlib import Path; from inline import Silence\n"
        "from robotid.runner.local import LocalExecutor; from robotid.runner.run import Run\n"
        "from robotid.runner.pipeline import load_pipeline; from robotid.store.store import Store\n"
        "from tests.fakes.stages import CATALOG\n"
        "class Tell(Silence):\n"
        "    def ended(self, task): print(task.label, flush=True)\n"
        "store = Store(Path(sys.argv[2])); executor = LocalExecutor(store, 2)\n"
        "graph = load_pipeline(Path(sys.argv[1]), (), CATALOG)\n"
        "try: result = Run(graph, store, executor, Tell()).go()\n"
        "finally: executor.close()\n"
        "sys.exit(int(result.exit_code))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "pipeline.toml"), str(store.root)]
    project = Path(__file__).parents[2]
    path = os.pathsep.join([str(project), str(project / "benchmarks")])
    done, codes = [], []
    for least in (2, 5, None):
        run = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        for line in run.stdout:
            done.append(line.strip())
            if least is not None and len(done) >= least:
                os.killpg(run.pid, signal.SIGKILL)
        codes.append(run.wait())
    assert codes == [-signal.SIGKILL, -signal.SIGKILL, 0]
    assert len(done) - len(set(done)) <= 2  # told or not, one may have been finished
    again, ran = run_inline(graph(text), store)
    assert ran == []
    assert again.error is None
    clean, _ = run_inline(graph(text), Store(tmp_path / "clean"))
    assert text_of(again, "all") == text_of(clean, "all")


BASE = """[stages.emit]
text = "a"
"""


@pytest.mark.parametrize(
    ("text", "code", "line", "says"),
    [
        ("[sweep.axes.x]\n", "bad-value", 3, "either keys and values, or choices"),
        ("[sweep.axes.x]\nkeys=['emit.text']\n", "bad-value", 3, "given together"),
        ("[sweep.axes.x]\nkeys=['text']\nvalues=['a']\n", "bad-value", 4, "not STAGE.KEY"),
        (
            "[sweep.axes.x]\nkeys=['emit.text', 'emit.text.x']\nvalues=['a']\n",
            "bad-value",
            4,
            "'text' is a value",
        ),
        (
            "[sweep.axes.x.choices]\na={emit={gathers=['x']}}\n",
            "bad-value",
            3,
            "what emit gathers cannot be varied",
        ),
        ("[sweep.axes.x]\nkeys=['emit.text']\nvalues=['a','a']\n", "bad-value", 5, "twice"),
        ("[sweep.axes.x]\nkeys=['emit.number']\nvalues=[5.0, 5]\n", "bad-value", 5, "twice"),
        (
            "[sweep.axes.cutoff]\nkeys=['emit.number']\nvalues=[1]\n[sweep.axes.cutof]\nvalues=[2]\n",
            "bad-value",
            6,
            "did you mean 'cutoff'",
        ),
        ("[sweep.axes.x]\nkeys=['emit.text']\nvalues=['../a']\n", "bad-name", 3, "'../a'"),
        ("[sweep.axes.'X y']\nkeys=['emit.text']\nvalues=['a']\n", "bad-name", 3, "lower-case"),
        ("[sweep.axes.x]\nkeys=['emitt.text']\nvalues=['a']\n", "unknown-stage", 3, "emitt"),
        ("[sweep.axes.x]\nkeys=['emit.txt']\nvalues=['a']\n", "unknown-key", 3, "emit.txt"),
        ("[sweep.axes.x]\nkeys=['emit.number']\nvalues=['a']\n", "bad-value", 3, "emit.number"),
        ("[sweep.axes.x]\nvalue=['a']\n", "unknown-key", 4, "did you mean 'values'"),
        ("[sweep]\nlimits=3\n", "unknown-key", 4, "did you mean 'limit'"),
        (
            "[sweep]\nlimit=3\n[sweep.axes.x]\nkeys=['emit.number']\nvalues=[1,2,3,4]\n",
            "sweep-too-large",
            3,
            "4 stages, more than its limit of 3",
        ),
        (
            "[sweep.axes.x]\nkeys=['emit.number']\nvalues=[1]\n"
            "[sweep.axes.y]\nkeys=['emit.number']\nvalues=[2]\n",
            "bad-value",
            6,
            "emit.number is set by x as well",
        ),
        ("[stages.b]\nstage='emit'\ngathers=['x']\n", "bad-value", 5, "no axis 'x'"),
        (
            "[stages.b]\nstage='emit'\ngathers=['x']\n[stages.c]\nstage='emit'\n"
            "[sweep.axes.x]\nkeys=['c.number']\nvalues=[1]\n",
            "bad-value",
            5,
            "nothing that b takes results from varies along x",
        ),
        (
            "[stages.b]\nstage='emit'\ngathers=['x']\n"
            "[sweep.axes.x]\nkeys=['b.number']\nvalues=[1]\n",
            "bad-value",
            5,
            "x sets keys of b itself",
        ),
        (
            "[stages.b]\nstage='emit'\ninputs.data='@nobody'\n"
            "[sweep.axes.x]\nkeys=['b.number']\nvalues=[1]\n",
            "dangling-reference",
            5,
            "no such stage",
        ),
    ],
)  # fmt: skip
def test_bad_sweeps_are_told_with_their_place(graph, text, code, line, says):
    with pytest.raises(ConfigError) as caught:
        graph(BASE + text)
    notice = caught.value.notice
    assert notice.code == code
    assert says in f"{notice.message} {notice.hint}"
    assert notice.line == line


def test_only_one_input_cannot_be_gathered_into(graph):
    text = """
    [stages.a]
    stage = "emit"
    [stages.b]
    stage = "two"
    inputs = { train = "@a", test = "@a" }
    gathers = ["x"]
    [sweep.axes.x]
    keys = ["a.number"]
    values = [1, 2]
    """
    with pytest.raises(ConfigError, match="only one may be given"):
        graph(text)


SPLITS = """
[stages.ingest]
inputs.logs = "{logs}/*.csv"
inputs.robot = "pendulum"

[stages.filter]
inputs.dataset = "@ingest"

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "pendulum"

[stages.report]
inputs.fits = "@fit"
gathers = ["*"]

[stages.table]
stage = "tabulate"
inputs.fits = "@fit"
gathers = ["*"]
columns = {{ test = "metrics.test.rmse.mean" }}
rows = {{ ols = "*model=ols*", sdp = "*model=sdp*" }}

[sweep.axes.split]
keys = ["ingest.test"]
values = [["run1"], ["run3"]]

[sweep.axes.cutoff]
keys = ["filter.cutoff_hz"]
values = [8.0, 10.0]

[sweep.axes.model]
keys = ["fit.model"]
values = ["ols", "sdp"]
"""


def test_models_splits_and_filters_end_in_one_report(robotid, tmp_path, pendulum_csv):
    from tests.conftest import SAMPLES

    for name in ("run1", "run3"):
        lines = (SAMPLES / f"{name}.csv").read_text().splitlines()[:1201]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    path = tmp_path / "splits.toml"
    path.write_text(SPLITS.format(logs=tmp_path))
    done = robotid("run", path, "--out", tmp_path / "out", "--quiet")
    assert done.code in (0, 4), done.err
    facts = json.loads((tmp_path / "out" / "report" / "report.json").read_text())
    assert len(facts["fits"]) == 8
    assert facts["comparison"]["same_data"] is False
    page = (tmp_path / "out" / "report" / "report.html").read_text()
    assert "Fits are judged on different recordings" in page
    table = json.loads((tmp_path / "out" / "table" / "table.json").read_text())
    assert table["over"] == ["cutoff", "split"]
    assert [row["results"] for row in table["rows"]] == [4, 4]
