"""WriteTxnMarkers: writes the markers that end transactions in the partitions of this node.

Behaviour: markers of a group's offsets are written by the group coordinator, which then commits or
drops the pending offsets; all others are appended. The response is sent when all of them have
ended, so a slow partition delays the results of all. A marker that is not replicated within
``request.timeout.ms`` is REQUEST_TIMED_OUT and stays in the log. A marker without a producer id or
epoch is UNKNOWN_SERVER_ERROR. There is no throttling.

Versions: 2 the protocol version of each transaction (KIP-1228); it decides which epochs a marker
may have.

Deviations: in Kafka, a marker without a producer id or epoch also fails the others of the request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.api.handlers.response_callback import ResponseCallback
from broker.api.handlers.transaction_waits import MarkersWait
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.topic_partition import TopicPartition
from broker.controller.image import GROUP_METADATA_TOPIC
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from protocol.record_batch.control import EndTxnMarker, build_end_txn_marker
from protocol.record_batch.header import NO_PRODUCER_EPOCH, NO_PRODUCER_ID


def write_txn_markers(
    request: Request[WriteTxnMarkersRequest],
) -> Slices[WriteTxnMarkersResponse | Outcome]:
    """Write all markers, and respond when all of them are replicated or have failed."""
    results = _Results()
    for marker in request.body.markers:
        yield from _write(request, marker, results)
    if not results.missing:
        return _response(request, results)
    timeout_ms = request.services.config.request_timeout_ms
    transaction = _transaction(request.body.markers)
    wait = MarkersWait(results.partitions, lambda: results.missing, timeout_ms, transaction)
    results.on_complete = ResponseCallback(request, partial(_response, request), wait)
    return PARKED


def _transaction(markers: list[WritableTxnMarker]) -> dict[str, object] | None:
    """The transaction that a request ends, for its wait record; None if there are several."""
    if len(markers) != 1:
        return None
    [marker] = markers
    return {
        "producer_id": marker.producer_id,
        "producer_epoch": marker.producer_epoch,
        "outcome": "commit" if marker.transaction_result else "abort",
    }


class _Results:
    """The results by producer id; ``missing`` is the number of those that are to come."""

    def __init__(self) -> None:
        self.missing = 0
        self.partitions: list[TopicPartition] = []
        self.on_complete: Callable[[_Results], None] | None = None
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


def _write(
    request: Request[WriteTxnMarkersRequest], marker: WritableTxnMarker, results: _Results
) -> Slices[None]:
    """Write one marker to each of its partitions that this node hosts."""
    services, producer_id = request.services, marker.producer_id
    names = (TopicPartition(t.name, index) for t in marker.topics for index in t.partition_indexes)
    partitions = list(dict.fromkeys(names))
    results.expect(partitions)
    batch = _control_batch(marker, services.clock.wall_ms())
    markers: dict[TopicPartition, bytearray] = {}
    for key in partitions:
        if key not in services.replicas.partitions:
            results.add(producer_id, {key: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION})
        elif producer_id <= NO_PRODUCER_ID or marker.producer_epoch <= NO_PRODUCER_EPOCH:
            results.add(producer_id, {key: ErrorCode.UNKNOWN_SERVER_ERROR})
        elif key.topic == GROUP_METADATA_TOPIC:
            _complete_in_group(request, marker, key, results)
        else:
            markers[key] = bytearray(batch)
            if len(markers) == ITEMS_AT_ONCE:
                _append(request, marker, markers, results)
                markers = {}
                yield None
    if markers:
        _append(request, marker, markers, results)
    yield None


def _append(
    request: Request[WriteTxnMarkersRequest],
    marker: WritableTxnMarker,
    markers: dict[TopicPartition, bytearray],
    results: _Results,
) -> None:
    request.services.replicas.append_markers(
        request.services.config.request_timeout_ms,
        markers,
        marker.transaction_version,
        partial(results.add, marker.producer_id),
    )


def _complete_in_group(
    request: Request[WriteTxnMarkersRequest],
    marker: WritableTxnMarker,
    key: TopicPartition,
    results: _Results,
) -> None:
    """Write the marker of a group's offsets, which commits or drops those that are pending."""
    request.services.groups.complete_transaction(
        key.partition,
        marker.producer_id,
        marker.producer_epoch,
        marker.coordinator_epoch,
        marker.transaction_result,
        marker.transaction_version,
        partial(_group_completed, results, marker.producer_id, key),
    )


def _group_completed(
    results: _Results, producer_id: int, key: TopicPartition, error: ErrorCode
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


def _response(
    request: Request[WriteTxnMarkersRequest], results: _Results
) -> WriteTxnMarkersResponse:
    """The results by producer id; those of several markers of one producer are merged."""
    markers = []
    for producer_id, errors in results.errors.items():
        topics: dict[str, WritableTxnMarkerTopicResult] = {}
        for key, error in errors.items():
            if request.observer is not None:
                request.observer.add_result(key, -1, error)
            topic = topics.get(key.topic)
            if topic is None:
                topic = topics[key.topic] = WritableTxnMarkerTopicResult(
                    name=key.topic, partitions=[]
                )
            topic.partitions.append(
                WritableTxnMarkerPartitionResult(partition_index=key.partition, error_code=error)
            )
        markers.append(
            WritableTxnMarkerResult(producer_id=producer_id, topics=list(topics.values()))
        )
    return WriteTxnMarkersResponse(markers=markers)
