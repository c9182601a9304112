"""Running graphs: what is there is not computed, what is wrong is never served."""

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from robotid.errors import (
    BadDataError,
    ExitCode,
    InputMissingError,
    RobotidError,
    TemporaryError,
    UsageError,
)
from robotid.runner import execute
from robotid.store.store import Store

from .conftest import statuses, text_of

CHAIN = """
[stages.one]
stage = "emit"
text = "a"

[stages.two]
stage = "emit"
inputs.data = "@one"
text = "b"

[stages.three]
stage = "emit"
inputs.data = "@two"
text = "c"
"""


def test_chain_runs_once(run):
    result, ran = run(CHAIN)
    assert ran == ["one", "two", "three"]
    assert text_of(result, "three") == "a{}b{}c"
    assert result.exit_code == ExitCode.OK
    result, ran = run(CHAIN)
    assert ran == []
    assert set(statuses(result).values()) == {"cached"}
    assert text_of(result, "three") == "a{}b{}c"


def test_only_what_depends_on_a_change_runs(run):
    run(CHAIN)
    _, ran = run(CHAIN.replace('"b"', '"B"'))
    assert ran == ["two", "three"]
    _, ran = run(CHAIN, ["three.text='C'"])
    assert ran == ["three"]


def test_equal_bytes_stop_the_recomputation(run):
    """A stage whose result comes out the same does not make its followers run."""
    run(CHAIN)
    _, ran = run(CHAIN, ["one.number=7"])  # another key, the same text
    assert ran == ["one"]


def test_same_work_is_done_once(run):
    text = CHAIN + '\n[stages.twin]\nstage = "emit"\ninputs.data = "@one"\ntext = "b"\n'
    _, ran = run(text)
    assert sorted(ran) in (["one", "three", "twin"], ["one", "three", "two"])


def test_c36_swapped_roles_are_another_result(run):
    text = CHAIN + '\n[stages.both]\nstage = "two"\ninputs = {train = "@one", test = "@two"}\n'
    run(text)
    _, ran = run(text.replace('train = "@one", test = "@two"', 'train = "@two", test = "@one"'))
    assert ran == ["both"]


def test_names_count_where_the_stage_sees_them(run):
    text = CHAIN + '\n[stages.all]\nstage = "named"\ninputs.data = ["@one", "@two"]\n'
    run(text)
    assert run(text.replace('["@one", "@two"]', '["@two", "@one"]'))[1] == []
    renamed = text.replace("stages.one]", "stages.uno]").replace("@one", "@uno")
    assert run(renamed)[1] == ["all"]


def test_order_counts_where_the_stage_shows_it(run):
    text = CHAIN + '\n[stages.all]\nstage = "ordered"\ninputs.data = ["@two", "@one"]\n'
    first, _ = run(text)
    other, ran = run(text.replace('["@two", "@one"]', '["@one", "@two"]'))
    assert ran == ["all"]
    texts = [(result.stages[-1].entry.path / "a.txt").read_text() for result in (first, other)]
    assert [text.replace("{}", "/") for text in texts] == ["a/b/a/x", "a/a/b/x"]


def test_c12_unreproducible_stage_is_reported(run, store):
    text = "[stages.dice]\n"
    first, _ = run(text)
    again, ran = run(text, recompute=True)
    assert ran == ["dice"]
    assert [notice.code for notice in again.notices] == ["not-reproducible"]
    # Recomputing means the new result counts.
    assert again.stages[0].entry.manifest.content != first.stages[0].entry.manifest.content
    assert run(text)[0].stages[0].entry == again.stages[0].entry


def test_recompute_of_a_chain(run):
    run(CHAIN)
    result, ran = run(CHAIN, recompute=True)
    assert ran == ["one", "two", "three"]
    assert result.notices == []


def test_lossy_result_is_cached_with_its_exit_code(run):
    text = '[stages.lossy]\n[stages.next]\nstage = "emit"\ninputs.data = "@lossy"\n'
    for expected in (["lossy", "next"], []):
        result, ran = run(text)
        assert ran == expected
        assert result.exit_code == ExitCode.DATA_LOST
        assert [notice.code for notice in result.stages[0].notices] == ["gone"]


