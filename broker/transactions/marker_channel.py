"""Sends the markers of transactions to the leaders of their partitions.

    add_markers --> leader of each partition --> queue of its node --> WriteTxnMarkers
                      ^        |  `- none alive --> waits for other metadata        |
                      |        `- no such partition: needs no marker                |
                      |                                                             v
                      `-- leader moved, not replicated, disconnected ------- result of a partition
                                                                   marker written, or stopped

The markers for a node that are queued when its previous request ends are sent in one request, up to
`MARKERS_PER_REQUEST_MAX` of them. The markers of a transaction are queued, and the results in a
response handled, in slices.
Kafka's ``TransactionMarkerChannelManager`` and ``TransactionMarkerRequestCompletionHandler``.

Deviation: Kafka's sender repeats a refused marker as fast as it is refused. Here the first
repetition is immediate and later ones wait for 50 ms, because all nodes share one thread.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice

from broker.common.topic_partition import TopicPartition, by_topic
from broker.controller.metadata.image import MetadataImage
from broker.coordinators.inter_broker_sender import (
    InterBrokerRequest,
    InterBrokerSender,
    SenderParts,
    call_back,
)
from broker.steps.queue import Slices
from broker.steps.schedule import schedule_once
from broker.transactions.marker_sender import MarkerCallbacks, PendingMarkers
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

log = logging.getLogger("antechamber.transactions")

# One request is encoded, and its response decoded, in one step of the loop.
MARKERS_PER_REQUEST_MAX = 100

# How long a marker that was refused more than once is not sent again.
RETRY_BACKOFF_MS = 50

# The partition has its marker, or can have none.
_DONE = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ErrorCode.UNSUPPORTED_VERSION,
    }
)
# The marker is sent again, to the leader that the partition has then.
_RETRIED = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)
# Another coordinator has ended the transaction.
_FENCED = frozenset({ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED})


class _Transaction:
    """A transaction, the number of its partitions without marker, and those that were refused.

    Each partition without marker is in one queue, in one request, or waits for its repetition.
    """

    __slots__ = ("pending", "refused", "remaining")

    def __init__(self, pending: PendingMarkers) -> None:
        self.pending = pending
        self.remaining = len(pending.partitions)
        self.refused: set[TopicPartition] = set()


# Partitions by transaction, in the order in which their markers were queued.
_Queue = dict[_Transaction, deque[TopicPartition]]
# The partitions of one request by transaction.
_Sent = dict[_Transaction, list[TopicPartition]]


class TransactionMarkerChannel:
    """The markers of the transactions that a node coordinates (`MarkerSender`).

    *coordinator* returns what handles the results. It is called from `add_markers` as well, for
    partitions that do not exist.
    """

    def __init__(
        self,
        parts: SenderParts,
        image: Callable[[], MetadataImage],
        coordinator: Callable[[], MarkerCallbacks],
    ) -> None:
        self._node = parts.node
        self._actions = parts.actions
        self._steps = parts.steps
        self._image = image
        self._coordinator = coordinator
        self._transactions: dict[str, _Transaction] = {}
        self._queues: dict[int, _Queue] = {}
        self._without_leader: _Queue = {}
        self._sender = InterBrokerSender("txn-marker-sender", parts, self._next_request)

    async def run(self) -> None:
        """Send markers until cancelled."""
        await self._sender.run()

    @property
    def unknown_destination_queue_size(self) -> int:
        """The number of transactions with a partition that has no live leader."""
        return len(self._without_leader)

    def add_markers(self, pending: PendingMarkers) -> None:
        """Send the markers of a transaction; see `MarkerSender`."""
        assert pending.partitions, "a transaction without partitions needs no markers"
        transaction = self._transactions[pending.transactional_id] = _Transaction(pending)
        self._steps.start(self._enqueue(transaction, pending.partitions))

    def remove_partition(self, state_partition: int) -> None:
        """Drop the markers of a partition of ``__transaction_state``; see `MarkerSender`."""
        for transactional_id, transaction in list(self._transactions.items()):
            if transaction.pending.state_partition == state_partition:
                del self._transactions[transactional_id]
                for queue in (*self._queues.values(), self._without_leader):
                    queue.pop(transaction, None)

    def metadata_changed(self) -> None:
        """Queue the markers whose partitions had no live leader, if they have one now."""
        if self._without_leader:
            waiting, self._without_leader = self._without_leader, {}
            self._enqueue_later(waiting)

    def _is_current(self, transaction: _Transaction) -> bool:
        """Whether the markers of the transaction are still to be sent."""
        return self._transactions.get(transaction.pending.transactional_id) is transaction

    # -------------------------------------------------------------------------------- queues

    def _enqueue(
        self, transaction: _Transaction, partitions: Iterable[TopicPartition]
    ) -> Slices[None]:
        """Queue markers for the present leaders of *partitions*, those of a request at a time."""
        in_order = iter(partitions)
        while some := list(islice(in_order, MARKERS_PER_REQUEST_MAX)):
            if not self._is_current(transaction):
                return
            self._enqueue_some(transaction, some)
            yield None

    def _enqueue_some(self, transaction: _Transaction, partitions: list[TopicPartition]) -> None:
        woken = set()
        for key in partitions:
            leader = self._leader(key)
            if leader is None:
                self._marker_written(transaction, key)
                continue
            if self._node.alive(leader) is None:
                queue = self._without_leader
            else:
                queue = self._queues.setdefault(leader, {})
                woken.add(leader)
            queue.setdefault(transaction, deque()).append(key)
        for node_id in sorted(woken):
            self._sender.wake(node_id)

    def _enqueue_all(
        self, partitions: Mapping[_Transaction, Iterable[TopicPartition]]
    ) -> Slices[None]:
        for transaction, of_transaction in partitions.items():
            yield from self._enqueue(transaction, of_transaction)

    def _enqueue_later(self, waiting: Mapping[_Transaction, Iterable[TopicPartition]]) -> None:
        """Queue markers that have waited, outside of a request."""
        slices = self._enqueue_all(waiting)
        self._steps.start(slices, lambda _: self._actions.try_complete_actions())

    def _leader(self, key: TopicPartition) -> int | None:
        """The leader of a partition, perhaps none (-1); None if there is no such partition."""
        topic = self._image().topic(key.topic)
        if topic is None or key.partition >= len(topic.partitions):
            return None
        return topic.partitions[key.partition].leader

    def _next_request(self, node_id: int) -> InterBrokerRequest | None:
        """The markers that are queued for a node, as many as a request may have."""
        sent = _taken(self._queues.get(node_id, {}))
        if not sent:
            return None
        markers = [_marker(each.pending, partitions) for each, partitions in sent.items()]
        on_response = partial(self._on_response, sent)
        return InterBrokerRequest(WriteTxnMarkersRequest(markers=markers), on_response)

    # ------------------------------------------------------------------------------ responses

    def _on_response(self, sent: _Sent, response: WriteTxnMarkersResponse | None) -> Slices[None]:
        if response is None:
            yield from self._enqueue_all(sent)
            return
        errors = _errors_by_producer_id(response)
        for transaction, partitions in sent.items():
            results = errors.get(transaction.pending.producer_id, {})
            yield from self._handle_results(transaction, partitions, results)

    def _handle_results(
        self,
        transaction: _Transaction,
        partitions: list[TopicPartition],
        results: dict[TopicPartition, ErrorCode],
    ) -> Slices[None]:
        is_stopped = False
        retried = set()
        for key in partitions:
            if not self._is_current(transaction):
                return
            error = results.get(key, ErrorCode.UNKNOWN_SERVER_ERROR)
            if error in _DONE:
                self._marker_written(transaction, key)
            elif error in _RETRIED:
                retried.add(key)
            else:
                is_stopped = True
                level = logging.INFO if error in _FENCED else logging.ERROR
                log.log(
                    level,
                    "transactional id %s: %s refuses the marker with %s; no more are sent",
                    *(transaction.pending.transactional_id, key, error.name),
                )
            yield None
        if is_stopped and self._is_current(transaction):
            self._stop(transaction)
        elif retried:
            yield from self._retry(transaction, retried)

    def _retry(self, transaction: _Transaction, partitions: set[TopicPartition]) -> Slices[None]:
        """Send markers again: at once if they were refused for the first time."""
        again = partitions & transaction.refused
        transaction.refused |= partitions
        if again:
            retry = partial(self._enqueue_later, {transaction: sorted(again)})
            schedule_once(self._node.timer, retry, delay_ms=RETRY_BACKOFF_MS)
        yield from self._enqueue(transaction, sorted(partitions - again))

    def _marker_written(self, transaction: _Transaction, key: TopicPartition) -> None:
        pending = transaction.pending
        transaction.remaining -= 1
        if not transaction.remaining:
            del self._transactions[pending.transactional_id]
        self._call_back(self._coordinator().marker_written, pending, key)

    def _stop(self, transaction: _Transaction) -> None:
        """Forget all other markers of a transaction, of which one was refused for good."""
        pending = transaction.pending
        del self._transactions[pending.transactional_id]
        for queue in (*self._queues.values(), self._without_leader):
            queue.pop(transaction, None)
        self._call_back(self._coordinator().markers_stopped, pending)

    def _call_back(
        self, callback: Callable[..., None], pending: PendingMarkers, *of_partition: TopicPartition
    ) -> None:
        """Pass a result to the coordinator; its exception affects no other transaction."""
        result = pending.transactional_id, pending.coordinator_epoch, *of_partition
        what = f"transactional id {pending.transactional_id}"
        call_back(self._node, what, partial(callback, *result))


def _taken(queue: _Queue) -> _Sent:
    """Remove the first markers of a queue, at most `MARKERS_PER_REQUEST_MAX`."""
    taken: _Sent = {}
    left = MARKERS_PER_REQUEST_MAX
    while queue and left:
        transaction = next(iter(queue))
        partitions = queue.pop(transaction)
        first = taken[transaction] = [
            partitions.popleft() for _ in range(min(left, len(partitions)))
        ]
        if partitions:
            queue[transaction] = partitions
        left -= len(first)
    return taken


def _marker(pending: PendingMarkers, partitions: Iterable[TopicPartition]) -> WritableTxnMarker:
    return WritableTxnMarker(
        producer_id=pending.producer_id,
        producer_epoch=pending.producer_epoch,
        transaction_result=pending.commit,
        topics=[
            WritableTxnMarkerTopic(name=name, partition_indexes=indexes)
            for name, indexes in by_topic(sorted(partitions)).items()
        ],
        coordinator_epoch=pending.coordinator_epoch,
        transaction_version=pending.transaction_version,
    )


def _errors_by_producer_id(
    response: WriteTxnMarkersResponse,
) -> dict[int, dict[TopicPartition, ErrorCode]]:
    errors: dict[int, dict[TopicPartition, ErrorCode]] = {}
    for marker in response.markers:
        of_producer = errors.setdefault(marker.producer_id, {})
        for topic in marker.topics:
            for each in topic.partitions:
                key = TopicPartition(topic.name, each.partition_index)
                of_producer[key] = ErrorCode(each.error_code)
    return errors
