"""Single files of folders that robotid delivered, given as inputs."""

import pytest

from robotid.errors import BadDataError
from robotid.runner.inputs import locate
from robotid.stages.contract import Input
from robotid.store.files import hash_file
from robotid.store.manifest import Manifest


@pytest.fixture
def log(tmp_path):
    """A simulated log in the folder it was delivered in."""
    path = tmp_path / "run1.csv"
    path.write_text("t,q\n0,1\n")
    manifest = Manifest(
        record={"stage": "simulate"}, files={path.name: hash_file(path)}, notices=()
    )
    (tmp_path / "manifest.json").write_bytes(manifest.to_bytes())
    return path


LOG = Input("log", "LOG", "a log")


def test_c05_damaged_file_of_a_delivered_folder_is_refused(log):
    assert locate([log], LOG)[0].digest == hash_file(log).sha256
    log.write_text("t,q\n0,3\n")
    with pytest.raises(BadDataError) as caught:
        locate([log], LOG)
    assert caught.value.notice.code == "input-damaged"
    assert "manifest.json" in caught.value.notice.hint
    (log.parent / "manifest.json").unlink()  # edited on purpose
    assert locate([log], LOG)[0].digest == hash_file(log).sha256


def test_only_a_manifest_of_robotid_that_names_the_file_counts(log):
    other = log.with_name("other.csv")
    other.write_text("t,q\n0,4\n")
    assert locate([other], LOG)
    (log.parent / "manifest.json").write_text('{"files": {"run1.csv": "somebody else\'s"}}')
    log.write_text("t,q\n0,3\n")
    assert locate([log], LOG)
