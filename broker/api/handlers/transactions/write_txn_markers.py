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

from functools import partial

from broker.api.authorization.check import ALTER_CLUSTER, CLUSTER_ACTION
from broker.api.authorization.checks import is_authorized, require
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.handlers.transactions.marker_results import MarkerResults, write_marker
from broker.api.handlers.transactions.transaction_waits import MarkersWait
from broker.api.handlers.wait_rules import partition_rules
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.steps.queue import Slices, finish
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

_Written = WriteTxnMarkersResponse | Outcome


def write_txn_markers(
    request: Request[WriteTxnMarkersRequest],
) -> _Written | Slices[_Written]:
    """Write a few markers at once, and many in slices."""
    written = _write(request)
    return finish(written) if _are_few(request.body.markers) else written


def _are_few(markers: list[WritableTxnMarker]) -> bool:
    items = 0
    for marker in markers:
        items += 1
        for topic in marker.topics:
            items += 1 + len(topic.partition_indexes)
        if items > ITEMS_AT_ONCE:
            return False
    return True


def _write(request: Request[WriteTxnMarkersRequest]) -> Slices[_Written]:
    """Write all markers, and respond when all of them are replicated or have failed."""
    if not is_authorized(request, ALTER_CLUSTER, is_refusal_logged=False):
        require(request, CLUSTER_ACTION)
    results = MarkerResults()
    for marker in request.body.markers:
        yield from write_marker(request.services, marker, results)
    if not results.missing:
        return (yield from _response(request, results))
    timeout_ms = request.services.config.request_timeout_ms
    transaction = _transaction(request.body.markers)
    rules = partial(partition_rules, request.services, results.partitions)
    wait = MarkersWait(results.partitions, lambda: results.missing, timeout_ms, transaction, rules)
    results.on_complete = ResponseCallback(request, partial(_whole_response, request), wait)
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


def _whole_response(
    request: Request[WriteTxnMarkersRequest], results: MarkerResults
) -> WriteTxnMarkersResponse:
    return finish(_response(request, results))


def _response(
    request: Request[WriteTxnMarkersRequest], results: MarkerResults
) -> Slices[WriteTxnMarkersResponse]:
    """The results by producer id; those of several markers of one producer are merged."""
    markers = []
    for producer_id, errors in results.errors.items():
        topics = dict[str, WritableTxnMarkerTopicResult]()
        for key, error in errors.items():
            if request.observer is not None:
                request.observer.add_result(key, -1, error)
            _topic(topics, key.topic).partitions.append(
                WritableTxnMarkerPartitionResult(partition_index=key.partition, error_code=error)
            )
            yield None
        markers.append(
            WritableTxnMarkerResult(producer_id=producer_id, topics=list(topics.values()))
        )
    return WriteTxnMarkersResponse(markers=markers)


def _topic(
    topics: dict[str, WritableTxnMarkerTopicResult], name: str
) -> WritableTxnMarkerTopicResult:
    found = topics.get(name)
    if found is None:
        found = topics[name] = WritableTxnMarkerTopicResult(name=name, partitions=[])
    return found
