"""Writes the marker of a transaction to partitions of this node, and collects the results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.services import Services
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import WritableTxnMarker
from protocol.record_batch.control import EndTxnMarker, build_end_txn_marker
from protocol.record_batch.header import NO_PRODUCER_EPOCH, NO_PRODUCER_ID


class MarkerResults:
    """The results by producer id; ``missing`` is the number of those that are to come."""

    def __init__(self) -> None:
        self.missing = 0
        self.partitions: list[TopicPartition] = []
        self.on_complete: Callable[[MarkerResults], None] | None = None
        self.errors: dict[int, dict[TopicPartition, ErrorCode]] = {}

    def expect(self, partitions: list[TopicPartition]) -> None:
        """Wait for the results of these partitions."""
        self.missing += len(partitions)
        self.partitions += partitions

    def add(self, producer_id: int, errors: dict[TopicPartition, ErrorCode]) -> None:
        """Add expected results; the last ones complete the request."""
        self.errors.setdefault(producer_id, {}).update(errors)
        self.missing -= len(errors)
        if not self.missing and self.on_complete is not None:
            self.on_complete(self)


def write_marker(
    services: Services, marker: WritableTxnMarker, results: MarkerResults
) -> Slices[None]:
    """Write one marker to each of its partitions that this node hosts."""
    producer_id = marker.producer_id
    names = (TopicPartition(t.name, index) for t in marker.topics for index in t.partition_indexes)
    partitions = list(dict.fromkeys(names))
    results.expect(partitions)
    batch = _control_batch(marker, services.clock.wall_ms())
    markers: dict[TopicPartition, bytearray] = {}
    for key in partitions:
        if key not in services.replicas.partitions:
            results.add(producer_id, {key: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION})
        elif producer_id == NO_PRODUCER_ID or marker.producer_epoch == NO_PRODUCER_EPOCH:
            results.add(producer_id, {key: ErrorCode.UNKNOWN_SERVER_ERROR})
        elif key.topic == GROUP_METADATA_TOPIC:
            _complete_in_group(services, marker, key, results)
        else:
            markers[key] = bytearray(batch)
            if len(markers) == ITEMS_AT_ONCE:
                _append(services, marker, markers, results)
                markers = {}
        yield None
    if markers:
        _append(services, marker, markers, results)
    yield None


def _append(
    services: Services,
    marker: WritableTxnMarker,
    markers: dict[TopicPartition, bytearray],
    results: MarkerResults,
) -> None:
    services.replicas.append_markers(
        services.config.request_timeout_ms,
        markers,
        marker.transaction_version,
        partial(results.add, marker.producer_id),
    )


def _complete_in_group(
    services: Services,
    marker: WritableTxnMarker,
    key: TopicPartition,
    results: MarkerResults,
) -> None:
    """Write the marker of a group's offsets, which commits or drops those that are pending."""
    services.groups.complete_transaction(
        key.partition,
        marker.producer_id,
        marker.producer_epoch,
        marker.coordinator_epoch,
        marker.transaction_result,
        marker.transaction_version,
        partial(_group_completed, results, marker.producer_id, key),
    )


def _group_completed(
    results: MarkerResults, producer_id: int, key: TopicPartition, error: ErrorCode
) -> None:
    results.add(producer_id, {key: error})


def _control_batch(marker: WritableTxnMarker, now_ms: int) -> bytes:
    return build_end_txn_marker(
        EndTxnMarker(
            is_abort=not marker.transaction_result, coordinator_epoch=marker.coordinator_epoch
        ),
        producer_id=marker.producer_id,
        producer_epoch=marker.producer_epoch,
        timestamp=now_ms,
    )
