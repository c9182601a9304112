"""The scheduler of a cluster: found at an address, or started here together with workers."""

import logging
import multiprocessing
import operator
import pkgutil
import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import dask
from dask.utils import parse_timedelta
from distributed import Client, LocalCluster

from robotid.errors import ConfigError, TemporaryError, UsageError
from robotid.release import __version__
from robotid.runner.cluster.peers import Peers, request
from robotid.store.store import Store

_CLOSING_S = 2.0
_ANSWER_S = 3.0  # for a scheduler to say which workers there are
_VERSIONS_S = 30.0  # for all workers to say which robotid they have
_PERFORM = "robotid.runner.cluster.host:perform"
TimeLeft = Callable[[], float | None]  # seconds until a run is out of time; None is never


class Connection:
    """A client of a scheduler.

    Without an address a cluster is started: `jobs` workers on this machine, reachable from this
    machine only, with keys of their own, so that nobody else can give them work.
    """

    def __init__(
        self, address: str | None, jobs: int, store: Store, scratch: Path, time_left: TimeLeft
    ) -> None:
        for name in ("distributed", "distributed.client"):  # the latter has a level of its own
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._local: Any = None
        self._name, self._time_left = address or "the cluster on this machine", time_left
        with warnings.catch_warnings(record=True) as said_by_dask:
            warnings.simplefilter("always")
            if address is None:
                self._local = _started(jobs, scratch)
            self.client = self._connected(address)
        for warning in said_by_dask:
            text = " ".join(str(warning.message).split())
            store.warn("cluster-warning", f"{self._name}: dask: {text}", store.root)
        self.peers = Peers(self._call)

    def _connected(self, address: str | None) -> Any:
        left = self._time_left()
        within = {} if left is None else {"timeout": min(left, _connect_timeout())}
        try:
            return Client(self._local or address, set_as_default=False, name="robotid", **within)
        except (ValueError, TypeError) as error:
            hint = "such as tcp://10.0.0.1:8786, or tls://… with dask's settings for TLS"
            said = f"--scheduler {address}: {error}"
            raise UsageError("bad-scheduler", said, hint=hint) from error
        except OSError as error:
            raise TemporaryError(
                "no-scheduler",
                f"no scheduler answers at {address}: {' '.join(str(error).split())}",
                hint="start one (dask scheduler), or check address, network and TLS",
            ) from error

    def check(self) -> bool:
        """Whether the scheduler is there; False while it is being looked for once more."""
        if self.client.status in ("closed", "closing"):
            raise self.lost()
        return bool(self.client.status == "running")

    def lost(self) -> TemporaryError:
        """The error for a scheduler that is gone."""
        hint = "start it and its workers, and run again: it goes on from there"
        return TemporaryError(
            "scheduler-lost",
            f"the scheduler at {self._name} is gone; finished stages are kept",
            hint=hint,
        )

    def ask(self, key: str, job: str, workers: list[str], *, only: bool) -> Any:
        """Have a worker do a job, one of these if that is possible, or `only` one of these.

        The worker itself looks up what it has to call: one without robotid then answers that it has
        none, whereas it would not survive being sent a function it cannot import.
        """
        work = {key: (operator.call, (pkgutil.resolve_name, _PERFORM), job)}
        chosen: dict[str, Any] = {}
        if workers:
            chosen = {"workers": workers, "allow_other_workers": not only}
        (future,) = self.client.get(work, [key], sync=False, **chosen)
        return future

    def workers(self) -> set[str] | None:
        """Addresses of the workers there are; None where the scheduler does not say so in time."""
        try:
            return set(self.client.sync(self._nthreads, callback_timeout=_ANSWER_S))
        except OSError:
            return None

    async def _nthreads(self) -> Any:
        return await self.client.nthreads()

    def without_robotid(self) -> dict[str, str]:
        """Workers with another robotid or none, and which; as one asks who may not have it."""
        try:
            answers = self.client.sync(self._versions, callback_timeout=_VERSIONS_S)
        except OSError:
            return {}
        return {
            address: f"robotid {found if isinstance(found, str) else 'absent'} there, "
            f"{__version__} here"
            for address, found in answers.items()
            if found != __version__
        }

    async def _versions(self) -> Any:
        return await self.client.run(metadata.version, "robotid", on_error="return")

    def close(self) -> None:
        """Leave: what was asked for and is not done yet ends, and so does a cluster of our own."""
        with suppress(Exception):
            self.client.close(timeout=_CLOSING_S)
        if self._local is not None:
            self._local.shutdown_on_close = False  # or dask waits once more when Python ends
            with suppress(Exception):
                self._local.close(timeout=_CLOSING_S)
            for process in multiprocessing.active_children():  # that have not ended by then
                process.kill()

    def _call(self, address: str, name: str, **what: Any) -> Any:
        return self.client.sync(request, self.client.rpc, address, name, self._time_left(), **what)


def _started(jobs: int, scratch: Path) -> Any:
    """A cluster on this machine; its processes and dask's threads leave Ctrl-C to the run."""
    resource_tracker.ensure_running()  # or dask starts it, which lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        return LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            security=True,
            local_directory=str(scratch),
            silence_logs=logging.CRITICAL,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _connect_timeout() -> float:
    """For how long dask looks for a scheduler [s]."""
    return float(parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"), "s"))


def refused(differences: dict[str, str]) -> ConfigError:
    """The error for a cluster of which no worker can do the work."""
    (address, first), *others = sorted(differences.items())
    more = f", and {len(others)} more workers differ" if others else ""
    return ConfigError(
        "other-versions",
        f"worker {address}: {first}{more}; results would not be those of their keys",
        hint="install the same versions there and here",
    )
