"""Lost workers and schedulers, other versions, full disks: tried again or reported, nothing lost."""

import asyncio
import errno
import os
import shutil
import signal
import subprocess
import threading
import time

import pytest

pytest.importorskip("distributed")

from dask_processes import PROJECT, children_of, until

from robotid.errors import ConfigError, ExitCode, TemporaryError
from robotid.release import __version__
from robotid.runner.cluster.peers import Service, request
from tests.conftest import spawn
from tests.runner.conftest import statuses, text_of

SLOW = "[stages.first]\nstage = 'emit'\n[stages.slow]\nseconds = 2.0\ninputs.data = '@first'\n"


def busy(cluster):
    """The workers that have started a process of ours."""
    return [worker for worker in cluster.workers if children_of(worker.pid)]


def later(*steps):
    """Do something in another thread while a run goes on."""
    thread = threading.Thread(target=lambda: [step() for step in steps], daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("far", [False, True])
def test_a_worker_is_killed_in_the_middle_of_a_task(own_cluster, run_on, store, request, far):
    """Another one does it, and the result is the same."""
    if far:
        request.getfixturevalue("far_away")
    cluster, killed = own_cluster(workers=2), []

    def kill():
        until(lambda: (store.root / "entries" / "emit").exists() and busy(cluster))
        time.sleep(1.0)
        killed.extend(busy(cluster)[-1:])
        os.kill(killed[0].pid, signal.SIGKILL)

    thread = later(kill)
    result, seen = run_on(SLOW, cluster)
    thread.join()
    assert result.error is None, f"{result.error}\n{cluster.said()}"
    assert text_of(result, "slow") == "x{}x"
    assert killed
    assert seen.began.count("slow") == 1
    until(lambda: not list((store.root / "tmp").iterdir()), 10)


def test_the_last_worker_is_lost_and_another_joins(own_cluster, run_on):
    cluster = own_cluster(workers=1)

    def replace():
        until(lambda: busy(cluster))
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        time.sleep(2.5)
        cluster.worker()

    thread = later(replace)
    result, seen = run_on("[stages.slow]\nseconds = 3.0\n", cluster)
    thread.join()
    assert result.error is None
    assert seen.waited == ["no worker has joined the cluster"]


def test_a_task_that_kills_its_process_is_tried_elsewhere_and_reported(cluster, run_on, store):
    result, _ = run_on("[stages.die]\n[stages.emit]\n", cluster)
    assert statuses(result) == {"die": "failed", "emit": "computed"}
    assert result.exit_code == ExitCode.TEMPORARY
    assert result.error.notice.code == "worker-killed"
    assert "killed by SIGKILL" in result.error.notice.message
    assert "(worker tcp://127.0.0.1:" in result.error.notice.message
    assert list((store.root / "tmp").iterdir()) == []


def test_the_scheduler_is_killed(own_cluster, run_on, store, monkeypatch):
    """75; what is finished is kept, and the next run goes on from there."""
    import dask.config

    cluster = own_cluster(workers=1)

    def kill():
        until(lambda: (store.root / "entries" / "emit").exists())
        time.sleep(0.5)
        os.kill(cluster.scheduler.pid, signal.SIGKILL)

    thread = later(kill)
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(TemporaryError, match="is gone; finished stages are kept") as caught,
    ):
        run_on(SLOW, cluster)
    thread.join()
    assert caught.value.notice.code == "scheduler-lost"
    again, seen = run_on(SLOW, own_cluster(workers=1))
    assert again.error is None
    assert statuses(again)["first"] == "cached"
    assert "first" not in seen.began


@pytest.fixture
def other_robotid(tmp_path):
    """A folder with another version of robotid."""
    folder = tmp_path / "other"
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PROJECT / "robotid", folder / "robotid", ignore=left_out)
    shutil.copytree(PROJECT / "tests" / "fakes", folder / "tests" / "fakes", ignore=left_out)
    (folder / "tests" / "__init__.py").touch()
    (folder / "robotid" / "release.py").write_text('__version__ = "0.0.1"\n')
    return folder


