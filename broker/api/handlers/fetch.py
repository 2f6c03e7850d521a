"""Fetch: records of partitions; waits up to ``max_wait_ms`` for ``min_bytes`` of them.

Behaviour: the session is resolved first (KIP-227). Unknown partitions, and those of topics that the
client may not read, do not end the wait of the others, and come after them in the response, as in
Kafka. A client that names a replica must be authorized as a broker. If a partition is named twice,
the last occurrence counts. The other partitions are read within the response's size limits, or the
request is parked in the Fetch purgatory. v13 and later name topics by id (KIP-516). A consumer that
exceeds its quota gets an empty response with the throttle time, and its connection is muted
(KIP-219).

Deviations: no preferred read replica (KIP-392), no cluster id check.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from broker.api.authorization.check import CLUSTER_ACTION, READ_TOPIC
from broker.api.authorization.checks import is_authorized
from broker.api.handlers.current_leader import WRONG_LEADER, Leaders
from broker.api.handlers.request_checks import check_isolation_level
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.api.throttling import exempt, record_time
from broker.common.java_numbers import double_to_int
from broker.common.topic_partition import TopicPartition, topic_partition
from broker.controller.image import TopicImage
from broker.replication.fetch_context import (
    FetchContext,
    PartitionResults,
    RequestedPartitions,
    SessionError,
    new_fetch_context,
    partition_name,
    topic_of,
)
from broker.replication.fetch_data import (
    FetchIsolation,
    FetchParams,
    FetchPartition,
    LogReadResult,
)
from broker.replication.fetch_session import FINAL_EPOCH, NO_SESSION, PartitionName
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.waits import FetchWait, ReadCommittedWait
from broker.storage.transaction_index import AbortedTxn
from broker.wait_records.observer import RequestObserver
from protocol.codec import Output, encode_into
from protocol.errors import ErrorCode
from protocol.frame_length import begin_frame, finish_frame
from protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from purgatories.operations.delayed_fetch import DelayedFetch

_SESSIONS_SINCE: Final = 7
_CLIENT_METADATA_SINCE: Final = 11  # the rack id: such consumers may read from followers (KIP-392)
_TOPIC_IDS_SINCE: Final = 13
_LEADERS_SINCE: Final = 16
NO_EPOCH: Final = -1  # like any other negative epoch
_NO_TOPICS: Final = frozenset[str]()
_REFUSED: Final = READ_TOPIC.error_code  # for brokers as well
# For each fetch: to look up a member in its enumeration takes 0.3 µs in CPython 3.11.
_TXN_COMMITTED: Final = FetchIsolation.TXN_COMMITTED
_UNKNOWN_TOPIC_ID: Final = ErrorCode.UNKNOWN_TOPIC_ID
_UNKNOWN_TOPIC_OR_PARTITION: Final = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def fetch(request: Request[FetchRequest]) -> FetchResponse | Outcome:
    """Read the records, and respond now or park the request."""
    body, replicas = request.body, request.services.replicas
    check_isolation_level(body.isolation_level)
    replica_id, replica_epoch = _replica(request)
    try:
        context = _context(request, replica_id)
    except SessionError as error:
        return FetchResponse(error_code=error.code, session_id=NO_SESSION, responses=[])
    refused, names, readable = _find_partitions(request, context, replica_id)
    quota = request.services.client_quotas.fetch
    limited = quota.quotas_enabled and replica_id < 0
    max_bytes = min(body.max_bytes, request.services.config.fetch_max_bytes)
    if limited:  # a consumer that was idle would otherwise exceed its quota, and get nothing
        user = request.session.principal.name
        allowed = quota.max_value_in_quota_window(user, request.client_id)
        max_bytes = min(max_bytes, double_to_int(allowed))
    params = FetchParams(
        replica_id,
        body.max_wait_ms,
        min(body.min_bytes, max_bytes),
        max_bytes,
        FetchIsolation.of(replica_id, body.isolation_level),
        leader_only=replica_id >= 0 or request.version < _CLIENT_METADATA_SINCE,
        replica_epoch=replica_epoch,
    )

    may_throttle = replica_id < 0 and (limited or request.handling_time is not None)
    responder = _Responder(request, context, names, readable, refused, may_throttle)
    operation = replicas.fetch_messages(params, readable, responder.respond)
    if operation is not None:
        request.park(operation, _wait(operation, params, replicas.partitions))
    return PARKED


class _Responder:
    """Responds to a fetch whose partitions ``readable``, named ``names``, have been read."""

    __slots__ = ("_context", "_may_throttle", "_names", "_readable", "_refused", "_request")

    def __init__(
        self,
        request: Request[FetchRequest],
        context: FetchContext,
        names: list[PartitionName],
        readable: list[FetchPartition],
        refused: PartitionResults,
        may_throttle: bool,
    ) -> None:
        self._request = request
        self._context = context
        self._names = names
        self._readable = readable
        self._refused = refused
        self._may_throttle = may_throttle

    def respond(self, results: list[LogReadResult]) -> None:
        """Respond with *results*, one for each readable partition, and the refused partitions."""
        request, context = self._request, self._context
        if request.observer is not None:
            _observe(request.observer, self._readable, results)
        has_wrong_leader = False
        found: PartitionResults = []
        for name, requested, result in zip(self._names, self._readable, results, strict=True):
            found.append((name, requested.topic_id, result))
            if result.error:
                has_wrong_leader |= result.error in WRONG_LEADER
        found += self._refused
        response = _throttled(request, context, found) if self._may_throttle else None
        if response is None:
            response = _response(context, found)
        if has_wrong_leader and request.version >= _LEADERS_SINCE:
            _add_current_leaders(request, response)
        request.respond(response)


def _wait(
    operation: DelayedFetch[TopicPartition], params: FetchParams, hosted: HostedPartitions
) -> FetchWait:
    if params.isolation is _TXN_COMMITTED:
        return ReadCommittedWait(operation, hosted)
    return FetchWait(operation, hosted, is_follower=params.from_follower)


def _observe(
    observer: RequestObserver, readable: list[FetchPartition], results: list[LogReadResult]
) -> None:
    for requested, result in zip(readable, results, strict=True):
        key, offset = requested.key, requested.fetch_offset
        observer.deliver(key, offset, result.error, result.records)


def _replica(request: Request[FetchRequest]) -> tuple[int, int]:
    """Id and epoch: a top-level field up to v14, the tagged replica state from v15 (KIP-903)."""
    body, epoch = request.body, -1
    replica_id, state = body.replica_id, body.replica_state
    if state is not None:
        replica_id, epoch = state.replica_id, state.replica_epoch
    if replica_id >= 0:
        exempt(request)
    if request.observer is not None:
        request.observer.record.follower = replica_id >= 0
    return replica_id, epoch


def _add_current_leaders(request: Request[FetchRequest], response: FetchResponse) -> None:
    """Add the leaders of the partitions that another node leads (KIP-951)."""
    image = request.services.image
    leaders = Leaders(image, request.session.listener)
    for topic in response.responses:
        for data in topic.partitions:
            if data.error_code in WRONG_LEADER:
                known = image.topic_by_id(topic.topic_id)
                leader = leaders.of(known, data.partition_index)
                data.current_leader = LeaderIdAndEpoch(
                    leader_id=leader.node_id, leader_epoch=leader.epoch
                )
    response.node_endpoints = [
        NodeEndpoint(node_id=node_id, host=host, port=port)
        for node_id, host, port in leaders.endpoints()
    ]


def _context(request: Request[FetchRequest], replica_id: int) -> FetchContext:
    body = request.body
    forgotten = [
        partition_name(topic.topic, topic.topic_id, partition)
        for topic in body.forgotten_topics_data
        for partition in topic.partitions
    ]
    sessions = request.version >= _SESSIONS_SINCE
    return new_fetch_context(
        request.services.fetch_sessions,
        body.session_id if sessions else NO_SESSION,
        body.session_epoch if sessions else FINAL_EPOCH,
        list(_wanted(request).items()),
        forgotten,
        uses_topic_ids=request.version >= _TOPIC_IDS_SINCE,
        privileged=replica_id >= 0,
    )


def _wanted(request: Request[FetchRequest]) -> dict[PartitionName, FetchPartition]:
    """The partitions that the request names, in its order; the last one with a name counts."""
    wanted: dict[PartitionName, FetchPartition] = {}
    by_id = request.version >= _TOPIC_IDS_SINCE
    image = request.services.image
    for topic in request.body.topics:
        name = topic.topic
        if by_id:
            known = image.topic_by_id(topic.topic_id)
            name = "" if known is None else known.name
        for partition in topic.partitions:
            index = partition.partition
            wanted[topic.topic_id.int if by_id else name, index] = FetchPartition(
                topic_partition(name, index),
                topic.topic_id,
                partition.fetch_offset,
                partition.partition_max_bytes,
                max(partition.current_leader_epoch, NO_EPOCH),
                partition.last_fetched_epoch,
                partition.log_start_offset,
            )
    return wanted


def _find_partitions(
    request: Request[FetchRequest], context: FetchContext, replica_id: int
) -> tuple[PartitionResults, list[PartitionName], list[FetchPartition]]:
    """The partitions that are unknown or hidden with their errors, and the partitions to read.

    A session by topic id finds the names of its topics again in each fetch, since topics change.
    """
    image = request.services.image
    refused: PartitionResults = []
    names: list[PartitionName] = []
    readable: list[FetchPartition] = []
    wanted: RequestedPartitions = context.wanted
    hidden: AbstractSet[str] = _NO_TOPICS
    if request.services.authorizer is not None:
        if replica_id < 0:
            hidden = _hidden_topics(request, wanted)
        elif not is_authorized(request, CLUSTER_ACTION):
            return [(name, each.topic_id, _refusal(_REFUSED)) for name, each in wanted], names, []
    by_id = request.version >= _TOPIC_IDS_SINCE
    unknown = _UNKNOWN_TOPIC_ID if by_id else _UNKNOWN_TOPIC_OR_PARTITION
    for name, requested in wanted:
        partition = name[1]
        topic_id, topic = requested.topic_id, topic_of(image, requested)
        if hidden and _is_hidden(topic, requested, unknown, hidden):
            refused.append((name, topic_id, _refusal(_REFUSED)))
        elif topic is None:
            refused.append((name, topic_id, _refusal(unknown)))
        elif not 0 <= partition < len(topic.partitions):
            refused.append((name, topic_id, _refusal(_UNKNOWN_TOPIC_OR_PARTITION)))
        else:
            names.append(name)
            readable.append(
                requested
                if topic.name == requested.key.topic
                else requested.of(topic_partition(topic.name, partition))
            )
    return refused, names, readable


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


def _hidden_topics(request: Request[FetchRequest], wanted: RequestedPartitions) -> AbstractSet[str]:
    """The topics of the fetch that the client may not read."""
    image = request.services.image
    names: dict[str, None] = {}
    for _, requested in wanted:
        topic = topic_of(image, requested)
        names[requested.key.topic if topic is None else topic.name] = None
    return {name for name in names if not is_authorized(request, READ_TOPIC, name)}


def _refusal(error: ErrorCode) -> LogReadResult:
    # As in Kafka there are no aborted transactions; with errors that are found later it is null.
    return LogReadResult(error, aborted=())


def _partition_data(partition: int, result: LogReadResult) -> PartitionData:
    data = PartitionData(
        partition_index=partition,
        error_code=result.error,
        high_watermark=result.high_watermark,
        last_stable_offset=result.last_stable_offset,
        log_start_offset=result.log_start_offset,
        aborted_transactions=None if result.aborted is None else _aborted(result.aborted),
        # Never null: librdkafka treats a null record set as a protocol error.
        records=result.records,  # type: ignore[arg-type]  # may be read when it is sent
    )
    if result.diverging_epoch is not None:
        epoch, end_offset = result.diverging_epoch
        data.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end_offset)
    return data


def _aborted(transactions: Sequence[AbortedTxn]) -> list[AbortedTransaction]:
    return [
        AbortedTransaction(producer_id=each.producer_id, first_offset=each.first_offset)
        for each in transactions
    ]


def _response(context: FetchContext, results: PartitionResults) -> FetchResponse:
    try:
        session_id, changed = context.update_and_generate_response(results)
    except SessionError as error:
        return FetchResponse(error_code=error.code, session_id=NO_SESSION, responses=[])
    return FetchResponse(session_id=session_id, responses=_topics(changed))


def _throttled(
    request: Request[FetchRequest], context: FetchContext, results: PartitionResults
) -> FetchResponse | None:
    """The empty response to a consumer that exceeds its quota; None if it does not."""
    try:
        record_time(request)
        quota = request.services.client_quotas.fetch
        if quota.quotas_enabled:
            user, size = request.session.principal.name, _size(request, context, results)
            throttle = quota.record(user, request.client_id, size)
            if throttle is not None:
                request.throttle(throttle)
            if request.throttled is not None:
                quota.unrecord(user, request.client_id, size)
        if request.throttled is None:
            return None
        session_id = context.throttled_session_id(request.services.fetch_sessions)
    except SessionError as error:
        return FetchResponse(error_code=error.code, session_id=NO_SESSION, responses=[])
    return FetchResponse(session_id=session_id, responses=[])


def _size(request: Request[FetchRequest], context: FetchContext, results: PartitionResults) -> int:
    """The size of the response with all changed partitions."""
    out = Output()
    start = begin_frame(out)
    response = FetchResponse(responses=_topics(context.changed_partitions(results)))
    encode_into(out, response, request.version)
    return finish_frame(out, start)


def _topics(results: PartitionResults) -> list[FetchableTopicResponse]:
    topics: list[FetchableTopicResponse] = []
    last: object = None
    for (topic, partition), topic_id, result in results:
        if not topics or topic != last:
            last = topic
            topics.append(
                FetchableTopicResponse(topic=topic, partitions=[])
                if isinstance(topic, str)
                else FetchableTopicResponse(topic_id=topic_id, partitions=[])
            )
        topics[-1].partitions.append(_partition_data(partition, result))
    return topics
