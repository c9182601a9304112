"""What a run would do."""

import os

from robotid.runner.preview import preview

from .test_run import CHAIN, PARTS, files  # noqa: F401 - a fixture


def states(lines):
    return [(line.task, line.state) for line in lines]


def test_nothing_is_there(graph, store):
    lines = preview(graph(CHAIN), store)
    assert states(lines) == [("one", "miss"), ("two", "unknown"), ("three", "unknown")]
    assert lines[0].why == "no earlier result of emit"
    assert lines[1].why == "waits for one"


def test_all_is_there(graph, store, run):
    run(CHAIN)
    assert {line.state for line in preview(graph(CHAIN), store)} == {"hit"}


def test_reason_for_a_miss(graph, store, run):
    run(CHAIN)
    lines = preview(graph(CHAIN, ["two.text='B'"]), store)
    assert states(lines) == [("one", "hit"), ("two", "miss"), ("three", "unknown")]
    assert lines[1].why == "config.text 'b' -> 'B'"


def test_parts(graph, store, run, files):  # noqa: F811
    run(PARTS)
    (files / "d.csv").write_text("d")
    lines = preview(graph(PARTS), store)
    assert states(lines)[:6] == [
        ("parts[a]", "hit"), ("parts[b]", "hit"), ("parts[c]", "hit"), ("parts[d]", "miss"),
        ("parts", "unknown"), ("again", "unknown"),
    ]  # fmt: skip
    assert "inputs.files[0]" in lines[3].why


def test_recompute_and_no_sign_of_use(graph, store, run):
    run(CHAIN)
    entries = list(store.root.glob("entries/emit/*/*"))
    for entry in entries:
        os.utime(entry, (0, 0))
    lines = preview(graph(CHAIN), store, recompute=True)
    assert {(line.state, line.why) for line in lines} == {("miss", "--recompute")}
    assert {entry.stat().st_mtime for entry in entries} == {0}