def test_quality_outweighs_loss(run):
    assert run("[stages.lossy]\n[stages.poor]\n")[0].exit_code == ExitCode.QUALITY


def test_failure_skips_what_depends_on_it_and_nothing_else(run):
    text = CHAIN + (
        '\n[stages.bad]\nstage = "fail"\ninputs.data = "@one"\n'
        '[stages.after]\nstage = "emit"\ninputs.data = "@bad"\n'
        '[stages.later]\nstage = "emit"\ninputs.data = "@after"\n'
    )
    result, ran = run(text)
    assert statuses(result) == {
        "one": "computed", "two": "computed", "bad": "failed",
        "three": "computed", "after": "skipped", "later": "skipped",
    }  # fmt: skip
    assert isinstance(result.error, BadDataError)
    assert result.exit_code == ExitCode.BAD_DATA
    assert result.error.notice.line == 3
    _, ran = run(text)
    assert ran == ["bad"]  # a failure is never a hit, the rest is


def test_unforeseen_error_is_a_bug(run):
    result, _ = run("[stages.crash]\n")
    assert result.exit_code == ExitCode.BUG
    assert "ZeroDivisionError: oops" in result.error.notice.message
    assert "ZeroDivisionError" in result.stages[0].detail


PARTS = """
[stages.parts]
inputs.files = "*.csv"

[stages.again]
inputs.data = "@parts"

[stages.end]
stage = "emit"
inputs.data = "@again"
"""


