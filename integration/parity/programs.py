"""Short random programs of requests, whose responses are compared.

Each step of a program is one request about two partitions and a group that no other program uses.
Hypothesis draws the programs, and shrinks the first one with a difference to a minimum.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hypothesis import strategies as st

from integration.parity.admin_requests import delete_records
from integration.parity.formatting import Formatter, by_partition
from integration.parity.group_requests import commit, committed
from integration.parity.requests import batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka
from integration.parity.weighted import weighted
from protocol.compression import Codec
from protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

APPENDS_MAX = 4
STEPS_MAX = 8
PARTITIONS = 2  # of a program
_GIVEN_ID = re.compile(r"[\w-]{22}")  # member ids of consumer groups: 128 bits in base64
_TOPIC_PARTITIONS = 60  # a topic serves so many partitions of programs


@dataclass(frozen=True)
class Place:
    """The topic, partitions and names of a program."""

    topic: str
    group: str
    first_partition: int


class Step(Protocol):
    """One request of a program."""

    def request(self, place: Place) -> Any:
        """Return the request, and the partition or group it is about."""


@dataclass(frozen=True)
class Produce:
    """Append a batch to one of the two partitions, maybe with producer id, epoch and sequence."""

    partition: int
    values: str
    at: int
    acks: int
    codec: Codec
    producer: tuple[int, int, int] | None

    def request(self, place: Place) -> Any:
        """See `Step`; the producer ids are unique to the program."""
        producer = self.producer
        if producer is not None:
            producer = (producer[0] + 10 * place.first_partition, *producer[1:])
        records = batch(*self.values, at=self.at, codec=self.codec, producer=producer)
        return produce(
            place.topic, {place.first_partition + self.partition: records}, acks=self.acks
        )


@dataclass(frozen=True)
class Fetch:
    """Fetch both partitions without waiting."""

    offsets: tuple[int, int]
    max_bytes: int
    partition_max_bytes: int
    read_committed: bool
    leader_epoch: int

    def request(self, place: Place) -> Any:
        """See `Step`."""
        offsets = {place.first_partition + index: at for index, at in enumerate(self.offsets)}
        return fetch(
            place.topic,
            offsets,
            max_wait_ms=0,
            max_bytes=self.max_bytes,
            partition_max_bytes=self.partition_max_bytes,
            read_committed=self.read_committed,
            leader_epoch=self.leader_epoch,
        )


@dataclass(frozen=True)
class ListOffsets:
    """List the offset of a timestamp."""

    partition: int
    timestamp: int
    leader_epoch: int

    def request(self, place: Place) -> Any:
        """See `Step`."""
        requested = list_offsets(place.topic, self.timestamp, leader_epoch=self.leader_epoch)
        requested.topics[0].partitions[0].partition_index = place.first_partition + self.partition
        return requested


@dataclass(frozen=True)
class DeleteRecords:
    """Delete the beginning of a partition."""

    partition: int
    before: int

    def request(self, place: Place) -> Any:
        """See `Step`."""
        return delete_records(place.topic, {place.first_partition + self.partition: self.before})


@dataclass(frozen=True)
class EndOfEpoch:
    """Get the end offset of a leader epoch."""

    partition: int
    epoch: int

    def request(self, place: Place) -> Any:
        """See `Step`."""
        requested = OffsetForLeaderPartition(
            partition=place.first_partition + self.partition, leader_epoch=self.epoch
        )
        topic = OffsetForLeaderTopic(topic=place.topic, partitions=[requested])
        return OffsetForLeaderEpochRequest(replica_id=-1, topics=[topic])


@dataclass(frozen=True)
class Commit:
    """Commit an offset of the group."""

    partition: int
    offset: int
    metadata: str | None

    def request(self, place: Place) -> Any:
        """See `Step`."""
        offsets = {place.first_partition + self.partition: self.offset}
        return commit(place.group, place.topic, offsets, metadata=self.metadata)


@dataclass(frozen=True)
class Committed:
    """Fetch the offset of the group."""

    partition: int

    def request(self, place: Place) -> Any:
        """See `Step`."""
        return committed(place.group, {place.topic: [place.first_partition + self.partition]})


def programs() -> st.SearchStrategy[list[Step]]:
    """Programs that begin with some appends; numbers are small, so that steps interact."""
    partition = st.integers(0, PARTITIONS - 1)
    offset = _mostly(st.integers(0, 5), st.sampled_from((-2, -1, 6, 12)))
    epoch = _mostly(st.just(-1), st.integers(0, 1))
    limit = _mostly(st.just(1 << 20), st.sampled_from((0, 1, 100, 150)))
    producer = st.tuples(
        st.integers(1, 2), _mostly(st.just(0), st.integers(1, 2)), st.integers(0, 4)
    )
    producing: st.SearchStrategy[Step] = st.builds(
        Produce,
        partition,
        st.text("abc", min_size=1, max_size=4),
        st.integers(0, 20),
        st.sampled_from((-1, -1, 1)),
        st.sampled_from(Codec),
        st.none() | producer,
    )
    step: st.SearchStrategy[Step] = st.one_of(
        producing,
        st.builds(Fetch, st.tuples(offset, offset), limit, limit, st.booleans(), epoch),
        st.builds(ListOffsets, partition, st.integers(-6, 22), epoch),
        st.builds(DeleteRecords, partition, offset),
        st.builds(EndOfEpoch, partition, st.integers(-1, 2)),
        st.builds(Commit, partition, offset, st.sampled_from(("", "note", None))),
        st.builds(Committed, partition),
    )
    appends = st.lists(producing, max_size=APPENDS_MAX)
    return st.builds(operator.add, appends, st.lists(step, min_size=1, max_size=STEPS_MAX))


def _mostly(usual: st.SearchStrategy[int], odd: st.SearchStrategy[int]) -> st.SearchStrategy[int]:
    return weighted((usual, usual, usual, odd))


class Places:
    """The places of programs on one system: partitions that are still empty, and new groups."""

    def __init__(self, kafka: Kafka) -> None:
        self._kafka = kafka
        self._topic = ""
        self._next = _TOPIC_PARTITIONS

    def new(self) -> Place:
        """Return the place of the next program."""
        if self._next + PARTITIONS > _TOPIC_PARTITIONS:
            self._topic, self._next = self._kafka.topic(_TOPIC_PARTITIONS), 0
        first, self._next = self._next, self._next + PARTITIONS
        return Place(self._topic, self._kafka.new_name("group"), first)


class Player:
    """Runs programs on one system, each on partitions that are still empty."""

    def __init__(self, kafka: Kafka) -> None:
        self._kafka = kafka
        self._places = Places(kafka)

    def play(self, program: Sequence[Step]) -> list[str]:
        """Return the responses of the system, as lines."""
        place = self._places.new()
        formatter = Formatter()
        formatter.name(place.topic, "topic")
        formatter.name(place.group, "group")
        lines = []
        for step in program:
            response = self._kafka.request(step.request(place))
            if hasattr(response, "topics") and isinstance(step, DeleteRecords | ListOffsets):
                by_partition(response)
            name_members(formatter, response)
            lines.append(formatter.line((type(step).__name__, response)))
        return lines


def name_member(formatter: Formatter, response: Any) -> None:
    """Replace an id that the broker has generated by a name."""
    given = getattr(response, "member_id", None)
    if given is not None and _GIVEN_ID.fullmatch(given):
        formatter.name(given, "member")


def name_members(formatter: Formatter, response: Any) -> None:
    """Replace generated ids by names, and sort members."""
    name_member(formatter, response)
    for group in getattr(response, "groups", ()):
        if hasattr(group, "members"):
            for member in group.members:
                member.subscribed_topic_names.sort(key=formatter.line)
            group.members.sort(key=formatter.line)
