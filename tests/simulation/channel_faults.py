"""Faults of a node's channel to the controller.

request --[held]--> the controller decides --[held | lost]--> response
    |--> refused, or failed with unknown outcome: the controller does not get it
    `--> repeated: it arrives again later (a request is sent again when its response is late)

A change that the controller has got is not refused: the partition has a newer epoch then, which the
controller compares before it checks the replicas (`validate_alter_partition`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.links.channel import ControllerChannel, OnResponse
from broker.controller.partitions.alter_partition import AlterPartition
from protocol.errors import ErrorCode

_OPEN = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
_REFUSED = ApiError(ErrorCode.INELIGIBLE_REPLICA)

ChannelFault = Callable[[AlterPartition, OnResponse], None]


class ChannelFaults:
    """Wraps a node's channel to the controller."""

    def __init__(self, channel: ControllerChannel) -> None:
        self._channel_send = channel.alter_partition
        # Partitions and their epochs: a leader sends another change of the same epoch only if the
        # controller has refused the previous one.
        self._received: set[tuple[TopicPartition, int]] = set()
        self._pending_faults: deque[ChannelFault] = deque()
        self._held_requests: list[tuple[AlterPartition, OnResponse]] | None = None
        self._held_responses: list[Callable[[], None]] | None = None
        self._repeats: list[AlterPartition] = []
        channel.alter_partition = self._alter_partition  # type: ignore[method-assign]  # a wrapper

    @property
    def is_disturbed(self) -> bool:
        """Whether the next request may not get its normal response."""
        return (
            bool(self._pending_faults)
            or self._held_requests is not None
            or self._held_responses is not None
        )

    def apply(self, kind: str) -> None:
        """Apply a fault of the channel; see `Faults`."""
        if kind == "refuse":
            self._pending_faults.append(self._refuse)
        elif kind == "fail unknown":
            self._pending_faults.append(lambda _, on_response: on_response(_OPEN))
        elif kind == "lose response":
            self._pending_faults.append(
                lambda change, on_response: self._send(change, lambda _: on_response(_OPEN))
            )
        elif kind == "repeat":
            self._pending_faults.append(self._and_repeat)
        elif kind == "hold requests":
            self._held_requests = self._held_requests or []
        elif kind == "hold responses":
            self._held_responses = self._held_responses or []
        else:
            assert kind == "restore channel"
            self.restore()

    def restore(self) -> None:
        """Send the held requests and responses, and remove the pending faults."""
        self._pending_faults.clear()
        repeats, self._repeats = self._repeats, []
        requests, self._held_requests = self._held_requests or [], None
        responses, self._held_responses = self._held_responses or [], None
        for change in repeats:
            self._send(change, _unheard)
        for change, on_response in requests:
            self._send(change, on_response)
        for late in responses:
            late()

    def _alter_partition(self, change: AlterPartition, on_response: OnResponse) -> None:
        if self._held_requests is not None:
            self._held_requests.append((change, on_response))
        elif self._pending_faults:
            self._pending_faults.popleft()(change, on_response)
        elif self._held_responses is not None:
            self._send(change, partial(self._keep, self._held_responses, on_response))
        else:
            self._send(change, on_response)

    def _send(self, change: AlterPartition, on_response: OnResponse) -> None:
        self._received.add((change.key, change.partition_epoch))
        self._channel_send(change, on_response)

    def _refuse(self, change: AlterPartition, on_response: OnResponse) -> None:
        if (change.key, change.partition_epoch) in self._received:
            self._send(change, on_response)
        else:
            on_response(_REFUSED)

    def _and_repeat(self, change: AlterPartition, on_response: OnResponse) -> None:
        self._repeats.append(change)
        self._send(change, on_response)

    @staticmethod
    def _keep(late: list[Callable[[], None]], on_response: OnResponse, result: Any) -> None:
        late.append(partial(on_response, result))


def _unheard(_result: object) -> None:
    """Ignore the response."""
