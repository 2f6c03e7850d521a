"""A node's channel to the controller, which tests can delay or make fail.

In Kafka these are requests over the network with asynchronous responses. Here the response usually
comes on the caller's stack, so callers must support both.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.alter_partition import AlterPartition
from broker.controller.controller import Controller
from broker.controller.image import PartitionRegistration

OnResponse = Callable[[PartitionRegistration | ApiError], None]
Response = TypeVar("Response")


class ControllerChannel:
    """Sends requests to *controller* on behalf of one node."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._held: deque[Callable[[], None]] | None = None
        self._refusals: deque[ApiError] = deque()

    def alter_partition(self, change: AlterPartition, on_response: OnResponse) -> None:
        """Request another ISR for a partition."""
        self._send(partial(self._controller.alter_partition, change), on_response)

    def allocate_producer_ids(self, on_response: Callable[[range | ApiError], None]) -> None:
        """Request a block of producer ids (Kafka's AllocateProducerIds)."""
        self._send(self._controller.allocate_producer_ids, on_response)

    def _send(
        self,
        request: Callable[[], Response],
        on_response: Callable[[Response | ApiError], None],
    ) -> None:
        if self._held is not None:
            self._held.append(partial(self._send, request, on_response))
            return
        if self._refusals:
            on_response(self._refusals.popleft())
            return
        try:
            response = request()
        except ApiError as error:
            on_response(error)
        else:
            on_response(response)

    def replicas_failed(self, node_id: int, keys: Iterable[TopicPartition]) -> None:
        """Report that a node's disk with these partitions has failed."""
        self._controller.replicas_failed(node_id, keys)

    def hold(self) -> None:
        """Delay requests from now on."""
        if self._held is None:
            self._held = deque()

    def release(self) -> None:
        """Send the delayed requests in order, and delay no more."""
        held, self._held = self._held or deque(), None
        for send in held:
            send()

    def drop_held(self) -> None:
        """Drop the delayed requests: they are never sent and get no response."""
        if self._held is not None:
            self._held.clear()

    def refuse_next(self, error: ApiError) -> None:
        """Respond to the next request with *error*."""
        self._refusals.append(error)
