"""Sends the calls of a node's persister to share coordinators (``DefaultStatePersister``).

    read, write ... --> coordinator of the share partition --> queue of its node --> request
                          ^             `- none --> waits for other metadata            |
                          |                                                             v
                          `-- moved, loading, disconnected: after a back-off ------- result

A request has the calls of one kind and group that are queued one after the other. A call about a
share partition begins when the one before it has its result, so that they take effect in their
order: a write that is sent again would otherwise replace the start offset of a later one. Writes
that wait become one (`broker.share_coordinator.joined_writes`). Kafka's ``PersisterStateManager``.

Deviations: Kafka sends later calls while an earlier one waits for its back-off. It asks a node for
the coordinator with FindCoordinator, has a request of each kind in flight, and adds a random time
to its back-off; here the coordinator comes from the node's metadata, as that of markers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from broker.common.errors import ApiError
from broker.controller.metadata.image import SHARE_GROUP_STATE_TOPIC, Broker, MetadataImage
from broker.coordinators.inter_broker_sender import (
    InterBrokerRequest,
    InterBrokerSender,
    SenderParts,
    call_back,
)
from broker.coordinators.retry_backoff import RETRIES_MAX, backoff_ms
from broker.share.persister import PersisterResult, ReadResult, StateWrite, SummaryResult
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.joined_writes import next_call
from broker.share_coordinator.persister_calls import (
    CALLS_PER_REQUEST_MAX,
    DELETE,
    INITIALIZE,
    READ,
    READ_SUMMARY,
    WRITE,
    Call,
    results,
)
from broker.steps.queue import Slices, finish
from broker.steps.schedule import schedule_once
from protocol.errors import ErrorCode

_RETRIED: Final = frozenset(
    {
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
)


class NetworkPersister:
    """The `Persister` of a node; *ensure_topic* creates ``__share_group_state``.

    *coordinator* returns the coordinator of a share partition, or raises `ApiError`.

    Callbacks are called by the event loop, and the action queue runs after them.
    """

    def __init__(
        self,
        parts: SenderParts,
        image: Callable[[], MetadataImage],
        coordinator: Callable[[str], Broker],
        ensure_topic: Callable[[], object],
    ) -> None:
        self._node = parts.node
        self._actions = parts.actions
        self._image = image
        self._coordinator = coordinator
        self._ensure_topic = ensure_topic
        # The calls that wait for an earlier one about the same share partition.
        self._later: dict[SharePartitionKey, deque[Call]] = {}
        self._queues: dict[int, deque[Call]] = {}
        self._without_coordinator: list[Call] = []
        self._sender = InterBrokerSender("persister", parts, self._next_request)

    async def run(self) -> None:
        """Send requests until cancelled."""
        await self._sender.run()

    # -------------------------------------------------------------------------------- calls

    def initialize(
        self,
        key: SharePartitionKey,
        state_epoch: int,
        start_offset: int,
        done: Callable[[PersisterResult], None],
    ) -> None:
        """See `Persister`."""
        self._begin(Call(INITIALIZE, key, (state_epoch, start_offset), (done,)))

    def read(
        self, key: SharePartitionKey, leader_epoch: int, done: Callable[[ReadResult], None]
    ) -> None:
        """See `Persister`."""
        self._begin(Call(READ, key, leader_epoch, (done,)))

    def write(
        self, key: SharePartitionKey, change: StateWrite, done: Callable[[PersisterResult], None]
    ) -> None:
        """See `Persister`."""
        self._begin(Call(WRITE, key, change, (done,)))

    def delete(self, key: SharePartitionKey, done: Callable[[PersisterResult], None]) -> None:
        """See `Persister`."""
        self._begin(Call(DELETE, key, None, (done,)))

    def read_summary(
        self, key: SharePartitionKey, leader_epoch: int, done: Callable[[SummaryResult], None]
    ) -> None:
        """See `Persister`."""
        self._begin(Call(READ_SUMMARY, key, leader_epoch, (done,)))

    # -------------------------------------------------------------------------------- order

    def _begin(self, call: Call) -> None:
        """Queue a call when those before it about the same share partition have ended."""
        later = self._later.get(call.key)
        if later is None:
            self._later[call.key] = deque()
            self._enqueue(call)
        else:
            later.append(call)

    def _end(self, call: Call, result: PersisterResult) -> Slices[None]:
        """Begin the next call about the same share partition, and call back."""
        later = self._later[call.key]
        if later:
            self._enqueue(next_call(later))
        else:
            del self._later[call.key]
        for callback in call.callbacks:
            call_back(self._node, f"share partition {call.key}", partial(callback, result))
            yield None

    # ------------------------------------------------------------------------------- queues

    def _enqueue(self, call: Call) -> None:
        """Queue a call for the coordinator of its share partition, or wait for one."""
        if self._is_enqueued(call):
            return
        self._without_coordinator.append(call)
        schedule_once(
            self._node.timer, partial(self._stop_waiting, call), delay_ms=backoff_ms(call.retries)
        )
        if self._image().topic(SHARE_GROUP_STATE_TOPIC) is None:
            self._ensure_topic()

    def _is_enqueued(self, call: Call) -> bool:
        """Queue a call, unless its share partition has no coordinator."""
        try:
            node_id = self._coordinator(str(call.key)).node_id
        except ApiError:
            return False
        self._queues.setdefault(node_id, deque()).append(call)
        self._sender.wake(node_id)
        return True

    def metadata_changed(self) -> None:
        """Queue the calls whose share partitions had no coordinator, if they have one now."""
        if self._without_coordinator:
            waiting, self._without_coordinator = self._without_coordinator, []
            self._without_coordinator += [each for each in waiting if not self._is_enqueued(each)]

    def _stop_waiting(self, call: Call) -> None:
        """Retry a call without a coordinator after its back-off, unless it was queued before."""
        if call in self._without_coordinator:
            self._without_coordinator.remove(call)
            if self._may_retry(call, ErrorCode.COORDINATOR_NOT_AVAILABLE):
                self._enqueue(call)
            self._actions.try_complete_actions()

    def _next_request(self, node_id: int) -> InterBrokerRequest | None:
        """The first calls of a queue that one request can have."""
        calls = _taken(self._queues.get(node_id, deque()))
        if not calls:
            return None
        body = calls[0].kind.request(calls[0].key.group_id, calls)
        return InterBrokerRequest(body, partial(self._on_response, calls))

    # ----------------------------------------------------------------------------- responses

    def _on_response(self, calls: Sequence[Call], response: Any | None) -> Slices[None]:
        by_partition = {} if response is None else results(calls[0].kind, response)
        for call in calls:
            result = by_partition.get((call.key.topic_id.int, call.key.partition))
            if result is None:
                self._retry(call, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            elif result.error in _RETRIED:
                self._retry(call, result.error)
            else:
                yield from self._end(call, result)

    def _retry(self, call: Call, error: ErrorCode) -> None:
        """Send a call again after a back-off, or call back with *error*."""
        delay_ms = backoff_ms(call.retries)
        if self._may_retry(call, error):
            again = partial(self._enqueue_again, call)
            schedule_once(self._node.timer, again, delay_ms=delay_ms)

    def _enqueue_again(self, call: Call) -> None:
        self._enqueue(call)
        self._actions.try_complete_actions()

    def _may_retry(self, call: Call, error: ErrorCode) -> bool:
        """Count a retry; a call without further ones is called back with *error*."""
        if call.retries == RETRIES_MAX:
            finish(self._end(call, call.kind.refused(error=error)))
            return False
        call.retries += 1
        return True


def _taken(queue: deque[Call]) -> list[Call]:
    """Remove the first calls of a queue that are of one kind and about one group.

    No two of them are about the same share partition, because a response has one result for it.
    """
    taken: list[Call] = []
    keys: set[SharePartitionKey] = set()
    count = 0
    while queue and count < CALLS_PER_REQUEST_MAX:
        call = queue[0]
        is_other = bool(taken) and (
            call.kind is not taken[0].kind or call.key.group_id != taken[0].key.group_id
        )
        if is_other or call.key in keys:
            break
        keys.add(call.key)
        count += len(call.callbacks)
        taken.append(queue.popleft())
    return taken
