"""Clusters of processes of their own, and graphs of fake stages that run on them."""

import pytest
from dask_processes import DaskProcesses, no_loopback
from inline import Silence

from robotid.runner.run import Run


class Seen(Silence):
    """An observer that remembers."""

    def __init__(self):
        self.began, self.done, self.told, self.waited, self.far = [], [], [], [], []

    def started(self, task):
        self.began.append(task.label)

    def ended(self, task):
        self.done.append(task.label)

    def progressed(self, task, fraction, doing):
        self.told.append((task.label, fraction, doing))

    def waits(self, why):
        self.waited.append(why)

    def reached(self, whole):
        self.far.append(whole)


@pytest.fixture(scope="session")
def loopback():
    pytest.importorskip("distributed")
    reason = no_loopback()
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def cluster(loopback, tmp_path_factory):
    """A scheduler and two workers for all tests of a module that leave them as they are."""
    with DaskProcesses(tmp_path_factory.mktemp("cluster"), workers=2) as processes:
        yield processes


@pytest.fixture
def own_cluster(loopback, tmp_path):
    """Clusters of a test that does not leave them as they are."""
    started = []

    def start(workers=1, **settings):
        folder = tmp_path / f"cluster-{len(started)}"
        folder.mkdir()
        started.append(DaskProcesses(folder, workers, **settings))
        return started[-1]

    yield start
    for processes in started:
        processes.__exit__()


@pytest.fixture
def far_away(monkeypatch):
    """As if workers were on other machines: neither the store nor the user's files are the same."""
    monkeypatch.setattr("robotid.runner.cluster.executor._probe", lambda *_: ("/nowhere", ""))
    monkeypatch.setattr("robotid.runner.cluster.supply.stamps", lambda _: [("elsewhere", 0, 0)])


@pytest.fixture
def run_on(graph, store):
    """Run a pipeline text on a cluster; the result, and what an observer saw."""
    from robotid.runner.cluster.executor import DaskExecutor

    def go(text, cluster, timeout_s=10.0, settings=(), **options):
        seen = Seen()
        executor = DaskExecutor(store, cluster.address, 1, timeout_s)
        try:
            made = graph(text, settings)
            return Run(made, store, executor, seen, **options).go(), seen
        finally:
            executor.close()

    return go
