"""What workers have to be told and sent of inputs, and results that come back.

A worker that sees the store of the run and the user's files needs nothing of this. One that does
not is sent files, each known by its digest, from another worker that has it or from here, and what
it has made is fetched into the store of the run.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from robotid.runner.cluster.job import Known, Lacking
from robotid.runner.cluster.peers import Peers
from robotid.runner.inputs import facts_now, stamps
from robotid.runner.shelf import stored_entry
from robotid.runner.task import Piece, Task
from robotid.store.files import DamagedError, FileFact
from robotid.store.manifest import Manifest
from robotid.store.store import Entry, EntryDamagedError, Store
from robotid.store.transport import keep_file, pieces_of, receive

KnownInputs = Mapping[str, tuple[Known, ...]]  # by role, as the inputs of the task


class Supply:
    """Which worker has which file, and which inputs some worker could not see."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._unseen: dict[str, dict[str, FileFact]] = {}  # files of a user's input, by its digest
        self._holders: defaultdict[str, set[str]] = defaultdict(set)  # workers, by digests of files

    def known(self, task: Task) -> KnownInputs:
        """What a worker has to know of the inputs of a task.

        Raises `EntryDamagedError` where a stored one is gone, `OSError` where a user's is.
        """
        return {role: tuple(map(self._known, pieces)) for role, pieces in task.inputs.items()}

    def holders(self, known: KnownInputs) -> dict[str, tuple[str, ...]]:
        """By digest, the workers that a file can be had from."""
        digests = {fact.sha256 for fact in _files(known)}
        return {d: tuple(sorted(self._holders[d])) for d in digests if self._holders.get(d)}

    def near(self, known: KnownInputs) -> set[str]:
        """The workers that have most of the bytes already; none where nobody has any."""
        bytes_at: Counter[str] = Counter()
        for fact in _files(known):
            for address in self._holders.get(fact.sha256, ()):
                bytes_at[address] += fact.size
        most = max(bytes_at.values(), default=0)
        return {address for address, held in bytes_at.items() if held == most}

    def bring(
        self, task: Task, lacking: Lacking, address: str, peers: Peers, *, shared: bool
    ) -> None:
        """Send a worker what it lacks, unless another worker can give it.

        Raises `EntryDamagedError` where a stored input is not whole, an error of the user's where
        an input has changed, or whatever the worker's disk says.
        """
        for other in lacking.lost:
            self.forget(other)
        for piece in (piece for pieces in task.inputs.values() for piece in pieces):
            if piece.digest in lacking.unseen and piece.path is not None:
                self._unseen[piece.digest] = facts_now(piece)
        for piece, fact, path in self._sources(task):
            if fact.sha256 not in lacking.files or self._holders[fact.sha256] - {address}:
                continue
            try:
                if shared:
                    keep_file(self._store, fact, pieces_of(path))
                else:
                    peers.send(address, fact, pieces_of(path))
                    self._holders[fact.sha256].add(address)
            except DamagedError:
                self._explain_damage(piece)
                raise

    def fetch(self, task: Task, text: str, address: str, peers: Peers) -> None:
        """Bring a result into the store of the run, and remember who has its files.

        Raises `DamagedError` or `PeerLostError` where that did not work.
        """
        manifest = Manifest.from_bytes(text.encode())
        if manifest.key != task.key:
            raise DamagedError("the result is that of another task")
        receive(self._store, manifest, lambda fact: peers.read(address, fact), replace=task.replace)
        for fact in manifest.files.values():
            self._holders[fact.sha256].add(address)

    def forget(self, address: str) -> None:
        """A worker is gone, and all it had."""
        for holders in self._holders.values():
            holders.discard(address)

    def _known(self, piece: Piece) -> Known:
        if piece.path is not None:
            single = piece.single or not Path(piece.path).is_dir()
            return Known(stamps(piece), self._unseen.get(piece.digest), single)
        return Known(files=_chosen(piece, stored_entry(piece, self._store)), single=piece.single)

    def _sources(self, task: Task) -> Iterator[tuple[Piece, FileFact, Path]]:
        """Every file that an input consists of, and where it lies here."""
        for piece in (piece for pieces in task.inputs.values() for piece in pieces):
            if piece.path is None:
                entry = stored_entry(piece, self._store)
                for name, fact in _chosen(piece, entry).items():
                    yield piece, fact, entry.path / name
            else:
                folder = Path(piece.path) if Path(piece.path).is_dir() else Path(piece.path).parent
                for name, fact in self._unseen.get(piece.digest, {}).items():
                    yield piece, fact, folder / name

    def _explain_damage(self, piece: Piece) -> None:
        """What was sent is not what it should be: a user changed it, or the store is damaged."""
        if piece.path is not None:
            facts_now(piece)
        elif not self._store.verify(stored_entry(piece, self._store)):
            raise EntryDamagedError(piece.stage, piece.key)


def _files(known: KnownInputs) -> Iterator[FileFact]:
    for of_role in known.values():
        for one in of_role:
            yield from (one.files or {}).values()


def _chosen(piece: Piece, entry: Entry) -> Mapping[str, FileFact]:
    files = entry.manifest.files
    return files if piece.files is None else {name: files[name] for name in piece.files}
