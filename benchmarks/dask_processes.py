"""A scheduler and workers of dask as processes of their own, on the loopback of this machine.

What is started here listens to 127.0.0.1 only, at ports that are free, and ends with the block.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent
_DASK = str(Path(sys.executable).parent / "dask")
_PATIENCE_S = 60.0


def no_loopback() -> str | None:
    """Why no cluster can be had here; None where one can."""
    if shutil.which(_DASK) is None:
        return "dask is not installed: pip install 'robotid[dask]'"
    try:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            one.listen()
            with socket.create_connection(one.getsockname(), timeout=5):
                return None
    except OSError as error:
        return f"no loopback here: {error}"


def can_hide() -> bool:
    """Whether this system lets a process have its own view of the file system."""
    command = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


class DaskProcesses:
    """A scheduler, and workers that are added and killed one by one."""

    def __init__(self, folder: Path, workers: int = 0, **settings: str) -> None:
        """Start a scheduler and `workers` workers; `settings` are added to their environment."""
        self.folder = folder
        self._settings = {"PYTHONPATH": str(PROJECT), **settings}
        self._started: list[subprocess.Popen[bytes]] = []
        self._file = folder / f"scheduler-{len(list(folder.glob('scheduler-*')))}.json"
        arguments = ["--port", "0", "--scheduler-file", self._file]
        self.scheduler = self._start("scheduler", *arguments, "--dashboard-address", "127.0.0.1:0")
        until(lambda: self._file.exists() and self._file.read_text().endswith("}"))
        self.address = str(json.loads(self._file.read_text())["address"])
        self.workers = [self.worker() for _ in range(workers)]

    def worker(
        self, *more: str, hidden: tuple[Path, ...] = (), nanny: bool = False, **settings: str
    ) -> "subprocess.Popen[bytes]":
        """Start a worker; it sees empty folders where those that are `hidden` lie."""
        scratch = self.folder / f"worker-{len(self._started)}"
        scratch.mkdir()
        arguments = ["--nthreads", "1", "--no-dashboard", "--local-directory", str(scratch)]
        arguments += [] if nanny else ["--no-nanny"]
        return self._start(
            "worker", self.address, *arguments, *more, hidden=hidden, settings=settings
        )

    def __enter__(self) -> "DaskProcesses":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def said(self) -> str:
        """All that scheduler and workers have said, for when something fails."""
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def _start(
        self,
        kind: str,
        *arguments: Any,
        hidden: tuple[Path, ...] = (),
        settings: dict[str, str] | None = None,
    ) -> "subprocess.Popen[bytes]":
        command = [_DASK, kind, *map(str, arguments), "--host", "127.0.0.1"]
        if hidden:
            covers = " && ".join(f'mount -t tmpfs tmpfs "{path}"' for path in hidden)
            command = ["unshare", "--mount", "sh", "-c", f'{covers} && exec "$@"', "sh", *command]
        environment = {**os.environ, **self._settings, **(settings or {})}
        # A worker on another machine does not know where the cache of the run is.
        if "ROBOTID_CACHE_DIR" not in (settings or {}):
            environment.pop("ROBOTID_CACHE_DIR", None)
        with (self.folder / f"{kind}-{len(self._started)}.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                env=environment,
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._started.append(process)
        return process


def children_of(process: int) -> list[int]:
    """Processes that a process has started; none where it is gone."""
    found: list[str] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            found += (task / "children").read_text().split()
    return [int(pid) for pid in found]


def until(true: Any, seconds: float = _PATIENCE_S) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            msg = f"not within {seconds} s"
            raise TimeoutError(msg)
        time.sleep(0.02)
