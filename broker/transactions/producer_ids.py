"""The producer ids of a node, in blocks from the controller (``RPCProducerIdManager``; KIP-730)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from broker.common.errors import ApiError
from broker.steps.schedule import schedule_once
from protocol.errors import ErrorCode
from purgatories.timer.system_timer import SystemTimer

# The part of a block after which the next one is requested.
_PREFETCH_THRESHOLD = 0.9
_RETRY_BACKOFF_MS = 50


class ProducerIdAllocator(Protocol):
    """The part of the channel to the controller that is used here."""

    def allocate_producer_ids(self, on_response: Callable[[range | ApiError], None]) -> None:
        """Request a block of producer ids."""
        ...


class ProducerIdManager:
    """Producer ids that no node has returned before.

    The response of the controller may arrive during the request or later.
    """

    def __init__(self, allocator: ProducerIdAllocator, timer: SystemTimer) -> None:
        self._allocator = allocator
        self._timer = timer
        self._block = range(0)
        self._next_block: range | None = None
        self._prefetch_at = -1
        self._is_requested = False

    def generate(self) -> int:
        """A new producer id.

        Raises `ApiError` COORDINATOR_LOAD_IN_PROGRESS if the node has none, as Kafka does because
        older clients do not retry after REQUEST_TIMED_OUT.
        """
        if not self._block:
            self._request()
            self._use_next_block()
        producer_id, self._block = self._block[0], self._block[1:]
        if producer_id == self._prefetch_at:
            self._request()
        return producer_id

    def _use_next_block(self) -> None:
        if self._next_block is None:
            raise ApiError(
                ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
                "Producer ID block is full. Waiting for next block",
            )
        block, self._next_block = self._next_block, None
        self._block = block
        self._prefetch_at = block[int(len(block) * _PREFETCH_THRESHOLD)]

    def _request(self) -> None:
        if self._next_block is None and not self._is_requested:
            self._is_requested = True
            self._allocator.allocate_producer_ids(self._on_response)

    def _on_response(self, response: range | ApiError) -> None:
        if isinstance(response, ApiError):
            # Until then no other request is sent.
            schedule_once(self._timer, self._may_request, delay_ms=_RETRY_BACKOFF_MS)
            return
        assert response
        self._next_block = response
        self._is_requested = False

    def _may_request(self) -> None:
        self._is_requested = False
