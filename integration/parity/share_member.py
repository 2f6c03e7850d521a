"""A member of a share group that sends raw requests, and its results as text.

A result has the acquired ranges with their delivery counts: ``0-9#1 10-19#1``. The state of a share
partition is initialized by a request to the share coordinator, so that a group needs no members
that heartbeat.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import GROUP, SET, alter_configs
from integration.parity.client import Client, Pending
from integration.parity.group_requests import find_coordinator
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka
from integration.parity.share_requests import initialize_state, read_state, write_state
from protocol.errors import ErrorCode
from tests.share_session import ShareSession

NO_LIMITS = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 0, "max_records": 0}  # of a renewal
WARM_UP_MS = 1500
_SHARE = 2


class ShareGroup:
    """A group and its topic, whose partitions it reads from *start_offset* on.

    *stored* are state batches of partition 0 that an earlier leader has left: ``0-4 available 1``.
    With the start offset -1 the group begins as ``share.auto.offset.reset`` says. The first of
    *replicas* leads.
    """

    def __init__(
        self,
        kafka: Kafka,
        partitions: int = 1,
        *,
        replicas: Sequence[int] = (1,),
        start_offset: int = 0,
        stored: Sequence[str] = (),
        records: Sequence[int] = (),
        **configs: str,
    ) -> None:
        self.kafka = kafka
        self.id = kafka.new_name("group")
        if configs:  # the nodes apply them before they serve the topic
            self._set(configs)
        self.topic = kafka.topic(partitions, replicas=replicas)
        self.topic_id: UUID = kafka.metadata(self.topic).topic_id
        self.partitions = partitions
        self.leader = replicas[0]
        kafka.formatter.name(self.topic_id, "topic id")
        self.produce(*records)
        self.initialize(1, start_offset)
        if stored:
            self.store(*stored)
        # Kafka reads the state of a partition with its first fetch.
        warm_up = self.member("warm-up")
        warm_up.fetch(*range(partitions), max_wait_ms=WARM_UP_MS, max_records=-1)

    def initialize(self, state_epoch: int, start_offset: int = 0) -> None:
        """Set the start offset of each partition, as AlterShareGroupOffsets does."""
        requested = initialize_state(
            self.id, self.topic_id, range(self.partitions), state_epoch, start_offset
        )
        self._coordinate(requested)

    def store(self, *batches: str) -> None:
        """Store state batches of partition 0, as its leader does."""
        self._coordinate(write_state(self.id, self.topic_id, *batches))

    def read(self, leader_epoch: int) -> None:
        """Read the state of partition 0, as a leader of this epoch does."""
        self._coordinate(read_state(self.id, self.topic_id, 0, leader_epoch=leader_epoch))

    def _coordinate(self, request: Any) -> None:
        """Send a request to the share coordinator until it succeeds."""
        keys = [f"{self.id}:{_id(self.topic_id)}:{each}" for each in range(self.partitions)]

        def is_done() -> bool:
            found = self.kafka.request(find_coordinator(*keys, key_type=_SHARE)).coordinators
            if any(each.error_code for each in found):
                return False
            (result,) = self.kafka.request(request, node=found[0].node_id).results
            return all(each.error_code == 0 for each in result.partitions)

        eventually(is_done, "the share coordinator")

    def set(self, **configs: str) -> None:
        """Set ``share.*`` settings of the group; write `_` for `.`."""
        self._set(configs)
        self.kafka.settle()

    def _set(self, configs: Mapping[str, str]) -> None:
        changes = [
            (f"share.{name.replace('_', '.')}", SET, value) for name, value in configs.items()
        ]
        (answer,) = self.kafka.request(alter_configs(self.id, *changes, kind=GROUP)).responses
        assert answer.error_code == 0, answer

    def produce(self, *counts: int, partition: int = 0) -> None:
        """Append a batch of each number of records."""
        for count in counts:
            data = batch(*[f"{each}" for each in range(count)])
            self.kafka.request(produce(self.topic, {partition: data}), node=self.leader)

    def member(
        self, member_id: str, *, node: int | None = None, client: Client | None = None
    ) -> ShareMember:
        """A member, on a connection of its own."""
        return ShareMember(self, member_id, client or self.kafka.connect(node or self.leader))


class ShareMember(ShareSession):
    """A member with a session on one node."""

    def __init__(self, group: ShareGroup, member_id: str, client: Client) -> None:
        super().__init__(group.id, member_id, group.topic_id, max_wait_ms=100)
        self.client = client

    def start(self, *partitions: int, **parameters: Any) -> Pending:
        """Send a fetch that may wait; it counts as successful."""
        sent = self.request(*partitions, **parameters)
        self.advance(sent)
        return self.client.start(sent)

    def fetch(self, *partitions: int, **parameters: Any) -> str:
        """Send a fetch and return its result."""
        sent = self.request(*partitions, **parameters)
        response = self.client.request(sent)
        if not response.error_code:
            self.advance(sent)
        return fetched(response)

    def acknowledge(
        self,
        *batches: str,
        partition: int = 0,
        renew: bool = False,
        epoch: int | None = None,
        message: bool = False,
    ) -> str:
        """Acknowledge records of a partition; returns the error, and its message if asked."""
        named = {partition: batches} if batches else {}
        return self.acknowledge_all(named, renew=renew, epoch=epoch, message=message)

    def acknowledge_all(
        self,
        batches: Mapping[int, Sequence[str]],
        *,
        renew: bool = False,
        epoch: int | None = None,
        message: bool = False,
    ) -> str:
        """Acknowledge records of several partitions; returns their errors, by partition."""
        sent = self.acknowledgements(batches, renew=renew, epoch=epoch)
        response = self.client.request(sent)
        if response.error_code:
            return _error(response.error_code)
        self.advance(sent)
        found = [data for topic in response.responses for data in topic.partitions]
        found.sort(key=lambda data: data.partition_index)
        return " ".join(
            f"{_error(data.error_code)}: {data.error_message}"
            if message
            else _error(data.error_code)
            for data in found
        )


def fetched(response: Any) -> str:
    """The records and errors of a ShareFetch response, in the order of the partitions."""
    if response.error_code:
        return _error(response.error_code)
    found = []
    data = [
        (each.partition_index, each) for topic in response.responses for each in topic.partitions
    ]
    for index, each in sorted(data, key=lambda pair: pair[0]):
        parts = [
            f"{one.first_offset}-{one.last_offset}#{one.delivery_count}"
            for one in each.acquired_records
        ]
        if each.error_code:
            parts.append(_error(each.error_code))
        if each.acknowledge_error_code:
            parts.append(f"acknowledge: {_error(each.acknowledge_error_code)}")
        found.append(f"{index}: {' '.join(parts) or 'nothing'}")
    return ", ".join(found) or "empty"


def _error(code: int) -> str:
    return ErrorCode(code).name


def _id(topic_id: UUID) -> str:
    return urlsafe_b64encode(topic_id.bytes).rstrip(b"=").decode()
