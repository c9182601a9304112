"""One cache for all pages, and a folder for each with what its commands need."""

import shutil

import pytest

from tests.docs.in_process import InProcess
from tests.docs.markdown import PROJECT


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("shared") / "robotid"


@pytest.fixture(autouse=True)
def cache(shared_cache, monkeypatch):
    """The same for all pages, so that what one has computed the next one finds."""
    monkeypatch.setenv("ROBOTID_CACHE_DIR", str(shared_cache))
    monkeypatch.setattr("robotid.cli.session.LocalExecutor", InProcess)
    return shared_cache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder as somebody has who has just cloned the project."""
    (tmp_path / "sample_logs").symlink_to(PROJECT / "sample_logs")
    shutil.copytree(PROJECT / "pipelines", tmp_path / "pipelines")
    monkeypatch.chdir(tmp_path)
    return tmp_path