@pytest.fixture
def files(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.csv").write_text(name)
    return tmp_path


def test_parts_are_cached_one_by_one(run, files):
    result, ran = run(PARTS)
    assert ran == ["parts[a]", "parts[b]", "parts[c]", "parts",
                   "again[a]", "again[b]", "again[c]", "again", "end"]  # fmt: skip
    names = sorted(p.name for p in result.stages[1].path.iterdir())
    assert names == ["a.txt", "b.txt", "c.txt", "dataset.json", "manifest.json"]
    assert (result.stages[1].path / "b.txt").read_text() == "Bxx"


def test_adding_a_recording_costs_only_that_one(run, files):
    run(PARTS)
    (files / "d.csv").write_text("d")
    assert run(PARTS)[1] == ["parts[d]", "parts", "again[d]", "again", "end"]
    (files / "a.csv").unlink()
    assert run(PARTS)[1] == ["parts", "again", "end"]
    (files / "b.csv").write_text("B!")
    assert run(PARTS)[1] == ["parts[b]", "parts", "again[b]", "again", "end"]


def test_renaming_a_recording_gathers_again_but_computes_nothing(run, files):
    run(PARTS)
    (files / "a.csv").rename(files / "z.csv")
    assert run(PARTS)[1] == ["parts", "again", "end"]


def test_keys_of_gather_do_not_run_the_parts(run, files):
    run(PARTS)
    assert run(PARTS, ["parts.title='new'"])[1] == ["parts", "again"]
    assert run(PARTS, ["again.title='new'"])[1] == ["again", "end"]


NOTED = """
[stages.parts]
inputs.files = "*.csv"

[stages.noted]
inputs.data = "@parts"
"""


def test_what_lies_beside_a_part_is_its_own(run, files):
    """A note runs the part it is about again, and no other."""
    run(NOTED)
    result, ran = run(NOTED, ["parts.title='b:!'"])
    assert ran == ["parts", "noted[b]", "noted"]
    read = {p.stem: p.read_text() for p in result.stages[1].path.glob("*.txt")}
    assert read == {"a": "Ax", "b": "Bx!", "c": "Cx"}
    assert run(NOTED, ["parts.title='b:?'"])[1] == ["parts", "noted[b]", "noted"]
    assert run(NOTED, ["parts.title='c:?'"])[1] == ["parts", "noted[c]", "noted"]
    (files / "a.csv").rename(files / "z.csv")  # the name is none of a part's
    assert run(NOTED, ["parts.title='c:?'"])[1] == ["parts", "noted"]
    (files / "c.csv").rename(files / "y.csv")
    assert run(NOTED, ["parts.title='y:?'"])[1] == ["parts", "noted"]


def test_what_lies_beside_a_part_in_a_folder_of_ones_own(run, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    for name, text in (("dataset.json", "{}"), ("a.txt", "A"), ("b.txt", "B"), ("b.note", "!")):
        (folder / name).write_text(text)
    text = '[stages.noted]\ninputs.data = "own"\n'
    result, ran = run(text)
    assert ran == ["noted[a]", "noted[b]", "noted"]
    assert (result.stages[0].path / "b.txt").read_text() == "B!"
    assert run(text)[1] == []
    (folder / "b.note").write_text("bad")
    result, ran = run(text)
    assert ran == ["noted[b]"]
    assert result.error.notice.file == str(folder / "b.txt")
    (folder / "b.note").unlink()
    assert run(text)[1] == ["noted[b]", "noted"]


def test_damaged_part_does_not_stop_the_others(run, files):
    (files / "b.csv").write_text("bad")
    result, ran = run(PARTS)
    assert ran == ["parts[a]", "parts[b]", "parts[c]"]
    assert statuses(result) == {"parts": "failed", "again": "skipped", "end": "skipped"}
    (files / "b.csv").write_text("good")
    assert run(PARTS)[1][:2] == ["parts[b]", "parts"]


def test_several_bad_parts_are_all_named(run, files):
    (files / "a.csv").write_text("bad")
    (files / "b.csv").write_text("bad too")
    result, _ = run(PARTS)
    assert result.error.notice.file == str(files / "a.csv")
    assert [notice.file for notice in result.stages[0].notices] == [str(files / "b.csv")]


def test_same_recording_name_from_two_folders(run, tmp_path):
    for folder in ("mon", "tue"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.csv").write_text(folder)
    result, _ = run('[stages.parts]\ninputs.files = "*/run.csv"\n')
    names = {p.name for p in result.stages[0].path.glob("*.txt")}
    assert names == {"mon-run.txt", "tue-run.txt"}


def test_names_stay_apart(run, tmp_path):
    (tmp_path / "x.csv").write_text("1")
    (tmp_path / "x.txt").write_text("2")
    result, _ = run('[stages.parts]\ninputs.files = ["x.csv", "x.txt"]\n')
    assert {p.name for p in result.stages[0].path.glob("*.txt")} == {"x.csv.txt", "x.txt.txt"}


def test_folders_with_dots_and_globs_below_brackets(run, tmp_path):
    for name in ("fit_5.0", "fit_5.5"):
        (tmp_path / "[lab]" / name).mkdir(parents=True)
        (tmp_path / "[lab]" / name / "dataset.json").write_text("{}")
    (tmp_path / "[lab]" / "pipeline.toml").write_text('[stages.named]\ninputs.data = "fit_*"\n')
    from inline import run_inline

    from robotid.runner.pipeline import load_pipeline
    from tests.fakes.stages import CATALOG

    graph = load_pipeline(tmp_path / "[lab]" / "pipeline.toml", [], CATALOG)
    result, _ = run_inline(graph, Store(tmp_path / "store"))
    assert result.error is None


def test_path_and_stage_of_one_name(run, tmp_path):
    (tmp_path / "old" / "one").mkdir(parents=True)
    (tmp_path / "old" / "one" / "dataset.json").write_text("{}")
    text = CHAIN + '\n[stages.all]\nstage = "named"\ninputs.data = ["old/one", "@one"]\n'
    result, _ = run(text)
    assert result.error.notice.code == "same-name"


def test_long_names_are_refused_early(run, tmp_path):
    (tmp_path / f"{'x' * 240}.csv").write_text("x")
    result, ran = run('[stages.parts]\ninputs.files = "*.csv"\n')
    assert result.error.notice.code == "name-too-long"
    assert ran == []


def test_b17_same_file_twice(run, files):
    result, _ = run('[stages.parts]\ninputs.files = ["a.csv", "a.csv"]\n')
    assert result.error.notice.code == "given-twice"


def _damage(path):
    path.chmod(0o644)
    path.write_bytes(b"damaged")


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize(
    "victim", ["parts/a.txt", "parts/dataset.json", "again/c.txt", "end/a.txt"]
)
def test_c05_damaged_result_is_noticed_and_mended(run, files, victim, in_place):
    first, _ = run(PARTS)
    stage, name = victim.split("/")
    entry = next(s.entry for s in first.stages if s.node.name == stage)
    if not in_place:
        (entry.path / name).unlink()
        (entry.path / name).touch()
    _damage(entry.path / name)
    result, ran = run(PARTS)
    assert ran
    assert result.exit_code == ExitCode.OK
    assert {notice.code for notice in result.notices} == {"cache-damaged"}
    assert [s.entry.manifest.content for s in result.stages] == [
        s.entry.manifest.content for s in first.stages
    ]
    assert run(PARTS)[1] == []


def test_damage_met_while_running_is_mended_on_the_way(run, files):
    """The input of a stage that has to run is damaged: it is made again first."""
    first, _ = run(PARTS)
    again = next(s.entry for s in first.stages if s.node.name == "again")
    _damage(again.path / "b.txt")  # a link: the part's own entry is damaged too
    result, ran = run(PARTS, ["end.text='new'"])
    assert result.error is None
    assert ran == ["end", "again", "again[b]", "again", "end"]
    assert text_of(result, "end") == "AxxBxxCxx{'a': '2', 'b': '2', 'c': '2'} new"


def test_damage_without_end_is_an_error(run, files, monkeypatch):
    monkeypatch.setattr(Store, "check_out", _always_damaged)
    result, _ = run(PARTS)
    assert result.error.exit_code == ExitCode.IO


def test_a_result_that_can_never_be_read_is_a_matter_of_permission(run, files, monkeypatch):
    def refused(self, entry, into, names=None):
        from robotid.store.store import EntryDamagedError

        self.warn("cache-unreadable", "cached result not used: no", entry.path, "check owner")
        raise EntryDamagedError(entry.manifest.stage, entry.key)

    monkeypatch.setattr(Store, "check_out", refused)
    result, _ = run(PARTS)
    assert result.error.exit_code == ExitCode.PERMISSION


def _always_damaged(self, entry, into, names=None):
    from robotid.store.store import EntryDamagedError

    self.discard(entry, "test")
    raise EntryDamagedError(entry.manifest.stage, entry.key)


def test_damaged_part_is_noticed_when_gathered_anew(run, files, store):
    """A new recording makes the index new; the old part it takes over is damaged."""
    run(PARTS)
    for part in store.root.glob("entries/parts/*/*/part.txt"):
        _damage(part)
    (files / "d.csv").write_text("d")
    result, _ = run(PARTS)
    assert result.exit_code == ExitCode.OK
    assert "cache-damaged" in {notice.code for notice in result.notices}
    assert (result.stages[0].path / "a.txt").read_text() == "Ax"


def test_recompute_over_damage(run, files):
    first, _ = run(PARTS)
    _damage(first.stages[2].path / "a.txt")
    result, _ = run(PARTS, recompute=True)
    assert result.error is None
    assert text_of(result, "end").startswith("AxxBxx")


def test_damaged_entry_that_cannot_be_moved_ends_in_an_error(run, monkeypatch):
    first, _ = run(CHAIN)
    victim = first.stages[0].path
    _damage(victim / "a.txt")
    rename = Path.rename

    def immovable(self, target):
        if self == victim:
            raise OSError(1, "Operation not permitted")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", immovable)
    result, ran = run(CHAIN)
    assert result.exit_code == ExitCode.IO
    assert len(ran) < 10


def test_c24_cache_removed_before_the_end(run, store, files):
    run(PARTS)
    shutil.rmtree(store.root)
    result, ran = run(PARTS)
    assert result.error is None
    assert len(ran) == 9


def test_missing_input_is_told_before_anything_runs(run, tmp_path):
    text = CHAIN + '\n[stages.late]\nstage = "read"\ninputs.files = "nothing.csv"\n'
    (tmp_path / "nothin.csv").write_text("x")
    with pytest.raises(InputMissingError, match=r"did you mean 'nothin\.csv'"):
        run(text)
    with pytest.raises(InputMissingError, match="nothing matches"):
        run(text.replace("nothing.csv", "*.xyz"))


@pytest.mark.parametrize(
    ("make", "kind", "code"),
    [
        (lambda p: p.mkdir(), InputMissingError, "is-a-folder"),
        (lambda p: os.mkfifo(p), BadDataError, "not-a-file"),
        (lambda p: p.symlink_to("/dev/zero"), BadDataError, "not-a-file"),
        (lambda p: p.symlink_to(p), InputMissingError, "not-found"),
        (lambda p: p.symlink_to("nowhere"), InputMissingError, "not-found"),
    ],
)
def test_b02_b14_b15_inputs_that_are_no_files(run, tmp_path, make, kind, code):
    make(tmp_path / "x.csv")
    result, _ = run('[stages.read]\ninputs.files = "x.csv"\n')
    assert isinstance(result.error, kind)
    assert result.error.notice.code == code


def test_b02_folder_that_is_no_dataset(run, tmp_path):
    (tmp_path / "folder").mkdir()
    result, _ = run('[stages.emit]\ninputs.data = "folder"\n')
    assert result.error.notice.code == "wrong-kind"
    (tmp_path / "folder" / "dataset.json").write_text("{}")
    assert run('[stages.emit]\ninputs.data = "folder"\n')[0].error is None
    result, _ = run('[stages.emit]\ninputs.data = "folder/dataset.json"\n')
    assert "give the folder" in result.error.notice.hint


def test_delivered_folder_is_the_same_input_as_the_stage(run, tmp_path, store):
    """A copy given to the user leads to the same keys as the stage that made it."""
    run(CHAIN, out={"one": tmp_path / "copy"})
    loose = CHAIN.split("\n[stages.two]")[1].replace("@one", "copy")
    assert run("[stages.two]" + loose)[1] == []


def test_damaged_copy_of_the_user_is_refused(run, tmp_path):
    run(CHAIN, out={"one": tmp_path / "copy"})
    (tmp_path / "copy" / "a.txt").write_text("edited")
    text = '[stages.two]\nstage = "emit"\ninputs.data = "copy"\n'
    result, _ = run(text)
    assert result.error.notice.code == "input-damaged"
    (tmp_path / "copy" / "manifest.json").unlink()
    assert run(text)[0].error is None


def test_c29_b07_input_that_changes_under_way_is_never_kept(run, tmp_path, store, monkeypatch):
    """The file is rewritten after it was hashed and before the stage has finished."""
    from tests.fakes import stages

    log = tmp_path / "x.csv"
    log.write_text("first")
    text = '[stages.read]\ninputs.files = "x.csv"\n'

    def meddle(config, inputs, out_dir):
        stages.emit(config, inputs, out_dir)
        log.write_text("secnd")  # the same size
        return []

    from dataclasses import replace

    with monkeypatch.context() as patched:
        patched.setattr(stages, "READ", replace(stages.READ, run=meddle))
        result, _ = run(text)
    assert isinstance(result.error, TemporaryError)
    assert result.exit_code == ExitCode.TEMPORARY
    assert not list(store.root.glob("entries/read/*/*"))
    assert run(text)[0].error is None


def test_c29_growing_file_in_worker_processes(run_in_workers, tmp_path):
    log = tmp_path / "x.csv"
    log.write_text("begin")
    stop = threading.Event()

    def record():
        with log.open("a") as out:
            while not stop.wait(0.002):
                out.write("more\n")
                out.flush()

    recorder = threading.Thread(target=record)
    recorder.start()
    try:
        result = run_in_workers('[stages.read]\ninputs.files = "x.csv"\n')
    finally:
        stop.set()
        recorder.join()
    assert result.exit_code == ExitCode.TEMPORARY


def test_c30_input_replaced_by_a_link_counts_by_what_was_read(run, tmp_path, store, monkeypatch):
    from dataclasses import replace

    from tests.fakes import stages

    log, elsewhere = tmp_path / "x.csv", tmp_path / "elsewhere"
    text = '[stages.read]\ninputs.files = "x.csv"\n'

    def meddle(config, inputs, out_dir):
        stages.emit(config, inputs, out_dir)
        log.unlink()
        log.symlink_to(elsewhere)
        return []

    monkeypatch.setattr(stages, "READ", replace(stages.READ, run=meddle))
    for other, code in (("other", ExitCode.TEMPORARY), ("first", ExitCode.OK)):
        log.unlink(missing_ok=True)
        log.write_text("first")
        elsewhere.write_text(other)
        result, ran = run(text)
        assert (result.exit_code, ran) == (code, ["read"])
        assert len(list(store.root.glob("entries/read/*/*"))) == (code == ExitCode.OK)
    assert text_of(result, "read") == "firstx"


def test_c33_changed_default_is_a_miss(run, monkeypatch):
    """Keys hold every value, also those that nobody gave."""
    from dataclasses import replace

    from tests.fakes import stages

    run("[stages.emit]\n")

    class NewConfig(stages.FakeConfig):
        text: str = "another default"

    monkeypatch.setattr(stages, "EMIT", replace(stages.EMIT, config=NewConfig))
    result, ran = run("[stages.emit]\n")
    assert ran == ["emit"]
    assert text_of(result, "emit") == "another default"
    assert run('[stages.emit]\ntext = "x"\n')[1] == []  # the old default, said


def test_c34_same_values_written_otherwise_are_a_hit(run):
    run("[stages.emit]\nnumber = 1.0\ntext = 'x'\n")
    for text in (
        "[stages.emit]\ntext = 'x'\nnumber = 1.0\n",
        '# a remark\n[stages.emit]  # another\n\n  text   = "x"\nnumber = 1.00 # one\n',
        "stages = {emit = {number = 0.1e1, text = '\\u0078'}}\n".replace("'", '"'),
        "[stages.emit]\nnumber = 1\n",
    ):
        assert run(text)[1] == [], text
    assert run("[stages.emit]\nnumber = -1.0\n")[1] == ["emit"]


def test_c41_c20_result_is_kept_when_its_copy_finds_no_space(run, tmp_path, monkeypatch):
    from robotid.store import delivery

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(delivery, "write_synced", full)
        result, ran = run(CHAIN, out={"three": tmp_path / "out"})
    assert (result.exit_code, ran) == (ExitCode.IO, ["one", "two", "three"])
    assert result.error.notice.file == str(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    result, ran = run(CHAIN, out={"three": tmp_path / "out"})
    assert (result.exit_code, ran) == (ExitCode.OK, [])


@pytest.mark.parametrize("year", [1985, 1999, 2100, 2300])
def test_r35_any_year(run, tmp_path, monkeypatch, year):
    now = (year - 1970) * 365.25 * 86_400
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "time_ns", lambda: int(now * 1e9))
    (tmp_path / "x.csv").write_text("x")
    os.utime(tmp_path / "x.csv", (now, now))
    text = '[stages.read]\ninputs.files = "x.csv"\n'
    assert run(text, out={"read": tmp_path / "out"})[1] == ["read"]
    result, ran = run(text, out={"read": tmp_path / "out"})
    assert (result.exit_code, ran) == (ExitCode.OK, [])


def test_c31_moved_input_is_a_hit(run, tmp_path):
    (tmp_path / "x.csv").write_text("x")
    run('[stages.read]\ninputs.files = "x.csv"\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "x.csv").rename(tmp_path / "sub" / "y.csv")
    assert run('[stages.read]\ninputs.files = "sub/y.csv"\n')[1] == []


@pytest.mark.parametrize("settled_s", [0.0, 5.0])
def test_c27_c28_restored_older_content_is_a_miss(run, tmp_path, monkeypatch, settled_s):
    """Also where the digest is remembered, as it is at 0 s."""
    monkeypatch.setattr("robotid.store.digests._SETTLED_S", settled_s)
    path = tmp_path / "x.csv"
    path.write_text("old")
    os.utime(path, (1e9, 1e9))
    text = '[stages.read]\ninputs.files = "x.csv"\n'
    run(text)
    path.write_text("new")
    os.utime(path, (1e9, 1e9))
    assert run(text)[1] == ["read"]


def test_only_computes_one_stage(run):
    with_everything_missing, ran = run(CHAIN, only="three")
    assert with_everything_missing.error.notice.code == "not-cached"
    assert ran == []
    run(CHAIN)
    _, ran = run(CHAIN, ["three.text='new'"], only="three")
    assert ran == ["three"]


def test_only_with_recompute(run):
    run(CHAIN)
    result, ran = run(CHAIN, only="two", recompute=True)
    assert result.error is None
    assert ran == ["two"]


def test_results_need_a_place(graph, tmp_path):
    from inline import run_inline

    lost = Store(tmp_path / "temporary", lasting=False)
    result, _ = run_inline(graph(CHAIN), lost)
    assert isinstance(result.error, UsageError)
    assert "--out" in result.error.notice.hint
    result, _ = run_inline(graph(CHAIN), lost, out={"three": tmp_path / "out"})
    assert result.error is None
    assert [stage.path for stage in result.stages] == [None, None, tmp_path / "out"]


def test_code_replaced_under_way_is_not_cached(run, store, monkeypatch, tmp_path):
    """The sources are looked at again after the stage has run."""
    import robotid
    from robotid.runner import identity

    copy = tmp_path / "robotid"
    shutil.copytree(
        Path(robotid.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    monkeypatch.setattr(identity.robotid, "__file__", str(copy / "__init__.py"))
    identity._first_source_digest.cache_clear()
    assert run("[stages.emit]\n")[0].error is None
    (copy / ".errors.py.swp").write_text("an editor's file is no source")
    assert run("[stages.emit]\ntext = 'a'\n")[0].error is None
    with (copy / "errors.py").open("a") as source:
        source.write("# edited\n")
    result, _ = run("[stages.emit]\ntext = 'b'\n")
    assert result.error.notice.code == "code-changed"
    assert result.exit_code == ExitCode.TEMPORARY
    identity._first_source_digest.cache_clear()


def test_first_error_is_that_of_the_first_part(run_in_workers, tmp_path):
    """Not that of the part that failed first."""
    (tmp_path / "a.csv").write_text("bad" + " " * 5_000_000)
    (tmp_path / "b.csv").write_text("bad")
    for jobs in (1, 2):
        result = run_in_workers('[stages.parts]\ninputs.files = "*.csv"\n', jobs=jobs)
        assert result.error.notice.file.endswith("a.csv")


# ---- worker processes ----


def test_workers_give_the_same_result(run, run_in_workers, files, store, tmp_path):
    result = run_in_workers(PARTS)
    assert result.error is None
    assert run(PARTS)[1] == []


def test_r17_a_time_limit_stops_work_that_is_under_way(run_in_workers, store):
    """What was finished before is kept; what sleeps for a minute is not waited for."""
    text = '[stages.first]\nstage = "emit"\n[stages.last]\nstage = "slow"\nseconds = 60.0\n'
    assert run_in_workers('[stages.first]\nstage = "emit"\n').error is None
    began = time.monotonic()
    with pytest.raises(TemporaryError, match="out of time"):
        run_in_workers(text, timeout_s=2.0)
    assert 2.0 <= time.monotonic() - began < 30
    assert list((store.root / "tmp").iterdir()) == []


@pytest.mark.alone
def test_independent_stages_run_side_by_side(run_in_workers):
    """Two sleeping stages in two workers take the time of one, give or take a process start."""
    text = "".join(
        f'[stages.s{n}]\nstage = "slow"\ntext = "{n}"\nseconds = 1.5\n' for n in range(2)
    )
    began = time.monotonic()
    assert run_in_workers(text, jobs=2).error is None
    side_by_side = time.monotonic() - began
    assert side_by_side < 2.8


@pytest.mark.parametrize(("jobs", "tasks", "share"), [(1, 3, 4), (2, 1, 4), (2, 3, 2), (8, 2, 2)])
def test_a_task_uses_the_cores_that_others_leave(run_in_workers, monkeypatch, jobs, tasks, share):
    """Told to use four: alone it has all of them, beside others its share."""
    monkeypatch.setenv("ROBOTID_CORES", "4")
    text = "".join(
        f'[stages.c{n}]\nstage = "cores"\ntext = "{n}"\nseconds = 0.3\n' for n in range(tasks)
    )
    result = run_in_workers(text, jobs=jobs)
    assert {text_of(result, f"c{n}") for n in range(min(jobs, tasks))} == {str(share)}


def test_r16_killed_worker_is_reported_and_the_rest_goes_on(run_in_workers, store):
    result = run_in_workers(
        '[stages.die]\n[stages.emit]\n[stages.after]\nstage="emit"\ninputs.data="@die"\n'
    )
    assert statuses(result) == {"die": "failed", "emit": "computed", "after": "skipped"}
    assert isinstance(result.error, TemporaryError)
    assert "killed by SIGKILL, peak memory" in result.error.notice.message
    assert list((store.root / "tmp").iterdir()) == []


def test_error_of_a_worker_arrives_whole(run_in_workers):
    result = run_in_workers("[stages.fail]\n[stages.crash]\n")
    notice = result.stages[0].error.notice
    assert isinstance(result.stages[0].error, BadDataError)
    assert (notice.code, notice.file, notice.line) == ("bad", "here.csv", 3)
    assert type(result.stages[1].error) is RobotidError
    assert "Traceback" in result.stages[1].detail


def test_progress_reaches_the_observer(run_in_workers):
    from inline import Silence

    class Listener(Silence):
        def __init__(self):
            self.seen = []

        def progressed(self, task, fraction, doing):
            self.seen.append((task.label, fraction, doing))

    listener = Listener()
    run_in_workers("[stages.emit]\n", observer=listener)
    assert listener.seen == [("emit", 0.5, "writing")]


def test_damaged_input_is_noticed_by_workers(run_in_workers, files, store):
    first = run_in_workers(PARTS)
    _damage(first.stages[1].entry.path / "b.txt")
    result = run_in_workers(PARTS)
    assert result.error is None
    assert "cache-damaged" in {notice.code for notice in result.notices}
    assert result.stages[1].entry.manifest == first.stages[1].entry.manifest


def test_a_cache_that_is_removed_under_a_run_is_named(tmp_path):
    """What fails then is no fault of the inputs: 75, run again."""
    store = Store(tmp_path / "cache")

    def worked(removed):
        with store.workspace() as space, execute._kept(space, store):
            if removed:
                shutil.rmtree(store.root)
            (space / "result").read_bytes()

    with pytest.raises(TemporaryError, match="cache was removed") as caught:
        worked(removed=True)
    assert caught.value.notice.code == "cache-removed"
    with pytest.raises(FileNotFoundError):
        worked(removed=False)


@pytest.mark.parametrize(("gone", "told"), [
    ("result", TemporaryError), ("inputs", TemporaryError), (None, FileNotFoundError),
    ("../../entries/fit", TemporaryError),
])  # fmt: skip
def test_a_workspace_that_is_just_being_removed_is_told_as_well(tmp_path, gone, told):
    """Folders go one by one: the one that is missed may be gone before the workspace is."""
    store = Store(tmp_path / "cache")

    def worked():
        with store.workspace() as space, execute._kept(space, store) as made:
            for name in ("result", "inputs"):
                (space / name).mkdir()
                made.append(space / name)
            lost = (space / (gone or "result")).resolve()
            if gone:
                shutil.rmtree(lost, ignore_errors=True)
            (lost / "file").read_bytes()

    with pytest.raises(told):
        worked()
