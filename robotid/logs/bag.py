"""What bags of all kinds share: topics with messages, read as streams with one row a message."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robotid import progress
from robotid.errors import BadDataError
from robotid.logs.findings import Findings
from robotid.logs.joint_state import JOINT_STATE, JointStateReader
from robotid.logs.log import Batch, Column, Kind, Log, Stream
from robotid.logs.message_fields import FieldReader

LOG_TIME = "log_time"
_ROWS = 8192
# Messages that show which fields there are; joints of a slow publisher may come late.
_SAMPLES, _JOINT_SAMPLES = 20, 200


class Topic(NamedTuple):
    """A topic and how its messages are written.

    Args:
        name: of the topic.
        message_type: as the bag calls it.
        encoding: `cdr`, `ros1`, `json` or something else.
        definition: the text that defines the type; may be empty.
        messages: how many there are, None if unknown.
    """

    name: str
    message_type: str
    encoding: str
    definition: str = ""
    messages: int | None = None


class Message(NamedTuple):
    """A message as it stands in the bag, with its time there [ns] and who published it."""

    topic: str
    log_time: int
    data: bytes
    publisher: int


Messages = Generator[Message, None, None]


class Bag(ABC):
    """A container of messages."""

    topics: dict[str, Topic]

    @abstractmethod
    def messages(self, topics: frozenset[str], findings: Findings) -> Messages:
        """All messages of some topics in the order of the file."""

    def close(self) -> None:
        """Let go of the files."""
        return


def plain_type(message_type: str) -> str:
    """The type as `package/Name`, as ROS 1 writes it."""
    return message_type.replace("/msg/", "/")


def _is_joint_state(topic: Topic) -> bool:
    return plain_type(topic.message_type) == JOINT_STATE and topic.encoding in ("cdr", "ros1")


class BagLog(Log):
    """A bag as a log: one stream per topic."""

    def __init__(self, path: Path, name: str, findings: Findings, bag: Bag) -> None:
        super().__init__(path, name, findings)
        self._bag = bag
        samples = self._samples()
        self._readers: dict[str, JointStateReader | FieldReader] = {}
        streams = []
        for topic in bag.topics.values():
            reader = self._reader_of(topic, samples.get(topic.name, ()))
            self._readers[topic.name] = reader
            columns = (Column(LOG_TIME, Kind.INT, "ns"), *reader.columns)
            streams.append(Stream(topic.name, topic.message_type, columns, topic.messages))
        self.streams = tuple(streams)

    def _samples(self) -> Mapping[str, Sequence[Message]]:
        """The first messages of every topic; stops as soon as all have some."""
        found: dict[str, list[Message]] = {}
        pending = {name for name, topic in self._bag.topics.items() if topic.messages != 0}
        wanted = frozenset(pending)
        with self.findings.one_pass() as own, closing(self._bag.messages(wanted, own)) as messages:
            for message in messages:
                kept = found.setdefault(message.topic, [])
                topic = self._bag.topics[message.topic]
                enough = _JOINT_SAMPLES if _is_joint_state(topic) else _SAMPLES
                if len(kept) < enough:
                    kept.append(message)
                if len(kept) >= min(enough, topic.messages or enough):
                    pending.discard(message.topic)
                if not pending:
                    break
        return found

    def _reader_of(
        self, topic: Topic, samples: Sequence[Message]
    ) -> "JointStateReader | FieldReader":
        data = [message.data for message in samples]
        if _is_joint_state(topic):
            return JointStateReader(topic.name, topic.encoding, data, self.findings, str(self.path))
        return FieldReader(
            topic.name,
            topic.message_type,
            topic.encoding,
            topic.definition,
            data,
            self.findings,
            str(self.path),
        )

    def _batches(self, stream: Stream, columns: Sequence[Column]) -> Iterator[Batch]:
        reader = self._readers[stream.name]
        wanted = [column for column in columns if column.name != LOG_TIME]
        publishers: set[int] = set()
        number = 0
        topics = frozenset({stream.name})
        with (
            self.findings.one_pass() as found,
            closing(self._bag.messages(topics, found)) as source,
        ):
            while messages := list(islice(source, _ROWS)):
                progress.report(number, stream.rows or number + 1, f"reading {stream.name}")
                log_time = np.array([message.log_time for message in messages], np.int64)
                data = [message.data for message in messages]
                kept, read = reader.read(data, wanted, log_time, number + 1, found)
                publishers |= {messages[row].publisher for row in kept}
                if len(publishers) > 1:
                    self._refuse_publishers(stream)
                positions = np.arange(number + 1, number + 1 + len(messages))[kept]
                number += len(messages)
                if not positions.size:
                    continue
                read[LOG_TIME] = log_time[kept]
                ordered = {column.name: read[column.name] for column in columns}
                yield Batch(ordered, positions, "message")

    def _refuse_publishers(self, stream: Stream) -> None:
        raise BadDataError(
            "several-publishers",
            f"several publishers send the same signals on {stream.name}",
            file=str(self.path),
            hint="record one of them, or remap its topic",
        )

    def close(self) -> None:
        """Let go of the files."""
        self._bag.close()
