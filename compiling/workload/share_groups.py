"""ShareFetch: members of a share group wait for records, and accept each with their next fetch."""

from __future__ import annotations

import selectors
from collections.abc import Sequence
from contextlib import ExitStack
from uuid import UUID, uuid4

from compiling.workload.client import Client
from compiling.workload.records import produced
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.share_fetch import (
    AcknowledgementBatch,
    FetchPartition,
    FetchTopic,
    ShareFetchRequest,
)
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record

_GROUP = "workload-share"
_GROUP_TYPE = 0  # a key type of FindCoordinator
_MEMBERS = 3
_WAIT_MS = 5_000
_ACCEPT = 1
_PRODUCE_VERSION = 13
_RECORDS = 10


def consume_share_group(bootstrap: str, topic: str, count: int) -> None:
    """Produce *count* batches, one after the other; any member may get each."""
    batch = build_batch([Record(key=None, value=bytes(100))] * _RECORDS)
    with Client(bootstrap) as client, ExitStack() as stack:
        find = FindCoordinatorRequest(key_type=_GROUP_TYPE, coordinator_keys=[_GROUP])
        client.request_until(find, lambda response: response.coordinators[0].error_code)
        topic_id = client.topic(topic).topic_id
        selector = stack.enter_context(selectors.DefaultSelector())
        members = [stack.enter_context(_Member(bootstrap, topic_id)) for _ in range(_MEMBERS)]
        for member in members:
            member.join(topic)
            selector.register(member.socket, selectors.EVENT_READ, member)
        for member in members:
            member.send_fetch()
        for _ in range(count):
            assert client.request(
                produced(topic, topic_id, batch, _PRODUCE_VERSION), _PRODUCE_VERSION
            )
            for key, _ in selector.select():
                key.data.receive_records()
                key.data.send_fetch()


class _Member(Client):
    def __init__(self, bootstrap: str, topic_id: UUID) -> None:
        super().__init__(bootstrap)
        self._id = str(uuid4())
        self._topic_id = topic_id
        self._epoch = 0
        self._held: Sequence[tuple[int, int]] = ()

    def join(self, topic: str) -> None:
        """Join the group, which then initializes its state of the partition."""
        join = ShareGroupHeartbeatRequest(
            group_id=_GROUP, member_id=self._id, member_epoch=0, subscribed_topic_names=[topic]
        )
        self.request_until(join, lambda response: response.error_code)

    def send_fetch(self) -> None:
        """Accept the records of the previous fetch, and fetch others."""
        batches = [
            AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=[_ACCEPT])
            for first, last in self._held
        ]
        partition = FetchPartition(partition_index=0, acknowledgement_batches=batches)
        topic = FetchTopic(topic_id=self._topic_id, partitions=[partition])
        self.send(
            ShareFetchRequest(
                group_id=_GROUP,
                member_id=self._id,
                share_session_epoch=self._epoch,
                max_wait_ms=_WAIT_MS,
                min_bytes=1,
                max_bytes=1 << 20,
                max_records=_RECORDS,
                batch_size=_RECORDS,
                topics=[topic] if batches or not self._epoch else [],
                forgotten_topics_data=[],
            )
        )
        self._epoch += 1

    def receive_records(self) -> None:
        """Wait for a response, and hold its records."""
        response = self.receive()
        assert not response.error_code, response
        self._held = [
            (each.first_offset, each.last_offset)
            for topic in response.responses
            for data in topic.partitions
            for each in data.acquired_records
        ]
