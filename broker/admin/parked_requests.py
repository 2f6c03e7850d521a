"""The requests that wait now: for what, since when, until when, and who holds them up.

Made when somebody asks, from what connections, operations and replicas hold anyway, so that it
costs nothing while nobody does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from broker.api.request import Request
from broker.common.topic_partition import TopicPartition
from broker.network.connection import Connection
from broker.node import Node
from broker.wait_records.operations import (
    Facts,
    progress,
    purgatory_of,
    wait_without_operation,
    waited_for,
)
from protocol.api_names import api_name
from purgatories.delayed_operation import DelayedOperation
from purgatories.operations.delayed_delete_records import DelayedDeleteRecords
from purgatories.operations.delayed_fetch import DelayedFetch
from purgatories.operations.delayed_produce import DelayedProduce

# A request that is being worked on, a slice at a time.
_IN_SLICES: Facts = {
    "purgatory": None,
    "waited_for": {"kind": "steps"},
    "timeout_ms": None,
    "remaining_ms": None,
    "checks": 0,
    "partitions": [],
}


def parked_requests(node: Node) -> Iterator[Facts]:
    """Each request in progress on *node*, the longest waiting first."""
    waiting = [
        (request.arrived_ms, connection, request)
        for connection in node.connections
        if (request := connection.in_progress) is not None
    ]
    for _, connection, request in sorted(waiting, key=lambda each: each[0]):
        yield _request(node, connection, request)


def _request(node: Node, connection: Connection, request: Request[Any]) -> Facts:
    now_ms = node.clock.now_ms()
    operation = request.operation
    return {
        "node": node.id,
        "connection": connection.id,
        "client_id": request.client_id,
        "correlation_id": request.header.correlation_id,
        "api": api_name(request.header.api_key),
        "version": request.version,
        "arrived_us": node.clock.wall_us_at(request.arrived_ms),
        "parked_us": int((now_ms - request.arrived_ms) * 1000),
        "follower": getattr(request.body, "replica_state", None) is not None,
        **(_plain(node, request) if operation is None else _operation(node, operation, now_ms)),
    }


def _plain(node: Node, request: Request[Any]) -> Facts:
    if request.job is not None:
        return _IN_SLICES
    purgatory, waited_for, timeout_ms = wait_without_operation(node.services, request.body)
    return {
        "purgatory": purgatory,
        "waited_for": waited_for,
        "timeout_ms": timeout_ms,
        "remaining_ms": None,  # others who join may prolong it
        "checks": 0,
        "partitions": [],
    }


def _operation(node: Node, operation: DelayedOperation, now_ms: float) -> Facts:
    return {
        "purgatory": purgatory_of(operation),
        "waited_for": waited_for(node.services, operation),
        "timeout_ms": int(operation.delay_ms),
        "remaining_ms": max(0, int(operation.expiration_ms - now_ms)),
        "checks": operation.checks,
        "partitions": list(_partitions(node, operation)),
    }


def _partitions(node: Node, operation: DelayedOperation) -> Iterator[Facts]:
    if isinstance(operation, DelayedFetch):
        for each in operation.partitions:
            yield _partition(each.key, each.start.message_offset)
    elif isinstance(operation, DelayedProduce):
        for key, produced in operation.statuses.items():
            error = 0 if produced.acks_pending else produced.error
            yield {
                **_partition(key, produced.response.base_offset),
                "error": error,
                **_replication(node, key, produced.required_offset),
            }
    else:
        assert isinstance(operation, DelayedDeleteRecords)
        for key, deleted in operation.statuses.items():
            error = 0 if deleted.acks_pending else deleted.error
            yield {**_partition(key, deleted.required_offset), "error": error}


def _partition(key: TopicPartition, offset: int) -> Facts:
    return {"topic": key.topic, "partition": key.partition, "offset": offset}


def _replication(node: Node, key: TopicPartition, needed_offset: int) -> Facts:
    partition = node.replicas.partitions.get(key)
    if partition is None:
        return {"needed_offset": needed_offset, "replicas": []}
    return {
        "needed_offset": needed_offset,
        "high_watermark": partition.log.high_watermark,
        "log_end_offset": partition.log.log_end_offset,
        "replicas": [
            {
                "node": each.node_id,
                "log_end_offset": each.end_offset,
                "behind": each.end_offset < needed_offset,
                "in_sync": each.in_sync,
                "caught_up_ms_ago": each.caught_up_ms_ago,
            }
            for each in progress(node.services, partition)
        ],
    }
