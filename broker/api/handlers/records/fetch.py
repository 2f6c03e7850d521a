"""Fetch: records of partitions; waits up to ``max_wait_ms`` for ``min_bytes`` of them.

Behaviour: the session is resolved first (KIP-227). Unknown partitions, and those of topics that the
client may not read, do not end the wait of the others, and come after them in the response; for a
consumer, unknown topic ids come before the other errors, as in Kafka. A client that names a replica
must be authorized as a broker. If a partition is named twice, the last occurrence counts. The other
partitions are read within the response's size limits, or the request is parked in the Fetch
purgatory. v13 and later name topics by id (KIP-516). A consumer that exceeds its quota gets an
empty response with the throttle time, and its connection is muted (KIP-219).

The idle partitions of a session are not read (`broker.replication.idle_partitions`). A fetch that
reads many partitions is handled in slices.

With ``replica.selector.class``, a consumer whose rack has an in-sync follower, and not the leader,
is directed there at once (KIP-392).

Deviations: no cluster id check. A second request of a session that another one changes in slices
gets INVALID_FETCH_SESSION_EPOCH; in Kafka it waits. Several partitions with the zero id have
UNKNOWN_TOPIC_ID like one; in Kafka they fail the request.
"""

from __future__ import annotations

from typing import Final

from broker.api.handlers.records.fetch_partitions import (
    TOPIC_IDS_SINCE,
    FoundPartitions,
    Named,
    add_named,
)
from broker.api.handlers.records.fetch_response import FetchResponder, may_stay_idle, refusal
from broker.api.handlers.request_checks import check_isolation_level
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.api.throttling import exempt
from broker.common.java_numbers import double_to_int
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_context import (
    FetchContext,
    SessionError,
    new_fetch_context,
    new_fetch_context_in_slices,
)
from broker.replication.fetch_data import (
    FetchIsolation,
    FetchParams,
    PartitionName,
    partition_name,
)
from broker.replication.fetch_session import FINAL_EPOCH, NO_SESSION, FetchSession
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.waits import FetchWait, ReadCommittedWait
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from protocol.messages.fetch import FetchRequest, FetchResponse
from purgatories.operations.delayed_fetch import DelayedFetch

_SESSIONS_SINCE: Final = 7
# So many take 1 to 2 ms in CPython, which is as long as a slice; slices take half as long again.
_PARTITIONS_AT_ONCE: Final = 200
_CLIENT_METADATA_SINCE: Final = 11  # the rack id: such consumers may read from followers (KIP-392)
_TXN_COMMITTED: Final = FetchIsolation.TXN_COMMITTED

_Result = FetchResponse | Outcome


def fetch(request: Request[FetchRequest]) -> _Result | Slices[_Result]:
    """Read the records, and respond now or park the request."""
    replica_id, replica_epoch = _replica(request)
    params, may_throttle = _params(request, replica_id, replica_epoch)
    found = FoundPartitions(request, replica_id)
    session_id = request.body.session_id
    session = request.services.fetch_sessions.get(session_id) if session_id else None
    if session is not None and session.idle is not None:
        session.idle.prepare(found.revision, params, may_stay_idle=may_stay_idle(request, found))
    if _items(request.body, session) > _PARTITIONS_AT_ONCE:
        return _fetch_in_slices(request, params, found, may_throttle)
    named: Named = {}
    for topic in request.body.topics:
        add_named(named, request, topic, topic.partitions)
    try:
        context = _context(request, named, params)
    except SessionError as error:
        return refusal(error)
    found.add(context.wanted)
    _check_isolation_level(request, found, context)
    responder = FetchResponder(request, context, found, params, may_throttle)
    replicas = request.services.replicas
    operation = replicas.fetch_messages(params, found.readable, responder.respond, context.idle)
    return _park(request, operation, params)


