"""Events that a clock can be moved to: each waits for time, and has a latest time.

A session, a transaction and a parked request expire at a time that is known. The retention of a
partition deletes segments at the next check after the oldest one is too old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from broker.api.request import Request
from broker.common.errors import WrongState
from broker.common.topic_partition import TopicPartition
from broker.groups.time_limits import MemberTimeout
from broker.network.clients.connection import Connection
from broker.node import Node
from broker.storage.log.unified_log import UnifiedLog
from broker.transactions.metadata import TransactionMetadata
from broker.transactions.transaction_state import TransactionState
from protocol.api_names import api_name
from protocol.printable import printable

# Timers round up to a tick, and repeat what could not be done.
_TOLERANCE_MS = 1_000
# How often the heartbeats of a member may extend its session during an advance.
_SESSIONS_MAX = 10


class Event(NamedTuple):
    """``latest_ms()``: the time of the broker's clock at which it must have happened."""

    name: str
    latest_ms: Callable[[], float]
    has_happened: Callable[[], bool]


def session_end(nodes: Sequence[Node], member_id: str, group_id: str | None) -> Event:
    """The group removes the member because it sends no heartbeat; raises `WrongState`."""
    found = [each for each in _timeouts(nodes, member_id, group_id) if each.kind == "session"]
    if not found:
        raise WrongState(f"no session of member {printable(member_id)} is running")
    session = min(found, key=lambda each: each.expiration_ms)
    latest_ms = session.expiration_ms + _SESSIONS_MAX * session.timeout_ms

    def timeouts() -> list[MemberTimeout]:
        return list(_timeouts(nodes, member_id, session.group_id))

    def present_end_ms() -> float:
        """A heartbeat may arrive during the advance, and extend the session."""
        ends_ms = max((each.expiration_ms for each in timeouts()), default=0)
        return min(ends_ms, latest_ms) + _TOLERANCE_MS

    name = f"the end of the session of member {printable(member_id)}"
    return Event(name, present_end_ms, lambda: not timeouts())


def transaction_timeout(nodes: Sequence[Node], transactional_id: str) -> Event:
    """The coordinator aborts the transaction, because it takes too long; raises `WrongState`."""
    for node in nodes:
        for entry in node.transactions.states.all_entries():
            if entry.transactional_id == transactional_id and _is_ongoing(entry):
                return _abort(node, entry)
    raise WrongState(f"transaction {printable(transactional_id)} is not open")


def _abort(node: Node, entry: TransactionMetadata) -> Event:
    value, config = entry.value, node.config
    left_ms = max(0, value.start_ms + value.timeout_ms - node.clock.wall_ms())
    check_ms = config.transaction_abort_timed_out_transaction_cleanup_interval_ms
    return Event(
        f"the timeout of transaction {printable(entry.transactional_id)}",
        _at(node.clock.now_ms() + left_ms + check_ms),
        lambda: not _is_ongoing(entry) or entry.value.start_ms != value.start_ms,
    )


def request_timeout(
    nodes: Sequence[Node], api: str | None, client_id: str | None, correlation_id: int | None
) -> Event:
    """A parked request ends, the one that arrived first of those that match.

    Raises `WrongState` if there is none, or if it has no time limit.
    """
    found = [
        (request.arrived_ms, connection.id, node, connection, request)
        for node in nodes
        for connection in node.connections
        if isinstance(request := connection.in_progress, Request)
        and _matches(request, api, client_id, correlation_id)
    ]
    if not found:
        raise WrongState("no such request is parked")
    *_, node, connection, request = min(found, key=itemgetter(0, 1))
    now_ms, wait = node.clock.now_ms(), request.wait
    left_ms = None if wait is None else wait.remaining_ms(now_ms)
    name = f"the timeout of {api_name(request.header.api_key)} {request.header.correlation_id}"
    if left_ms is None:
        raise WrongState(f"{name} is not set: the request waits without a limit")
    return Event(name, _at(now_ms + left_ms), partial(_has_ended, connection, request))


def retention(nodes: Sequence[Node], key: TopicPartition) -> Event:
    """The leader deletes records because they are too old; raises `WrongState`."""
    for node in nodes:
        partition = node.replicas.partitions.get(key)
        if partition is not None and partition.leader_state is not None:
            assert partition.log is not None
            return _deletion(node, key, partition.log)
    raise WrongState(f"{key} has no running leader")


def _deletion(node: Node, key: TopicPartition, log: UnifiedLog) -> Event:
    retention_ms, start = log.config.retention_ms, log.log_start_offset
    if "delete" not in log.config.cleanup_policy or retention_ms < 0:
        raise WrongState(f"{key} keeps its records: cleanup.policy or retention.ms says so")
    if start == log.log_end_offset:
        raise WrongState(f"{key} has no records")
    newest_ms = log.segments.first.newest_ms()
    left_ms = max(0, newest_ms + retention_ms - node.clock.wall_ms())
    check_ms = node.config.log_retention_check_interval_ms
    return Event(
        f"the retention of {key}",
        _at(node.clock.now_ms() + left_ms + check_ms),
        lambda: log.log_start_offset > start,
    )


def _at(time_ms: float) -> Callable[[], float]:
    return lambda: time_ms + _TOLERANCE_MS


def _timeouts(
    nodes: Sequence[Node], member_id: str, group_id: str | None
) -> Iterable[MemberTimeout]:
    return (
        each
        for node in nodes
        for each in node.groups.member_timeouts()
        if each.member_id == member_id and group_id in (None, each.group_id)
    )


def _is_ongoing(entry: TransactionMetadata) -> bool:
    return entry.value.state is TransactionState.ONGOING


def _matches(
    request: Request[Any], api: str | None, client_id: str | None, correlation_id: int | None
) -> bool:
    header = request.header
    return (
        api in (None, api_name(header.api_key))
        and client_id in (None, header.client_id)
        and correlation_id in (None, header.correlation_id)
    )


def _has_ended(connection: Connection, request: Request[Any]) -> bool:
    return connection.in_progress is not request
