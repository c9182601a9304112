"""A cluster does what processes here do: the same graph, the same keys, the same bytes."""

import socket
import threading
from contextlib import suppress

import pytest

pytest.importorskip("distributed")

from inline import Silence

from robotid.errors import ExitCode, TemporaryError
from robotid.runner.cluster.executor import DaskExecutor
from robotid.runner.run import Run
from robotid.store.store import Store
from tests.runner.conftest import statuses, text_of

GRAPH = """
[stages.parts]
inputs.files = "*.csv"
title = "all"

[stages.again]
inputs.data = "@parts"

[stages.emit]
inputs.data = ["@again", "@parts"]
text = "end"

[stages.named]
inputs.data = ["@emit", "@again"]
"""


@pytest.fixture
def files(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.csv").write_text(f"{name} " * 5)


def everything(store):
    """Names and bytes of all entries, but for files that only travelled."""
    root = store.root / "entries"
    found = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name[:5] != "file/"}


@pytest.fixture
def local(graph, files, tmp_path, run):
    """What a local run leaves."""
    other = Store(tmp_path / "other-cache")
    from inline import run_inline

    run_inline(graph(GRAPH), other)
    return everything(other)


def test_same_keys_and_bytes_in_a_common_store(local, cluster, run_on, store):
    result, seen = run_on(GRAPH, cluster)
    assert result.error is None
    assert everything(store) == local
    assert sorted(seen.began) == sorted(seen.done)
    assert len(seen.began) == 3 + 1 + 3 + 1 + 1 + 1
    again, seen = run_on(GRAPH, cluster)
    assert set(statuses(again).values()) == {"cached"}
    assert seen.began == []
    assert list((store.root / "tmp").iterdir()) == []


def test_same_keys_and_bytes_without_a_common_store(local, cluster, run_on, store, far_away):
    result, seen = run_on(GRAPH, cluster)
    assert result.error is None, f"{result.error}\n{cluster.said()}"
    assert everything(store) == local
    assert sorted(seen.began) == sorted(seen.done)
    assert not (store.root / "entries" / "file").exists()


def test_inputs_that_only_the_run_can_see_come_into_the_common_store(
    local, cluster, run_on, store, monkeypatch
):
    monkeypatch.setattr("robotid.runner.cluster.supply.stamps", lambda _: [("elsewhere", 0, 0)])
    result, _ = run_on(GRAPH, cluster)
    assert result.error is None
    assert everything(store) == local
    assert len(list((store.root / "entries" / "file").rglob("content"))) == 3


def test_a_worker_gives_another_what_it_has(cluster, run_on, far_away, monkeypatch):
    """What one worker made goes to another without the run sending it."""
    sent = []
    from robotid.runner.cluster.peers import Peers

    send = Peers.send
    monkeypatch.setattr(
        Peers,
        "send",
        lambda self, address, *rest: (sent.append(address), send(self, address, *rest)),
    )
    text = "[stages.emit]\ntext = 'abc'\n" + "".join(
        f"[stages.s{i}]\nstage = 'slow'\nseconds = 0.5\ntext = '{i}'\ninputs.data = '@emit'\n"
        for i in range(4)
    )
    result, _ = run_on(text, cluster)
    assert result.error is None
    assert text_of(result, "s3") == "abc{}3"
    assert sent == []


def test_a_large_result_comes_in_pieces(cluster, run_on, far_away):
    result, _ = run_on(
        "[stages.bulky]\nnumber = 9.5\n[stages.emit]\ninputs.data = '@bulky'", cluster
    )
    assert result.error is None
    (bulky,) = (s for s in result.stages if s.node.name == "bulky")
    assert (bulky.path / "bulk.bin").stat().st_size == 9_500_000


class Relay:
    """Stands in front of a scheduler and counts the bytes that pass."""

    def __init__(self, port):
        self.passed, self._port = 0, port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            one, _ = self._listening.accept()
            other = socket.create_connection(("127.0.0.1", self._port))
            for pair in ((one, other), (other, one)):
                threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source, target):
        with suppress(OSError):
            while data := source.recv(1 << 16):
                self.passed += len(data)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


def test_files_do_not_pass_through_the_scheduler(own_cluster, run_on, far_away):
    """Neither results on their way to the run nor those one worker takes from another."""
    cluster = own_cluster(workers=0)
    relay = Relay(int(cluster.address.rpartition(":")[2]))
    cluster.address = relay.address
    cluster.workers = [cluster.worker(), cluster.worker()]
    text = "[stages.bulky]\nnumber = 9.0\n" + "".join(
        f"[stages.s{i}]\nstage='slow'\nseconds=0.3\ntext='{i}'\ninputs.data='@bulky'\n"
        for i in range(4)
    )
    result, _ = run_on(text, cluster)
    assert result.error is None
    assert 1_000 < relay.passed < 2_000_000  # of at least 18 MB


