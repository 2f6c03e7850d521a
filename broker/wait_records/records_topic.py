"""Wait records in a topic of the broker itself, appended by the nodes that lead its partitions.

No client is needed for that, and no request that would be recorded in turn. Each batch goes to the
next partition that has a leader, with acks=1; without any leader it is dropped and counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from broker.common.topic_partition import TopicPartition
from broker.steps.queue import finish
from broker.wait_records.limits import TOPIC_BATCH_RECORDS
from broker.wait_records.outbox import Lines
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record

if TYPE_CHECKING:
    from broker.cluster import Cluster
    from broker.node import Node
    from broker.replication.replica_manager import ProduceResults

_APPEND_TIMEOUT_MS = 0  # acks=1 waits for nobody
_PRODUCE_VERSION = 9


class RecordsTopic:
    """Appends to the topic *name* of *cluster*."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self._name = name
        self._lines: list[bytes] = []
        self._next = 0
        self._written = 0
        self._dropped = 0

    def add(self, lines: Lines) -> None:
        """See `broker.wait_records.outbox.Sink`; so with the others."""
        self._lines += lines

    async def flush(self) -> None:
        """Append all, batch by batch; in between it is the turn of others."""
        while self._lines:
            self._append_some()
            await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Append all; the logs are closed by others."""
        while self._lines:
            self._append_some()

    def statistics(self) -> dict[str, Any]:
        """What has been done."""
        return {
            "sink": "topic",
            "topic": self._name,
            "written": self._written,
            "dropped": self._dropped,
        }

    def _append_some(self) -> None:
        lines = self._lines[:TOPIC_BATCH_RECORDS]
        del self._lines[:TOPIC_BATCH_RECORDS]
        led = self._leader()
        if led is None or not self._appended(*led, lines):
            self._dropped += len(lines)
        else:
            self._written += len(lines)

    def _leader(self) -> tuple[Node, TopicPartition] | None:
        """The next partition whose leader runs, and that node."""
        topic = self._cluster.controller.image.topic(self._name)
        count = 0 if topic is None else len(topic.partitions)
        for _ in range(count):
            self._next = (self._next + 1) % count
            assert topic is not None
            member = self._cluster.members.get(topic.partitions[self._next].leader)
            if member is not None and member.node is not None:
                return member.node, TopicPartition(self._name, self._next)
        return None

    def _appended(self, node: Node, key: TopicPartition, lines: Lines) -> bool:
        now_ms = node.clock.wall_ms()
        batch = build_batch([Record(None, line, timestamp=now_ms) for line in lines])
        errors: list[int] = []

        def note(results: ProduceResults) -> None:
            errors.extend(result.error for result in results.values())

        entries = {key: memoryview(bytearray(batch))}
        finish(node.replicas.append_records(_APPEND_TIMEOUT_MS, 1, entries, _PRODUCE_VERSION, note))
        node.replicas.actions.try_complete_actions()
        return not any(errors)
