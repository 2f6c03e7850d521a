"""A connection that records what is done with its requests."""

from __future__ import annotations

from collections.abc import Callable

from broker.api.request import Authenticator
from broker.common.errors import Refused
from broker.network.clients.connected_client import ConnectedClient
from broker.network.clients.in_progress import InProgress
from broker.quotas.throttle import Throttle
from protocol.codec import Malformed, Output


class FakeSink:
    """A `broker.api.request.ResponseSink`; ``frames`` are the responses (None: without bytes)."""

    def __init__(self) -> None:
        self.authenticator: Authenticator | None = None
        self.in_progress: InProgress | None = None
        self.is_closed = False
        self.free_ms = 0.0
        self.client = ConnectedClient()
        self.frames: list[bytes | None] = []
        self.refusals: list[str] = []
        self.muted_ms: list[int] = []
        self.on_sent: Callable[[], object] | None = None

    def respond(
        self, request: InProgress, out: Output | None, on_sent: Callable[[], object] | None
    ) -> None:
        """End the request in progress."""
        assert self.in_progress is request
        self.in_progress = None
        self.frames.append(None if out is None else out.joined())
        self.on_sent = on_sent

    def refuse(self, reason: Malformed | Refused) -> None:
        """Close the connection."""
        self.refusals.append(str(reason))
        self.is_closed = True

    def drop(self, reason: Refused) -> None:
        """Close the connection."""
        self.refuse(reason)

    def send_piece(self, piece: bytes) -> None:
        """Record the piece."""
        self.frames.append(piece)

    def mute(self, throttle: Throttle) -> None:
        """Record the time."""
        self.muted_ms.append(throttle.time_ms)

    def resume(self) -> None:
        """Do nothing."""

    def keep_frame(self, size_bytes: int) -> bool:
        """The bytes need not be copied."""
        return True
