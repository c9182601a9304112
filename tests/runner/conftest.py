"""Running small graphs of fake stages, in this process or in worker processes."""

import pytest
from inline import Silence, run_inline

from robotid.runner.local import LocalExecutor
from robotid.runner.pipeline import load_pipeline
from robotid.runner.run import Run
from robotid.store.store import Store
from tests.fakes.stages import CATALOG


@pytest.fixture
def store(cache):
    return Store(cache)


@pytest.fixture
def graph(tmp_path):
    """A graph from the text of a pipeline file."""

    def make(text, settings=(), name="pipeline.toml"):
        path = tmp_path / name
        path.write_text(text)
        return load_pipeline(path, settings, CATALOG)

    return make


@pytest.fixture
def run(graph, store):
    """Run a pipeline text in this process; the result and the tasks that ran."""

    def go(text, settings=(), **options):
        return run_inline(graph(text, settings), store, **options)

    return go


@pytest.fixture
def run_in_workers(graph, store):
    """Run a pipeline text in worker processes."""

    def go(text, jobs=2, observer=None, timeout_s=None, **options):
        executor = LocalExecutor(store, jobs, timeout_s)
        try:
            return Run(graph(text), store, executor, observer or Silence(), **options).go()
        finally:
            executor.close()

    return go


def statuses(result):
    return {stage.node.name: stage.status for stage in result.stages}


def text_of(result, name):
    (stage,) = (stage for stage in result.stages if stage.node.name == name)
    return (stage.path / "a.txt").read_text()
