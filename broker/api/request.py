"""One request in progress: its body, its client, and the ways to respond to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeVar

from broker.api.outcome import NO_RESPONSE, PARKED, Outcome
from broker.api.services import Services
from broker.common.errors import ApiError, Refused
from broker.faults.request_fault import RequestFault
from broker.network.clients.connected_client import ConnectedClient
from broker.network.clients.in_progress import CloseReason, InProgress
from broker.quotas.handling_time import HandlingTime
from broker.quotas.throttle import Throttle
from broker.security.session import ANONYMOUS_SESSION, Session
from broker.steps.offload import Job
from broker.steps.offload import Outcome as OffloadOutcome
from broker.wait_records.observer import RequestObserver
from broker.wait_records.wait import Wait
from protocol.codec import Malformed, Output
from protocol.errors import ErrorCode
from protocol.headers import RequestHeader
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from purgatories.delayed_operation import DelayedOperation

_PRODUCE_KEY: Final = 0

Body = TypeVar("Body")
Result = TypeVar("Result")


class Authenticator(Protocol):
    """The SASL login of a connection (`broker.api.authentication.sasl_connection`)."""

    @property
    def expects_token(self) -> bool:
        """Whether a login is in progress."""
        ...

    def versions_sent(self) -> None:
        """Expect a handshake next: the client has the versions of the APIs."""
        ...

    def handshake(self, request: Request[SaslHandshakeRequest]) -> SaslHandshakeResponse | Outcome:
        """Begin a login."""
        ...

    def authenticate(
        self, request: Request[SaslAuthenticateRequest]
    ) -> SaslAuthenticateResponse | Outcome:
        """Process a token."""
        ...

    def illegal_state(self, request: Request[Any]) -> Outcome:
        """Refuse a request that is not possible during a login."""
        ...


class ResponseSink(Protocol):
    """The connection of a request (`broker.network.clients.connection.Connection`)."""

    authenticator: Authenticator | None
    in_progress: InProgress | None
    is_closed: bool
    free_ms: float
    client: ConnectedClient

    def respond(
        self, request: InProgress, out: Output | None, on_sent: Callable[[], object] | None
    ) -> None:
        """End the request in progress with the encoded response (None: it has none)."""
        ...

    def refuse(self, reason: Malformed | Refused) -> None:
        """Close the connection because of what the client has sent."""
        ...

    def drop(self, reason: Refused) -> None:
        """Close the connection after the responses that the socket takes now."""
        ...

    def send_piece(self, piece: bytes) -> None:
        """Send a piece of the response to the request in progress; not in dispatch."""
        ...

    def mute(self, throttle: Throttle) -> None:
        """Begin no request for its time."""
        ...

    def resume(self) -> None:
        """Continue to read: the request in progress is no longer computed."""
        ...

    def keep_frame(self, size_bytes: int) -> bool:
        """Keep the memory of the request in progress; False if it must be copied."""
        ...


class Continuation(Protocol):
    """The later slices of a request (`broker.api.long_request.LongRequest`)."""

    def abandon(self) -> object:
        """Run no more slices."""
        ...


class Resume(Protocol):
    """Continues a request after its handler has returned (`Dispatcher.resume`)."""

    def __call__(
        self, request: Request[Any], step: Callable[[Result], object], given: Result, /
    ) -> None:
        """Run *step*, the rest of the handler, with *given*."""
        ...


class Request(Generic[Body]):
    """A decoded request.

    A handler returns the response, or an `Outcome`. One that returns `PARKED` ensures that
    `respond` is called exactly once. A handler that loops over items of the request is a generator
    function that yields between them, so that long work runs in slices (`broker.api.long_request`).
    Memoryviews in ``body`` are valid until the handler returns or yields.
    ``services`` are the parts of the node that handlers use; ``session`` is the client.
    ``arrived_ms`` is the time, on the node's monotonic clock, at which the whole request had been
    read; ``size_bytes`` includes its header.
    """

    __slots__ = (
        "arrived_ms",
        "body",
        "client_host",
        "encoded",
        "fault",
        "handling_time",
        "header",
        "job",
        "observer",
        "on_disconnect",
        "resume",
        "services",
        "session",
        "sink",
        "size_bytes",
        "throttled",
        "version",
        "wait",
    )

    def __init__(
        self,
        header: RequestHeader,
        body: Body,
        services: Services,
        resume: Resume,
        sink: ResponseSink,
        client_host: str,
        arrived_ms: float = 0,
        size_bytes: int = 0,
        session: Session = ANONYMOUS_SESSION,
    ) -> None:
        self.header = header
        self.body = body
        self.services = services
        self.resume = resume
        self.sink = sink
        self.client_host = client_host
        self.version = header.api_version
        self.arrived_ms = arrived_ms
        self.size_bytes = size_bytes
        self.session = session
        self.observer: RequestObserver | None = None  # if requests are recorded
        self.wait: Wait | None = None  # while the request is parked
        # Called if the client disconnects while the request is parked.
        self.on_disconnect: Callable[[], object] | None = None
        # The fault rules that act on the response.
        self.fault: RequestFault | None = None
        # The computation in a worker thread that the request waits for, or its own next slices.
        self.job: Job[Any] | Continuation | None = None
        # The frame of the response, if that has been encoded already.
        self.encoded: Output | None = None
        self.handling_time: HandlingTime | None = None  # if any client has a quota for it
        self.throttled: Throttle | None = None  # if the client has exceeded a quota

    @property
    def client_id(self) -> str | None:
        """The client's name for itself, from the request header."""
        return self.header.client_id

    @property
    def is_computed(self) -> bool:
        """Whether a disconnect is detected only after the computation in progress.

        A worker thread runs it, or it is a Produce, of which Kafka appends all batches; or the
        connection is half-open.
        """
        job = self.job
        if job is None:
            return self.wait is not None and self.wait.stops_reading
        return isinstance(job, Job) or self.header.api_key == _PRODUCE_KEY

    @property
    def is_in_steps(self) -> bool:
        """Whether its work goes on, in slices or in a worker thread, so that it does not wait."""
        return self.job is not None and (self.wait is None or not self.wait.is_within_work)

    def park(self, operation: DelayedOperation, wait: Wait) -> None:
        """Wait for *operation*, which responds; *wait* describes it.

        A disconnect abandons the operation.
        """
        self.wait = wait
        self.on_disconnect = operation.abandon
        operation.on_error = self.failed

    def keep(self) -> bool:
        """Keep the memoryviews in ``body`` valid until the response; False if that is impossible.

        Then they are in a small buffer that all connections share, and must be copied.
        """
        return self.sink.keep_frame(self.size_bytes)

    def offload(self, work: Callable[[], Result], step: Callable[[Result], object]) -> Outcome:
        """Run *work*, a pure function, in a worker thread, and then *step* on the loop.

        *step* is the rest of the handler, and returns what a handler returns. The connection is not
        read meanwhile, so that a disconnect is detected after *step*, as in Kafka; the end of the
        node abandons both. The memory that *work* reads must be kept (`keep`).
        """

        def resume(outcome: OffloadOutcome[Result]) -> None:
            self.job = self.on_disconnect = None
            self.resume(self, rest, outcome)

        def rest(outcome: OffloadOutcome[Result]) -> object:
            return step(outcome.result())

        if self.handling_time is not None:
            work = self.handling_time.measured(work)
        job = self.services.offload.run(work, resume)
        if job.is_pending:
            self.job, self.on_disconnect = job, job.abandon
        return PARKED

    def throttle(self, throttle: Throttle) -> None:
        """Begin no other request of this connection for the time of *throttle* (KIP-219).

        The time begins with the response; the longest one applies.
        """
        if self.throttled is None or throttle.time_ms > self.throttled.time_ms:
            self.throttled = throttle

    def respond(self, response: object) -> None:
        """Send the response, or complete the request without one (`NO_RESPONSE`)."""
        assert response is not None, "a handler returns an explicit outcome"
        assert response is not PARKED
        self.services.request_channel.send_response(
            self, None if response is NO_RESPONSE else response
        )

    def abandon(self, reason: CloseReason) -> None:
        """End the request without a response: its connection was closed."""
        on_disconnect, self.on_disconnect = self.on_disconnect, None
        if on_disconnect is not None:
            on_disconnect()
        self.services.request_channel.abandoned(self, reason)

    def attempt(self, work: Callable[..., Result], *arguments: object) -> Result | None:
        """Call *work*, which is a part of the request's work, and return its result.

        An exception ends the request with an error response, and is not raised to the caller.
        """
        try:
            return work(*arguments)
        except Exception as error:
            self.failed(error)
            return None

    def failed(self, error: Exception) -> None:
        """Respond with UNKNOWN_SERVER_ERROR after an exception in the request's work.

        An `ApiError` refuses the request as a whole, `Refused` and `Malformed` close the
        connection. Raises any other *error* in strict mode.
        """
        if isinstance(error, ApiError):
            self.services.request_channel.send_error(self, error.code, error.message)
            return
        if isinstance(error, Refused | Malformed):
            self.sink.refuse(error)
            return
        self.services.unexpected_errors.in_request(self, error)
        self.services.request_channel.send_error(self, ErrorCode.UNKNOWN_SERVER_ERROR)
