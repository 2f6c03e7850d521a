"""One request in progress: what came, where it came from, and the way its answer goes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from broker.waits.record import WaitRecord
from protocol.headers import RequestHeader
from purgatories.delayed_operation import DelayedOperation

if TYPE_CHECKING:
    from broker.node import Node

Body = TypeVar("Body")


class ResponseSink(Protocol):
    """Where answers go: the connection the request came by."""

    def complete(self, request: Request[Any], response: object | None) -> None:
        """Send the answer; None sends nothing but lets the next request proceed."""
        ...

    def mute(self, throttle_ms: int) -> None:
        """Let requests to come wait for so long."""
        ...


class Request(Generic[Body]):
    """A decoded request.

    A handler either returns the response, or parks the request and sees to it that `respond` is
    called exactly once, later. Memoryviews in ``body`` are valid until the handler returns.
    ``arrived_ms`` is when it had been read, by the node's monotonic clock, ``size_bytes`` what came
    with its header.
    """

    __slots__ = (
        "arrived_ms",
        "body",
        "client_host",
        "header",
        "node",
        "on_disconnect",
        "operation",
        "record",
        "sink",
        "size_bytes",
        "version",
    )

    def __init__(
        self,
        header: RequestHeader,
        body: Body,
        node: Node,
        sink: ResponseSink,
        client_host: str,
        arrived_ms: float = 0,
        size_bytes: int = 0,
    ) -> None:
        self.header = header
        self.body = body
        self.node = node
        self.sink = sink
        self.client_host = client_host
        self.version = header.api_version
        self.arrived_ms = arrived_ms
        self.size_bytes = size_bytes
        self.record: WaitRecord | None = None  # if requests are recorded
        # What the request waits for, while it is parked in a purgatory of partitions.
        self.operation: DelayedOperation | None = None
        # Called if the client goes away while the request is parked: whoever parked it cleans up.
        self.on_disconnect: Callable[[], object] | None = None

    @property
    def client_id(self) -> str | None:
        """The name the client gives itself."""
        return self.header.client_id

    def park(self, operation: DelayedOperation) -> None:
        """Let the request wait for *operation*, which answers it, or for its client to leave."""
        self.operation = operation
        self.on_disconnect = operation.abandon

    def throttle(self, throttle_ms: int) -> None:
        """Begin no other request of this client until that time is over (KIP-219)."""
        self.sink.mute(throttle_ms)

    def respond(self, response: object | None) -> None:
        """Answer; None for a request that has no answer (acks=0)."""
        self.sink.complete(self, response)