def test_workers_with_another_robotid_are_refused(own_cluster, run_on, other_robotid):
    cluster = own_cluster(workers=0)
    cluster.worker(PYTHONPATH=str(other_robotid))
    with pytest.raises(ConfigError) as caught:
        run_on("[stages.emit]\n", cluster)
    assert f"robotid 0.0.1 there, {__version__} here" in caught.value.notice.message
    assert caught.value.exit_code == ExitCode.BAD_CONFIG


def test_others_do_the_work_of_workers_that_are_refused(own_cluster, run_on, other_robotid):
    cluster = own_cluster(workers=1)
    cluster.worker(PYTHONPATH=str(other_robotid))
    text = "".join(f"[stages.s{i}]\nstage='slow'\ntext='{i}'\nseconds=0.5\n" for i in range(6))
    result, _ = run_on(text, cluster)
    assert result.error is None
    told = [notice.message for notice in result.notices if notice.code == "other-versions"]
    assert len(told) == 1
    assert f"robotid 0.0.1 there, {__version__} here" in told[0]


LIES = {
    "library": (
        "from importlib import metadata\n"
        "told = metadata.version\n"
        "metadata.version = lambda name: '1.2.3' if name == 'numpy' else told(name)\n",
        "numpy 1.2.3 there, ",
    ),
    "absent": (
        "import sys\n"
        "from importlib import metadata\n"
        "told = metadata.version\n"
        "def version(name):\n"
        "    if name == 'robotid': raise metadata.PackageNotFoundError(name)\n"
        "    return told(name)\n"
        "metadata.version = version\n"
        "class Without:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name.partition('.')[0] == 'robotid': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Without())\n",
        f"robotid absent there, {__version__} here",
    ),
    "sources": (None, "other sources of robotid.progress"),
}


@pytest.mark.parametrize("kind", LIES)
def test_other_libraries_sources_or_none_are_refused(own_cluster, run_on, tmp_path, kind, request):
    shim, says = LIES[kind]
    if shim is None:
        folder = request.getfixturevalue("other_robotid")
        (folder / "robotid" / "release.py").write_text(f'__version__ = "{__version__}"\n')
        with (folder / "robotid" / "progress.py").open("a") as file:
            file.write("# other\n")
        path = str(folder)
    else:
        (tmp_path / "shim").mkdir()
        (tmp_path / "shim" / "sitecustomize.py").write_text(shim)
        path = f"{tmp_path / 'shim'}{os.pathsep}{PROJECT}"
    cluster = own_cluster(workers=0)
    cluster.worker(PYTHONPATH=path)
    with pytest.raises(ConfigError) as caught:
        run_on("[stages.numbers]\n", cluster)
    assert says in caught.value.notice.message


def full_disk(cluster, tmp_path):
    """A worker whose own cache lies on a disk of 256 kB."""
    small = tmp_path / "small"
    small.mkdir(mode=0o700)
    size = "size=256k,mode=700"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", small]).returncode != 0:
        pytest.skip("this system lets no file system be mounted")
    return cluster.worker(ROBOTID_CACHE_DIR=str(small / "cache")), small


@pytest.fixture
def small_disk_worker(own_cluster, tmp_path):
    cluster = own_cluster(workers=0)
    _, small = full_disk(cluster, tmp_path)
    yield cluster
    subprocess.run(["umount", "--lazy", small], check=True)


def test_a_worker_with_a_full_disk_is_reported(small_disk_worker, run_on, far_away):
    text = "[stages.emit]\n[stages.bulky]\ninputs.data = '@emit'\nnumber = 2.0\n"
    result, _ = run_on(text, small_disk_worker)
    assert statuses(result) == {"emit": "computed", "bulky": "failed"}
    assert result.exit_code == ExitCode.IO
    assert result.error.notice.code == "disk-full"
    assert "(worker tcp://" in result.error.notice.message


def test_another_worker_does_it_where_a_disk_is_full(small_disk_worker, run_on, far_away):
    small_disk_worker.worker()
    text = "".join(f"[stages.b{i}]\nstage='bulky'\nnumber=1.{i}\n" for i in range(4))
    result, _ = run_on(text, small_disk_worker)
    assert result.error is None
    assert set(statuses(result).values()) == {"computed"}


