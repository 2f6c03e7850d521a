"""Collects what a request does with each partition, for its wait record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from broker.common.topic_partition import TopicPartition
from broker.wait_records.limits import UNKNOWN_TOPICS_MAX
from broker.wait_records.record import Size, WaitRecord
from broker.wait_records.trace_parents import TraceParents
from broker.wait_records.wait import WaitPartition
from protocol.output import BUFFERS, Splice, SpliceLost
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.peek import size_and_count

NOTHING: Size = (0, 0)


class _Log(Protocol):
    @property
    def high_watermark(self) -> int: ...
    @property
    def log_end_offset(self) -> int: ...


class HostedPartition(Protocol):
    """A replica on the node that serves the request."""

    @property
    def log(self) -> _Log:
        """Its log, whose present offsets are recorded with each result."""
        ...


class HostedPartitions(Protocol):
    """The partitions of the node that serves the request."""

    def get(self, key: TopicPartition) -> HostedPartition | None:
        """The partition; None if the node does not have it."""
        ...


class RequestObserver:
    """Attached to a request that is recorded; *hosted* are the partitions on its node.

    Headers of records are read only if there is *traces*.
    """

    __slots__ = ("_hosted", "_sizes", "_traces", "record")

    def __init__(
        self,
        record: WaitRecord,
        hosted: HostedPartitions,
        traces: TraceParents | None = None,
    ) -> None:
        self.record = record
        self._hosted = hosted
        self._traces = traces
        if traces is not None:
            record.traces = traces.found
        self._sizes: dict[TopicPartition, Size] = {}

    def measure(self, key: TopicPartition, batches: Splice) -> None:
        """Count what a produce carries for a partition; *batches* is not kept."""
        self._sizes[key] = size_of(batches)
        if self._traces is not None:
            self._traces.read(batches)

    def deliver(self, key: TopicPartition, offset: int, error: int, batches: Splice) -> None:
        """Add a partition of a fetch with the *batches* that it sends, which are not kept."""
        self.add_result(key, offset, error, size_of(batches))
        if self._traces is not None and not self.record.follower:
            self._traces.read(batches)

    def direct(self, node_id: int) -> None:
        """Add a node that the consumer of a fetch is directed to."""
        known = self.record.preferred_read_replicas
        if node_id not in known:
            self.record.preferred_read_replicas = (*known, node_id)

    def add_result(
        self, key: TopicPartition, offset: int, error: int, size: Size | None = None
    ) -> None:
        """Add a partition with its outcome; without *size* it has the size that was measured."""
        if size is None:
            size = self._sizes.get(key, NOTHING)
        partition = self._hosted.get(key)
        if partition is None:
            self.record.results.append((key, offset, size, error, -1, -1))
        else:
            log = partition.log
            self.record.results.append(
                (key, offset, size, error, log.high_watermark, log.log_end_offset)
            )

    def replace_results(self, partitions: Iterable[WaitPartition]) -> None:
        """Add *partitions* in the place of all results: the request gets no response."""
        self.record.results = []
        for key, offset, error in partitions:
            self.add_result(key, offset, error)

    def add_unknown_topic(self, name: str) -> None:
        """Add a topic that the request named and that does not exist."""
        known = self.record.unknown_topics
        if len(known) < UNKNOWN_TOPICS_MAX:
            self.record.unknown_topics = (*known, name)


def size_of(batches: Splice) -> Size:
    """The number of records in the whole batches at the beginning, and the length of all bytes.

    Of batches in a file only the headers are read.
    """
    position, count, end = 0, 0, len(batches)
    while end - position >= HEADER_BYTES:
        if isinstance(batches, BUFFERS):
            size, records = size_and_count(batches, position)
        else:
            try:
                header = batches.read(position, HEADER_BYTES)
            except SpliceLost:
                break  # the file is gone; sending it fails as well
            size, records = size_and_count(header)
        following = position + size
        if not position < following <= end:
            break
        count += records
        position = following
    return count, end
