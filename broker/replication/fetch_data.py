"""The parameters and results of a fetch, shared by the handler, the sessions and the logs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from enum import Enum
from typing import Final
from uuid import UUID

from broker.common.topic_partition import TopicPartition, topic_partition
from broker.controller.metadata.image import MetadataImage, TopicImage
from broker.replication.leader_state import LeaderState
from broker.replication.partition import Partition
from broker.replication.replica import Replica
from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.segments.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.output import Splice
from purgatories.operations.delayed_fetch import FetchPartitionStatus

FUTURE_LOCAL_REPLICA_ID: Final = -3
ISOLATION_LEVELS: Final = (0, 1)  # read uncommitted, read committed


class FetchIsolation(Enum):
    """How far a reader may read: Kafka's ``FetchIsolation``."""

    LOG_END = 0
    HIGH_WATERMARK = 1
    TXN_COMMITTED = 2

    @staticmethod
    def of(replica_id: int, isolation_level: int) -> FetchIsolation:
        """Followers read to the log end, consumers only what their isolation level allows."""
        if replica_id >= 0 or replica_id == FUTURE_LOCAL_REPLICA_ID:
            return _LOG_END
        return _TXN_COMMITTED if isolation_level == 1 else _HIGH_WATERMARK

    def upper_bound(self, log: UnifiedLog) -> LogOffsetMetadata:
        """The exclusive upper bound of reads with this isolation."""
        if self is _HIGH_WATERMARK:
            return log.high_watermark_metadata
        if self is _LOG_END:
            return log.log_end_offset_metadata
        return log.last_stable_offset_metadata


_LOG_END: Final = FetchIsolation.LOG_END
_HIGH_WATERMARK: Final = FetchIsolation.HIGH_WATERMARK
_TXN_COMMITTED: Final = FetchIsolation.TXN_COMMITTED


PreferredReadReplica = Callable[[LeaderState, int], int | None]


@dataclass(slots=True, eq=False)
class FetchParams:
    """The parameters of a whole fetch.

    ``leader_only``: followers and older consumers may read from the leader only (KIP-392).
    ``replica_epoch``: the broker epoch of a follower (KIP-903), -1 if it does not send one.
    ``preferred_read_replica``: for a consumer with a rack, the follower to read from, from the
    fetch offset of a partition on, or None for this leader (KIP-392).
    ``is_throttled``: for a follower, whether its replica of a partition has to wait for the rate of
    throttled replication; None if this node has no such rate.
    """

    replica_id: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    isolation: FetchIsolation
    leader_only: bool
    replica_epoch: int = -1
    preferred_read_replica: PreferredReadReplica | None = None
    is_throttled: Callable[[Partition], bool] | None = None

    @property
    def from_follower(self) -> bool:
        """Whether a replica fetches, not a consumer."""
        return self.replica_id >= 0


class LogReadResult:
    """The result of reading one partition.

    ``start`` is the position of the fetch offset in the log, for a fetch that waits. An offset is
    -1 if an error leaves it unknown. ``aborted`` are the aborted transactions of a
    ``read_committed`` fetch; None for others, and if the first batch does not fit into the limits.
    ``preferred_read_replica`` is the follower that the consumer is told to read from instead;
    nothing has been read then. None is this node.
    """

    __slots__ = (
        "aborted",
        "diverging_epoch",
        "error",
        "high_watermark",
        "last_stable_offset",
        "log_end_offset",
        "log_start_offset",
        "preferred_read_replica",
        "records",
        "start",
    )

    def __init__(
        self,
        error: ErrorCode,
        high_watermark: int = -1,
        last_stable_offset: int = -1,
        log_start_offset: int = -1,
        records: Splice = b"",
        start: LogOffsetMetadata = UNKNOWN_OFFSET_METADATA,
        diverging_epoch: tuple[int, int] | None = None,
        log_end_offset: int = -1,
        aborted: Sequence[AbortedTxn] | None = None,
        preferred_read_replica: int | None = None,
    ) -> None:
        self.error = error
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self.records = records
        self.start = start
        self.diverging_epoch = diverging_epoch
        self.log_end_offset = log_end_offset
        self.aborted = aborted
        self.preferred_read_replica = preferred_read_replica

    @property
    def has_other_news(self) -> bool:
        """Whether the response must be sent at once for a reason other than records.

        The reasons are an error, a diverging epoch and another replica.
        """
        return (
            self.error != 0
            or self.diverging_epoch is not None
            or self.preferred_read_replica is not None
        )


# A topic, by its id as a number, or by its name, and a partition. The hash of a `UUID` is slow; a
# type of a tuple would make compiled code create the tuple again whenever it is read.
PartitionName = Hashable


def partition_name(topic: str, topic_id: UUID, partition: int) -> PartitionName:
    """The key of a partition in a session: by topic id, if the request's version has ids."""
    return (topic_id.int or topic, partition)


