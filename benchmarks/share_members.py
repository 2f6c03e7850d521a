"""Raw members of one share group that read partition 0 of a topic, in one thread.

The state of the share partition is initialized by a request to the share coordinator, as the group
coordinator does for members that heartbeat. A fetch accepts the records of the previous one.
"""

from __future__ import annotations

import selectors
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple, Self
from uuid import UUID

from integration.machine.deadlines import eventually
from integration.wire.connection import Connection
from protocol.errors import ErrorCode
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeStateData,
    PartitionData,
)
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.share_fetch import (
    AcknowledgementBatch,
    FetchPartition,
    FetchTopic,
    ShareFetchRequest,
)

_SHARE = 2  # a key type of FindCoordinator
_ACCEPT = 1
_FIRST_FETCH_WAIT_MS = 1500
_WITHIN_S = 60.0
_MAX_BYTES = 1 << 20

# First offset, last offset.
Range = tuple[int, int]


class Delivery(NamedTuple):
    """The records that a member has got."""

    member: Member
    ranges: Sequence[Range]

    @property
    def record_count(self) -> int:
        """The number of records."""
        return sum(last - first + 1 for first, last in self.ranges)


class Member:
    """One member: its connection, its session epoch, and the records that it has to accept."""

    def __init__(self, group_id: str, number: int, topic_id: UUID, leader: str) -> None:
        self.connection = Connection(leader, timeout=_WITHIN_S)
        self._group_id = group_id
        self._id = f"member-{number}"
        self._topic_id = topic_id
        self._epoch = 0
        self._held: Sequence[Range] = ()

    def send_fetch(self, max_wait_ms: int, max_records: int) -> None:
        """Accept the held records, and fetch others."""
        batches = [
            AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=[_ACCEPT])
            for first, last in self._held
        ]
        partition = FetchPartition(partition_index=0, acknowledgement_batches=batches)
        topic = FetchTopic(topic_id=self._topic_id, partitions=[partition])
        sent = ShareFetchRequest(
            group_id=self._group_id,
            member_id=self._id,
            share_session_epoch=self._epoch,
            max_wait_ms=max_wait_ms,
            min_bytes=1,
            max_bytes=_MAX_BYTES,
            max_records=max_records,
            batch_size=max_records,
            topics=[topic] if batches or not self._epoch else [],
            forgotten_topics_data=[],
        )
        self._epoch += 1
        self.connection.send(_encoded(sent))

    def receive(self) -> Delivery:
        """Wait for the response, and hold its records."""
        response = _decoded(ShareFetchRequest, self.connection.receive())
        assert not response.error_code, ErrorCode(response.error_code).name
        self._held = []
        for topic in response.responses:
            for data in topic.partitions:
                assert not data.acknowledge_error_code, data
                assert not data.error_code, data
                self._held += [
                    (each.first_offset, each.last_offset) for each in data.acquired_records
                ]
        return Delivery(self, self._held)


class Members:
    """The members of a new group, until the end of the ``with`` statement."""

    def __init__(self, leader: str, topic: str, group_id: str, count: int, start: int = 0) -> None:
        with Connection(leader) as connection:
            topic_id = _topic_id(connection, topic)
            _initialize(connection, group_id, topic_id, start)
        self.all = [Member(group_id, number, topic_id, leader) for number in range(count)]
        self._selector = selectors.DefaultSelector()
        for member in self.all:
            self._selector.register(member.connection.socket, selectors.EVENT_READ, member)

    def open(self) -> int:
        """Open the sessions; returns the number of acquired records.

        The broker reads the state of the partition with the first fetch.
        """
        count = 0
        for member in self.all:
            member.send_fetch(_FIRST_FETCH_WAIT_MS if member is self.all[0] else 0, 1)
            count += member.receive().record_count
        return count

    def delivered(self) -> list[Delivery]:
        """Wait until there are responses, and return one of each member that has one."""
        ready = self._selector.select(_WITHIN_S)
        assert ready, "no response"
        return [key.data.receive() for key, _ in ready]

    def close(self) -> None:
        """Close the connections, which ends the sessions."""
        self._selector.close()
        for member in self.all:
            member.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _topic_id(connection: Connection, topic: str) -> UUID:
    named = MetadataRequestTopic(topic_id=UUID(int=0), name=topic)
    (found,) = _exchange(connection, MetadataRequest(topics=[named])).topics
    topic_id: UUID = found.topic_id
    return topic_id


def _initialize(connection: Connection, group_id: str, topic_id: UUID, start: int) -> None:
    text = urlsafe_b64encode(topic_id.bytes).rstrip(b"=").decode()
    find = FindCoordinatorRequest(key_type=_SHARE, coordinator_keys=[f"{group_id}:{text}:0"])
    data = PartitionData(partition=0, state_epoch=1, start_offset=start)
    topic = InitializeStateData(topic_id=topic_id, partitions=[data])
    initialize = InitializeShareGroupStateRequest(group_id=group_id, topics=[topic])

    def is_there() -> bool:
        (found,) = _exchange(connection, find).coordinators
        return not found.error_code

    def is_done() -> bool:
        (result,) = _exchange(connection, initialize).results
        return not result.partitions[0].error_code

    eventually(is_there, "the share coordinator", within=_WITHIN_S)
    eventually(is_done, "the state of the group", within=_WITHIN_S)


def _exchange(connection: Connection, request: Any) -> Any:
    return _decoded(type(request), connection.request(_encoded(request)))


def _encoded(request: Any) -> bytes:
    return encode_request(request, request.__spec__.versions[-1], 1, "benchmark")


def _decoded(request: Any, frame: bytes) -> Any:
    spec = request.__spec__
    return decode_response(RESPONSES[spec.key], spec.versions[-1], memoryview(frame))[1]
