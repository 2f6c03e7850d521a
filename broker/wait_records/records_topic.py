"""Produces wait records to a topic of the broker itself, without a client or a request.

Each batch goes to the next partition whose leader runs, with ``acks=1``. It is dropped and counted
if there is none, or if the leader refuses the batch.
"""

from __future__ import annotations

from typing import Any, Protocol

import trio

from broker.common.clock import Clock
from broker.common.topic_partition import TopicPartition
from broker.wait_records.limits import TOPIC_BATCH_RECORDS
from broker.wait_records.outbox import Lines
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record


class Partitions(Protocol):
    """The partitions of the cluster's topics."""

    def partition_count(self, topic: str) -> int:
        """How many partitions the topic has; 0 if it does not exist."""
        ...

    def append(self, key: TopicPartition, batch: bytes) -> bool | None:
        """Append a batch with ``acks=1``; False if it is refused, None if no leader runs."""
        ...


class RecordsTopic:
    """Appends to *topic*, a batch at a time; *clock* gives the records their timestamps."""

    def __init__(self, topic: str, partitions: Partitions, clock: Clock) -> None:
        self._topic = topic
        self._partitions = partitions
        self._clock = clock
        self._lines: list[bytes] = []
        self._next = 0
        self._written = 0
        self._dropped = 0

    def add(self, lines: Lines) -> None:
        """See `broker.wait_records.outbox.Sink`."""
        self._lines += lines

    async def flush(self) -> None:
        """Append all lines; other tasks run between the batches."""
        while self._lines:
            self._append_some()
            await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Append all lines; the logs are closed afterwards, by their nodes."""
        while self._lines:
            self._append_some()

    def statistics(self) -> dict[str, Any]:
        """See `broker.wait_records.outbox.Sink`."""
        return {
            "sink": "topic",
            "topic": self._topic,
            "written": self._written,
            "dropped": self._dropped,
        }

    def _append_some(self) -> None:
        lines = self._lines[:TOPIC_BATCH_RECORDS]
        del self._lines[:TOPIC_BATCH_RECORDS]
        if self._append(lines):
            self._written += len(lines)
        else:
            self._dropped += len(lines)

    def _append(self, lines: Lines) -> bool:
        now_ms = self._clock.wall_ms()
        batch = build_batch([Record(None, line, timestamp=now_ms) for line in lines])
        count = self._partitions.partition_count(self._topic)
        for _ in range(count):
            self._next = (self._next + 1) % count
            appended = self._partitions.append(TopicPartition(self._topic, self._next), batch)
            if appended is not None:
                return appended
        return False