class EmptyRead:
    """A read that found the fetch offset at the end of what it may read, and no error.

    Another read of the same offset has the same result until the partition changes. ``status`` is
    that of a fetch that waits after the read.
    """

    __slots__ = (
        "_end",
        "_isolation",
        "_leader_only",
        "_registration",
        "partition",
        "result",
        "status",
    )

    def __init__(
        self,
        partition: Partition,
        params: FetchParams,
        result: LogReadResult,
        status: FetchPartitionStatus[TopicPartition],
    ) -> None:
        self.result = result
        self.status = status
        self._isolation = params.isolation
        self._leader_only = params.leader_only
        self.partition = partition
        self._registration = partition.registration
        # A new object after each append, roll and truncation.
        self._end = partition.log.log_end_offset_metadata

    def may_be_repeated(self, partition: Partition, params: FetchParams) -> bool:
        """Whether a read of *partition* with *params* has the same result.

        Whether a follower may still fetch with its epoch is to be checked before.
        """
        log, result = partition.log, self.result
        return (
            partition is self.partition
            and log.log_end_offset_metadata is self._end
            and log.high_watermark == result.high_watermark
            and log.last_stable_offset == result.last_stable_offset
            and log.log_start_offset == result.log_start_offset
            and partition.registration is self._registration
            and log.local_log.disk.failure is None
            and params.isolation is self._isolation
            and params.leader_only == self._leader_only
            and params.preferred_read_replica is None
        )


class FetchPartition:
    """One partition of a fetch request, and what a session keeps of it for the next fetch.

    Kafka's ``FetchRequest.PartitionData`` and ``CachedPartition``. ``name`` identifies it in a
    session: its topic, by the id as a number or by the name, and its index. ``topic`` is its topic
    when it was last found. ``empty_read`` is the last read of it if that found nothing. The client
    of a session knows ``sent_high_watermark`` and ``sent_log_start_offset``, or nothing (-1). In a
    session partitions are read by ascending ``order``. ``replica`` is the follower in whose session
    it has become idle.
    """

    __slots__ = (
        "current_leader_epoch",
        "empty_read",
        "fetch_offset",
        "key",
        "last_fetched_epoch",
        "log_start_offset",
        "max_bytes",
        "name",
        "order",
        "replica",
        "sent_high_watermark",
        "sent_log_start_offset",
        "topic",
        "topic_id",
    )

    def __init__(
        self,
        key: TopicPartition,
        topic_id: UUID,
        fetch_offset: int,
        max_bytes: int,
        current_leader_epoch: int = -1,
        last_fetched_epoch: int = -1,
        log_start_offset: int = -1,
    ) -> None:
        self.key = key
        self.topic_id = topic_id
        self.fetch_offset = fetch_offset
        self.max_bytes = max_bytes
        self.current_leader_epoch = current_leader_epoch
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.name = partition_name(key.topic, topic_id, key.partition)
        self.topic: TopicImage | None = None
        self.empty_read: EmptyRead | None = None
        self.order = 0
        self.replica: Replica | None = None
        self.sent_high_watermark = self.sent_log_start_offset = -1

    def find_topic(self, image: MetadataImage) -> TopicImage | None:
        """Its topic, by the id if the request has ids; None if it is unknown.

        ``key`` has the present name of the topic from now on.
        """
        topic = image.topic(self.key.topic)
        if topic is not None and topic is self.topic:
            return topic
        # As numbers: to compare or to hash the objects takes longer.
        topic_id = self.topic_id.int
        if topic_id and (topic is None or topic.topic_id.int != topic_id):
            topic = image.topic_by_id(self.topic_id)
        self.topic = topic
        if topic is not None and topic.name != self.key.topic:
            self.key = topic_partition(topic.name, self.key.partition)
        return topic

    def has_news(self, result: LogReadResult) -> bool:
        """Whether *result* has anything that the client of the session does not know."""
        return bool(
            result.high_watermark != self.sent_high_watermark
            or result.records
            or result.log_start_offset != self.sent_log_start_offset
            or result.has_other_news
        )

    def record_sent(self, result: LogReadResult) -> None:
        """Record that the response contains *result*.

        After an error the high watermark is unknown, so that the next response has the partition.
        The same applies to a follower that must truncate its log first, and ignores the rest of the
        response. Kafka does not do so for the latter, which then gets the high watermark when it
        changes again.
        """
        is_unused = result.error or result.diverging_epoch is not None
        self.sent_high_watermark = -1 if is_unused else result.high_watermark
        self.sent_log_start_offset = result.log_start_offset

    def continue_from(self, previous: FetchPartition) -> None:
        """Replace *previous* in its session: the client knows what that one was sent."""
        self.order = previous.order
        self.sent_high_watermark = previous.sent_high_watermark
        self.sent_log_start_offset = previous.sent_log_start_offset