def _fetch_in_slices(
    request: Request[FetchRequest], params: FetchParams, found: FoundPartitions, may_throttle: bool
) -> Slices[_Result]:
    try:
        context = yield from _context_in_slices(request, params)
    except SessionError as error:
        return refusal(error)
    for piece in pieces(context.wanted):
        found.add(piece)
        yield None
    _check_isolation_level(request, found, context)
    responder = FetchResponder(request, context, found, params, may_throttle)
    operation = yield from request.services.replicas.fetch_messages_in_slices(
        params, found.readable, responder.respond_in_slices, context.idle
    )
    return _park(request, operation, params)


def _check_isolation_level(
    request: Request[FetchRequest], found: FoundPartitions, context: FetchContext
) -> None:
    """Raise `ApiError` for an unknown level, as Kafka only if there is a partition to read."""
    if found.readable or context.idle:
        check_isolation_level(request.body.isolation_level)


def _items(body: FetchRequest, session: FetchSession | None) -> int:
    """The partitions and topics that the request names, and those that its session reads."""
    items = 0 if session is None else session.active_count
    for topic in body.topics:
        items += len(topic.partitions) or 1
    for forgotten in body.forgotten_topics_data:
        items += len(forgotten.partitions) or 1
    return items


def _params(
    request: Request[FetchRequest], replica_id: int, replica_epoch: int
) -> tuple[FetchParams, bool]:
    """The parameters of the read, and whether the response may be throttled."""
    body, services = request.body, request.services
    quota = services.client_quotas.fetch
    limited = quota.quotas_enabled and replica_id < 0
    max_bytes = min(body.max_bytes, services.config.fetch_max_bytes)
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
    if replica_id >= 0 and services.leader_throttle.is_active:
        params.is_throttled = services.leader_throttle.of_follower(replica_id)
    if replica_id < 0 and services.replica_selector is not None:
        params.preferred_read_replica = services.replica_selector.for_rack(body.rack_id)
    return params, replica_id < 0 and (limited or request.handling_time is not None)


def _park(
    request: Request[FetchRequest],
    operation: DelayedFetch[TopicPartition] | None,
    params: FetchParams,
) -> Outcome:
    if operation is not None:
        request.park(operation, _wait(operation, params, request.services.replicas.partitions))
    return PARKED


def _wait(
    operation: DelayedFetch[TopicPartition], params: FetchParams, hosted: HostedPartitions
) -> FetchWait:
    if params.isolation is _TXN_COMMITTED:
        return ReadCommittedWait(operation, hosted)
    return FetchWait(operation, hosted, is_follower=params.from_follower)


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


def _context(request: Request[FetchRequest], named: Named, params: FetchParams) -> FetchContext:
    body = request.body
    forgotten = [
        partition_name(topic.topic, topic.topic_id, partition)
        for topic in body.forgotten_topics_data
        for partition in topic.partitions
    ]
    session_id, epoch = _session(request)
    return new_fetch_context(
        request.services.fetch_sessions,
        session_id,
        epoch,
        list(named.values()),
        forgotten,
        uses_topic_ids=request.version >= TOPIC_IDS_SINCE,
        privileged=params.from_follower,
    )


def _context_in_slices(request: Request[FetchRequest], params: FetchParams) -> Slices[FetchContext]:
    body, named, forgotten = request.body, Named(), list[PartitionName]()
    for topic in body.topics:
        for partitions in pieces(topic.partitions):
            add_named(named, request, topic, partitions)
            yield None
    for each in body.forgotten_topics_data:
        for indexes in pieces(each.partitions):
            forgotten += [partition_name(each.topic, each.topic_id, index) for index in indexes]
            yield None
    session_id, epoch = _session(request)
    return (
        yield from new_fetch_context_in_slices(
            request.services.fetch_sessions,
            session_id,
            epoch,
            list(named.values()),
            forgotten,
            uses_topic_ids=request.version >= TOPIC_IDS_SINCE,
            privileged=params.from_follower,
        )
    )


def _session(request: Request[FetchRequest]) -> tuple[int, int]:
    """The id and the epoch of the session."""
    if request.version < _SESSIONS_SINCE:
        return NO_SESSION, FINAL_EPOCH
    return request.body.session_id, request.body.session_epoch