def test_what_the_user_has_changed_is_not_sent(cluster, run_on, far_away, tmp_path, monkeypatch):
    """A file that is no longer what the key was made from: 75, nothing is kept."""
    (tmp_path / "x.csv").write_text("before")
    from robotid.runner.cluster import supply

    known = supply.Supply.known

    def changing(self, task):
        (tmp_path / "x.csv").write_text("behind")
        return known(self, task)

    monkeypatch.setattr(supply.Supply, "known", changing)
    result, _ = run_on('[stages.read]\ninputs.files = "x.csv"\n', cluster)
    assert result.exit_code == ExitCode.TEMPORARY
    assert result.error.notice.code == "input-changed"
    assert result.error.notice.file == str(tmp_path / "x.csv")


@pytest.mark.parametrize("far", [False, True])
def test_errors_arrive_whole(cluster, run_on, request, tmp_path, far):
    if far:
        request.getfixturevalue("far_away")
    (tmp_path / "bad.csv").write_text("bad")
    text = "[stages.fail]\n[stages.crash]\n[stages.lossy]\n[stages.parts]\ninputs.files='bad.csv'\n"
    result, _ = run_on(text, cluster)
    found = {stage.node.name: stage for stage in result.stages}
    assert result.exit_code == ExitCode.BAD_DATA
    assert found["fail"].error.notice.file == "here.csv"
    assert found["fail"].error.notice.line == 3
    assert "ZeroDivisionError" in found["crash"].detail
    assert found["crash"].error.exit_code == ExitCode.BUG
    assert found["lossy"].status == "computed"
    assert found["lossy"].notices[0].code == "gone"
    assert found["parts"].error.notice.file == str(tmp_path / "bad.csv")


@pytest.mark.parametrize("far", [False, True])
def test_a_damaged_input_is_made_again(cluster, run_on, request, files, store, far):
    if far:
        request.getfixturevalue("far_away")
    first, _ = run_on("[stages.emit]\ntext = 'one'\n", cluster)
    path = first.stages[0].entry.path / "a.txt"
    path.chmod(0o644)
    path.write_text("two")
    text = (
        "[stages.emit]\ntext = 'one'\n[stages.next]\nstage='emit'\ninputs.data='@emit'\ntext='!'\n"
    )
    result, _ = run_on(text, cluster)
    assert result.error is None
    assert text_of(result, "next") == "one{}!"
    assert any(notice.code == "cache-damaged" for notice in result.notices)


def test_recompute_computes(cluster, run_on):
    run_on("[stages.emit]\n", cluster)
    result, seen = run_on("[stages.emit]\n", cluster, recompute=True)
    assert statuses(result) == {"emit": "computed"}
    assert seen.began == ["emit"]


def test_r17_a_time_limit_stops_work_on_workers(cluster, run_on, store):
    text = "[stages.slow]\nseconds = 30.0\n"
    with pytest.raises(TemporaryError, match="out of time"):
        run_on(text, cluster, timeout_s=1.5)
    # The two workers are free again at once.
    result, _ = run_on("[stages.emit]\n[stages.b]\nstage='emit'\ntext='b'\n", cluster, timeout_s=10)
    assert result.error is None
    assert not [path for path in (store.root / "tmp").iterdir() if (path / "result").exists()]


def test_progress_is_told(cluster, run_on):
    _, seen = run_on("[stages.emit]\n", cluster)
    assert ("emit", 0.5, "writing") in seen.told


def test_how_far_the_whole_graph_is(cluster, run_on, files):
    """Three parts and their gathering, then three stages behind them, one after the other."""
    _, seen = run_on(GRAPH, cluster)
    shares = [whole.share for whole in seen.far]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    known = [(whole.stages, whole.tasks, whole.known) for whole in seen.far]
    assert known[0] == (0, 0, 4)
    assert known[-1] == (4, 10, 10)  # `again` treats the parts one by one, too


def test_a_task_has_one_core_of_a_worker(cluster, run_on):
    """Workers are as many as there are cores: more for a task would be taken from another."""
    result, _ = run_on("[stages.cores]\n", cluster)
    assert (result.stages[0].path / "a.txt").read_text() == "1"


def test_independent_tasks_run_side_by_side(cluster, run_on):
    import time

    text = "".join(f"[stages.s{i}]\nstage='slow'\ntext='{i}'\nseconds=1.0\n" for i in range(4))
    run_on("".join(f"[stages.w{i}]\nstage='emit'\ntext='{i}'\n" for i in range(4)), cluster)
    began = time.monotonic()
    result, _ = run_on(text, cluster)
    assert result.error is None
    assert time.monotonic() - began < 3.7


def test_no_scheduler_at_the_address(store, graph, loopback, monkeypatch):
    import dask.config

    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        executor = DaskExecutor(store, "tcp://127.0.0.1:1", 1)
        try:
            result = Run(graph("[stages.emit]\n"), store, executor, Silence()).go()
        finally:
            executor.close()
    assert result.exit_code == ExitCode.TEMPORARY
    assert "no scheduler answers at tcp://127.0.0.1:1" in result.error.notice.message
