"""Files on their way from one machine straight to another, in pieces, known by their digests.

A worker answers to three requests; runs and other workers make them over dask's own connections,
with whatever encryption those have. Nothing passes through the scheduler. Who receives a file
checks its digest, so a lie or a broken connection costs time and nothing else.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from distributed.utils import offload

from robotid.errors import Notice, RobotidError, from_exception
from robotid.store.files import DamagedError, FileFact
from robotid.store.store import Store
from robotid.store.transport import drop_draft, keep_draft, read_piece, write_piece

_CONNECT_S = 3.0
_ANSWER_S = 60.0  # for a piece of some megabytes
_STALE_S = 600.0  # what was not added to for so long is not finished by anybody
# address, request, what it is given -> what is answered
Call = Callable[..., Any]


class PeerLostError(Exception):
    """A machine does not answer, or does not have what it should have."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(f"{address}: {why}")
        self.address = address


class Service:
    """What a worker answers; `store` is where its files are."""

    def __init__(self, store: Store) -> None:
        self._store, self._drafts = store, dict[str, float]()  # when each was last added to
        self.handlers = {
            "robotid_read": self.read,
            "robotid_write": self.write,
            "robotid_keep": self.keep,
        }

    async def read(self, size: int, sha256: str, offset: int) -> bytes | None:
        """Some bytes of a file; None where it is not here."""
        found: bytes | None = await offload(
            read_piece, self._store, FileFact(size, sha256), int(offset)
        )
        return found

    async def write(self, draft: str, piece: bytes) -> dict[str, Any]:
        """Take a piece of a file that is sent; the first one has no draft yet."""
        answer = await self._tried(write_piece, self._store, draft, piece)
        now = time.monotonic()
        if "done" in answer:
            self._drafts[str(answer["done"])] = now
        for stale in [name for name, used in self._drafts.items() if now - used > _STALE_S]:
            del self._drafts[stale]
            await offload(drop_draft, self._store, stale)
        return answer

    async def keep(self, draft: str, size: int, sha256: str) -> dict[str, Any]:
        """All of a file has come."""
        self._drafts.pop(draft, None)
        return await self._tried(keep_draft, self._store, draft, FileFact(size, sha256))

    async def _tried(self, work: Callable[..., Any], *given: Any) -> dict[str, Any]:
        try:
            return {"done": await offload(work, *given)}
        except DamagedError as error:
            return {"damaged": str(error)}
        except Exception as error:
            known = from_exception(error, "receiving a file", str(self._store.root))
            return {"error": known.notice.to_json(), "exit_code": int(known.exit_code)}


class Peers:
    """The other side: asks workers for files, and sends them some."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def read(self, address: str, fact: FileFact) -> Iterator[bytes]:
        """The bytes of a file, piece by piece; the one who puts them together checks them."""
        offset = 0
        while offset < fact.size:
            piece = self._asked(address, "robotid_read", **fact._asdict(), offset=offset)
            if not piece:
                raise PeerLostError(address, "a file is not there any more")
            offset += len(piece)
            yield piece

    def send(self, address: str, fact: FileFact, content: Iterable[bytes]) -> None:
        """Bring a file to a worker; errors of its disk are raised as they would be here.

        Raises `DamagedError` where the content is not what it is said to be.
        """
        draft = ""
        for piece in content:
            draft = self._done(address, "robotid_write", draft=draft, piece=piece)
        if not draft:
            draft = self._done(address, "robotid_write", draft=draft, piece=b"")
        self._done(address, "robotid_keep", draft=draft, **fact._asdict())

    def _done(self, address: str, request: str, **given: Any) -> Any:
        answer = self._asked(address, request, **given)
        if answer is None:
            raise PeerLostError(address, "it does not know robotid any more")
        if "damaged" in answer:
            raise DamagedError(answer["damaged"])
        if "error" in answer:
            raise RobotidError.from_notice(
                Notice.from_json(answer["error"]), int(answer["exit_code"])
            )
        return answer["done"]

    def _asked(self, address: str, request: str, **given: Any) -> Any:
        try:
            return self._call(address, request, **given)
        except OSError as error:
            raise PeerLostError(address, str(error) or type(error).__name__) from error


async def request(
    pool: Any, address: str, name: str, within_s: float | None = None, **given: Any
) -> Any:
    """Make a request over a pool of connections; a machine that is gone is not waited for.

    Args:
        pool: dask's connections.
        address: of the machine.
        name: of the request.
        within_s: how long an answer may take, if less than usual.
        given: what is asked.
    """
    connection = await asyncio.wait_for(pool.connect(address), _CONNECT_S)
    pool.reuse(address, connection)
    asked = getattr(pool(address), name)(**given)
    return await asyncio.wait_for(asked, min(_ANSWER_S, within_s or _ANSWER_S))