def test_a_scheduler_that_does_not_answer_costs_no_more_than_the_time_there_is(
    own_cluster, run_on, store
):
    cluster = own_cluster(workers=1)

    def freeze():
        until(lambda: busy(cluster))
        os.kill(cluster.scheduler.pid, signal.SIGSTOP)

    thread = later(freeze)
    began = time.monotonic()
    with pytest.raises(TemporaryError, match="out of time"):
        run_on("[stages.slow]\nseconds = 60.0\n", cluster, timeout_s=8.0)
    assert time.monotonic() - began < 16
    thread.join()


def test_a_run_without_workers_ends_when_its_time_is_up(own_cluster, tmp_path):
    """And not a minute later, for answers that never come."""
    cluster, path = own_cluster(workers=0), tmp_path / "pipeline.toml"
    path.write_text("[stages.simulate]\ninputs.robot = 'pendulum'\nduration_s = 1.0\n")
    began = time.monotonic()
    run = spawn("run", path, "--timeout", 3, "--executor", "dask", "--scheduler", cluster.address)
    _, said = run.communicate(timeout=40)
    assert run.returncode == 75
    assert b"waiting: no worker has joined the cluster" in said
    assert time.monotonic() - began < 12


def test_no_scheduler_is_looked_for_once(loopback, tmp_path):
    """Not once for every stage, and for no longer than there is time."""
    path = tmp_path / "pipeline.toml"
    path.write_text(
        "".join(
            f"[stages.s{i}]\nstage = 'simulate'\ninputs.robot = 'pendulum'\nseed = {i}\n"
            for i in range(4)
        )
    )
    began = time.monotonic()
    run = spawn(
        *("run", path, "--timeout", 3, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:1")
    )
    _, said = run.communicate(timeout=60)
    assert run.returncode == 75
    assert b"error[no-scheduler]" in said
    assert b"Traceback" not in said
    assert time.monotonic() - began < 12


def test_a_damaged_result_of_a_worker_is_made_again(own_cluster, run_on, far_away, store, tmp_path):
    """In a cache of its own it is looked after as in that of the run."""
    own = tmp_path / "own"
    cluster = own_cluster(workers=0)
    cluster.worker(ROBOTID_CACHE_DIR=str(own))
    text = "[stages.emit]\n"
    first, _ = run_on(text, cluster)
    assert first.error is None
    wanted = text_of(first, "emit")
    (kept,) = (own / "entries" / "emit").glob("*/*/a.txt")
    kept.chmod(0o600)
    kept.write_text("damaged")
    shutil.rmtree(store.root / "entries")
    again, _ = run_on(text, cluster)
    assert again.error is None, f"{again.error}\n{cluster.said()}"
    assert text_of(again, "emit") == wanted
    assert kept.read_text() == wanted


def test_a_full_disk_here_is_not_blamed_on_a_worker(cluster, run_on, far_away, monkeypatch):
    tried = []

    def full(*_, **__):
        tried.append(1)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("robotid.runner.cluster.supply.receive", full)
    result, _ = run_on("[stages.emit]\n", cluster)
    assert result.error.notice.code == "disk-full"
    assert "worker" not in result.error.notice.message
    assert len(tried) == 1


def test_a_request_is_not_waited_for_for_ever():
    class Pool:
        async def connect(self, address):
            return None

        def reuse(self, address, connection):
            pass

        def __call__(self, address):
            return self

        async def robotid_read(self, **given):
            await asyncio.sleep(60)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(request(Pool(), "tcp://10.0.0.1:1", "robotid_read", 0.2))
    assert time.monotonic() - began < 5


def test_files_of_which_nothing_more_arrives_are_dropped(store, monkeypatch):
    service, now = Service(store), [0.0]
    monkeypatch.setattr("robotid.runner.cluster.peers.time.monotonic", lambda: now[0])

    async def send():
        old = (await service.write("", b"half of it"))["done"]
        now[0] = 1000.0
        new = (await service.write("", b"of another"))["done"]
        return old, new

    old, new = asyncio.run(send())
    assert [path.name for path in (store.root / "tmp").iterdir()] == [new]
    assert old != new
