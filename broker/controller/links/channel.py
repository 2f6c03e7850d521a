"""A node's channel to the controller: tests can delay it, and fault rules delay it or make it fail.

In Kafka these are requests over the network with asynchronous responses. Here the response usually
comes on the caller's stack, so callers must support both. While a rule concerns the link between
the node and the controller, each request and each response is a message of that link.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.controller import Controller
from broker.controller.links.controller_request import ControllerLink, ControllerRequest
from broker.controller.metadata.image import PartitionRegistration
from broker.controller.partitions.alter_partition import AlterPartition
from broker.links.direction import Carried

OnResponse = Callable[[PartitionRegistration | ApiError], None]
Response = TypeVar("Response")


class ControllerChannel:
    """Sends requests to *controller* on behalf of one node; without a *link* no rule affects it."""

    def __init__(self, controller: Controller, link: ControllerLink | None = None) -> None:
        self._controller = controller
        self._link = link
        self._requests: set[ControllerRequest[Any]] = set()
        self._is_closed = False
        self._held: deque[Callable[[], None]] | None = None

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
        if self._link is not None and self._link.is_faulty:
            self._send_over(self._link, request, on_response)
            return
        on_response(_response(request))

    def _send_over(
        self,
        link: ControllerLink,
        request: Callable[[], Response],
        on_response: Callable[[Response | ApiError], None],
    ) -> None:
        """Send a request over a link with faults."""

        def respond(response: Response | ApiError) -> None:
            self._requests.discard(sent)
            on_response(response)

        sent = ControllerRequest(link, lambda: _response(request), respond)
        self._requests.add(sent)
        sent.send()

    def replicas_failed(self, node_id: int, keys: Iterable[TopicPartition]) -> None:
        """Report that a node's disk with these partitions has failed.

        Kafka's heartbeats repeat this, so it is not lost.
        """
        report = partial(self._report_failed, node_id, list(keys))
        if self._link is None or self._link.outgoing.carry_unless_cut(Carried(report)):
            report()

    def _report_failed(self, node_id: int, keys: Iterable[TopicPartition]) -> None:
        if not self._is_closed:
            self._controller.replicas_failed(node_id, keys)

    def close(self) -> None:
        """Drop the requests that have no response: the node has stopped."""
        self._is_closed = True
        requests, self._requests = self._requests, set()
        for sent in requests:
            sent.cancel()

    def hold(self) -> None:
        """Delay requests from now on."""
        if self._held is None:
            self._held = deque()

    def release(self) -> None:
        """Send the delayed requests in order, and delay no more."""
        held, self._held = self._held or deque(), None
        for send in held:
            send()


def _response(request: Callable[[], Response]) -> Response | ApiError:
    """What the controller responds."""
    try:
        return request()
    except ApiError as error:
        return error
