"""The request in progress of a connection, as the connection uses it."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol


class CloseReason(StrEnum):
    """Why a connection was closed.

    `broker.api.request_channel` translates it to the cause of a wait record (`CauseKind`, which has
    more members), because `broker.network` does not import `broker.wait_records`.
    """

    DISCONNECT = "disconnect"
    ERROR = "error"
    SHUTDOWN = "shutdown"


class InProgress(Protocol):
    """A request that was dispatched and has no response yet.

    It ends with `broker.network.clients.connection.Connection.respond`, or with `abandon`.
    """

    @property
    def is_computed(self) -> bool:
        """Whether a disconnect is to be noticed only after the computation that is under way."""
        ...

    def abandon(self, reason: CloseReason) -> None:
        """End the request without a response; its connection was closed for *reason*."""
        ...
