"""The partitions of a Fetch: those that it names, and which of them can be read."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from broker.api.authorization.check import CLUSTER_ACTION, READ_TOPIC
from broker.api.authorization.checks import is_authorized
from broker.api.request import Request
from broker.common.topic_partition import topic_partition
from broker.controller.metadata.image import TopicImage
from broker.replication.fetch_context import PartitionResults
from broker.replication.fetch_data import FetchPartition, LogReadResult, PartitionName
from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition as NamedPartition
from protocol.messages.fetch import FetchRequest, FetchTopic

TOPIC_IDS_SINCE: Final = 13
NO_EPOCH: Final = -1  # like any other negative epoch
_NO_TOPICS: Final = frozenset[str]()
_REFUSED: Final = READ_TOPIC.error_code  # for brokers as well
_UNKNOWN_TOPIC_ID: Final = ErrorCode.UNKNOWN_TOPIC_ID
_UNKNOWN_TOPIC_OR_PARTITION: Final = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

# The partitions that a request names, in its order; the last one with a name counts.
Named = dict[PartitionName, FetchPartition]


def add_named(
    named: Named,
    request: Request[FetchRequest],
    topic: FetchTopic,
    partitions: Sequence[NamedPartition],
) -> None:
    """Add *partitions* of *topic* to *named*."""
    by_id = request.version >= TOPIC_IDS_SINCE
    name, topic_id = topic.topic, topic.topic_id
    if by_id:
        known = request.services.image.topic_by_id(topic_id)
        name = "" if known is None else known.name
    for partition in partitions:
        index = partition.partition
        requested = FetchPartition(
            topic_partition(name, index),
            topic_id,
            partition.fetch_offset,
            partition.partition_max_bytes,
            max(partition.current_leader_epoch, NO_EPOCH),
            max(partition.last_fetched_epoch, NO_EPOCH),
            partition.log_start_offset,
        )
        named[requested.name] = requested


class FoundPartitions:
    """The partitions to read, ``readable``, and those that are unknown or hidden, `refused`.

    A session finds its topics again in each fetch, since topics change. ``revision`` is that of the
    metadata at its beginning.
    """

    __slots__ = ("_hidden", "_refused", "_request", "_unknown_ids", "readable", "revision")

    def __init__(self, request: Request[FetchRequest], replica_id: int) -> None:
        self._refused: PartitionResults = []
        # As in Kafka, those of a consumer precede the other refused ones.
        self._unknown_ids: PartitionResults = [] if replica_id < 0 else self._refused
        self.readable: list[FetchPartition] = []
        self._request = request
        self.revision = request.services.image.revision
        has_authorizer = request.services.authorizer is not None
        self._hidden = _Hidden(request, replica_id) if has_authorizer else None

    @property
    def sees_all(self) -> bool:
        """Whether no topic is hidden from the client, without a check of each topic."""
        return self._hidden is None or self._hidden.is_none

    @property
    def refused(self) -> PartitionResults:
        """The refused partitions in the order of the response."""
        unknown_ids, refused = self._unknown_ids, self._refused
        return unknown_ids + refused if unknown_ids and unknown_ids is not refused else refused

    def add(self, wanted: Sequence[FetchPartition]) -> None:
        """Find each partition."""
        request, refused, readable = self._request, self._refused, self.readable
        image = request.services.image
        hidden: AbstractSet[str] = _NO_TOPICS
        unknown, of_unknown = _UNKNOWN_TOPIC_OR_PARTITION, refused
        if request.version >= TOPIC_IDS_SINCE:
            unknown, of_unknown = _UNKNOWN_TOPIC_ID, self._unknown_ids
        if self._hidden is not None:
            if self._hidden.is_all:
                refused += [(each, _refusal(_REFUSED)) for each in wanted]
                return
            hidden = self._hidden.topics(wanted)
        for requested in wanted:
            topic = requested.find_topic(image)
            if hidden and _is_hidden(topic, requested, unknown, hidden):
                refused.append((requested, _refusal(_REFUSED)))
            elif topic is None:
                of_unknown.append((requested, _refusal(unknown)))
            elif not 0 <= requested.key.partition < len(topic.partitions):
                refused.append((requested, _refusal(_UNKNOWN_TOPIC_OR_PARTITION)))
            else:
                readable.append(requested)


class _Hidden:
    """The topics that the client of a fetch may not read; each one is checked once.

    ``is_all`` if the client names a replica and is not authorized as a broker; ``is_none`` if it is
    authorized.
    """

    __slots__ = ("_known", "_request", "is_all", "is_none")

    def __init__(self, request: Request[FetchRequest], replica_id: int) -> None:
        self.is_all = replica_id >= 0 and not is_authorized(request, CLUSTER_ACTION)
        self.is_none = replica_id >= 0 and not self.is_all
        self._request = request
        # Brokers read all topics.
        self._known: dict[str, bool] | None = {} if replica_id < 0 else None

    def topics(self, wanted: Sequence[FetchPartition]) -> AbstractSet[str]:
        """The topics of *wanted* that are hidden."""
        image, known = self._request.services.image, self._known
        if known is None:
            return _NO_TOPICS
        names: dict[str, None] = {}
        for requested in wanted:
            topic = requested.find_topic(image)
            names[requested.key.topic if topic is None else topic.name] = None
        for name in names:
            if name not in known:
                known[name] = not is_authorized(self._request, READ_TOPIC, name)
        return {name for name in names if known[name]}


def _is_hidden(
    topic: TopicImage | None,
    requested: FetchPartition,
    unknown: ErrorCode,
    hidden: AbstractSet[str],
) -> bool:
    """Whether a topic is hidden; an unknown id is no secret, an unknown name is."""
    if topic is None:
        return unknown is not _UNKNOWN_TOPIC_ID and requested.key.topic in hidden
    return topic.name in hidden


def _refusal(error: ErrorCode) -> LogReadResult:
    # As in Kafka there are no aborted transactions; with errors that are found later it is null.
    return LogReadResult(error, aborted=())
