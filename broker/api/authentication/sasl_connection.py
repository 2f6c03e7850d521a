"""The login of one connection: which requests it may send, and the responses to its tokens.

    frame --> SaslConnection.login --> the dispatcher of the state --> handler --+
                    ^                                                            |
                    `---- SaslConnection.handshake, .authenticate <--------------'
                                  | complete
                                  v
              connection.dispatch = the node's dispatcher, or .session if the session ends

A login that fails gets its response, and the end of the connection, after
``connection.failed.authentication.delay.ms``; until then no other frame is served.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from broker.api.authentication.failed_authentication import (
    FailedAuthenticationWait,
    FailedRawToken,
)
from broker.api.authentication.key_refresh import KeyRefresh, RefreshTimes
from broker.api.authentication.tables import HANDSHAKE_APIS, INITIAL_APIS, TOKEN_APIS
from broker.api.dispatch import Dispatcher
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.api.services import Services
from broker.common.clock import Clock
from broker.common.errors import Refused
from broker.network.clients.connection import Connection, Dispatch
from broker.security.sasl.authenticator import HandshakeOutcome, SaslAuthenticator, State
from broker.security.sasl.mechanism import AuthenticationFailed
from broker.security.sasl.settings import SaslSettings
from broker.steps.schedule import schedule_once
from protocol.codec import Output
from protocol.errors import ErrorCode
from protocol.frame_length import begin_frame
from protocol.framing import InvalidLength
from protocol.headers import PEEKED_BYTES, peek
from protocol.lazy_dataclass import dataclass
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

log = logging.getLogger("antechamber.authentication")

_HANDSHAKE_KEY = 17
_WRONG_REQUEST = "a request in place of a token"


@dataclass(frozen=True)
class SaslListener:
    """What the connections of a listener with SASL share.

    ``dispatcher`` serves the requests of clients that have logged in, of up to
    ``request_bytes_max`` bytes.
    """

    settings: SaslSettings
    dispatcher: Dispatcher
    timer: SystemTimer
    clock: Clock
    request_bytes_max: int

    @classmethod
    def of(
        cls, listener: str, services: Services, dispatcher: Dispatcher, timer: SystemTimer
    ) -> SaslListener:
        """A listener with the settings of a node; raises `StartupError`."""
        config, clock = services.config, services.clock
        settings = SaslSettings.of(config, listener, services.credentials, clock)
        if settings.keys is not None:
            times = RefreshTimes.of(config, listener)
            KeyRefresh(settings.keys, timer, services.offload, times)
        return cls(settings, dispatcher, timer, clock, config.socket_request_max_bytes)

    @cached_property
    def by_state(self) -> dict[State, Dispatcher]:
        """The dispatchers before a login and in its course."""
        return {
            state: self.dispatcher.with_apis(apis, "before the client has logged in")
            for state, apis in (
                (State.INITIAL, INITIAL_APIS),
                (State.HANDSHAKE, HANDSHAKE_APIS),
                (State.AUTHENTICATE, TOKEN_APIS),
            )
        }

    def begin(self, connection: Connection, frame: memoryview, arrived_ms: float) -> None:
        """Start the first request of a connection, and its login; see `Dispatcher`.

        Until then a connection costs nothing. It receives at most ``settings.receive_bytes_max``.
        """
        connection.authenticator = login = SaslConnection(self, connection)
        login.expect_tokens()
        login.login(connection, frame, arrived_ms)

    def refuse_length(self, connection: Connection, reason: InvalidLength) -> None:
        """Close a connection after a frame that is too large: in a login, after the delay."""
        login = connection.authenticator or SaslConnection(self, connection)
        login.refuse_length(reason)


class SaslConnection:
    """The login of *connection*, and later its re-authentications."""

    __slots__ = ("_connection", "_listener", "_state")

    def __init__(self, listener: SaslListener, connection: Connection) -> None:
        self._listener = listener
        self._connection = connection
        self._state = SaslAuthenticator(listener.settings, listener.clock)

    # ---------------------------------------------------------------------------- dispatch

    def expect_tokens(self) -> None:
        """Serve requests of a login, of up to ``settings.receive_bytes_max`` bytes."""
        limit = self._listener.settings.receive_bytes_max
        self._connection.continue_with(self.login, limit)

    def refuse_length(self, reason: InvalidLength) -> None:
        """See `SaslListener.refuse_length`."""
        if self._state.state is State.COMPLETE:
            self._connection.refuse(reason)
        else:
            self._close_after_delay(str(reason))

    def login(self, connection: Connection, frame: memoryview, arrived_ms: float) -> None:
        """Start a request, or use a token without a header; see `Dispatcher`."""
        state = self._state
        if state.state is State.AUTHENTICATE:
            if state.has_other_mechanism:
                self._close_after_delay("the session has another SASL mechanism")
                return
            if state.has_raw_tokens:
                self._raw_token(bytes(frame))
                return
        self._listener.by_state[state.state](connection, frame, arrived_ms)

    def session(self, connection: Connection, frame: memoryview, arrived_ms: float) -> None:
        """Start a request of a session that has a lifetime; see `Dispatcher`."""
        if self._state.has_expired and peek(bytes(frame[:PEEKED_BYTES]))[0] != _HANDSHAKE_KEY:
            raise Refused("the session has expired, and the client does not authenticate again")
        self._listener.dispatcher(connection, frame, arrived_ms)

    # ---------------------------------------------------------------------------- handlers

    @property
    def expects_token(self) -> bool:
        """Whether a login is in progress."""
        return self._state.state is State.AUTHENTICATE

    def versions_sent(self) -> None:
        """Expect a handshake next: the client has the versions of the APIs."""
        self._state.versions_sent()

    def handshake(self, request: Request[SaslHandshakeRequest]) -> SaslHandshakeResponse | Outcome:
        """Begin a login with the client's mechanism."""
        mechanism = request.body.mechanism
        mechanisms = list(self._listener.settings.mechanisms)
        outcome = self._state.handshake(mechanism, request.version)
        if outcome is HandshakeOutcome.ACCEPTED:
            self.expect_tokens()
            return SaslHandshakeResponse(error_code=ErrorCode.NONE, mechanisms=mechanisms)
        if outcome is HandshakeOutcome.ILLEGAL_STATE:
            return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE, mechanisms=[])
        if outcome is HandshakeOutcome.MECHANISM_NOT_ENABLED:
            raise Refused(f"the SASL mechanism {mechanism!r} is not enabled")
        response = SaslHandshakeResponse(
            error_code=ErrorCode.UNSUPPORTED_SASL_MECHANISM, mechanisms=mechanisms
        )
        reason = f"the SASL mechanism {mechanism!r} is not enabled"
        return self._fail(request, reason, partial(request.respond, response))

    def authenticate(
        self, request: Request[SaslAuthenticateRequest]
    ) -> SaslAuthenticateResponse | Outcome:
        """Process a token of the login in progress."""
        try:
            step = self._state.authenticate(bytes(request.body.auth_bytes))
        except AuthenticationFailed as failure:
            response = SaslAuthenticateResponse(
                error_code=ErrorCode.SASL_AUTHENTICATION_FAILED,
                error_message=failure.message,
                auth_bytes=b"",
            )
            return self._fail(request, failure.reason, partial(request.respond, response))
        self._begin_session()
        return SaslAuthenticateResponse(
            error_message="", auth_bytes=step.token, session_lifetime_ms=step.session_lifetime_ms
        )

    def illegal_state(self, request: Request[Any]) -> Outcome:
        """Refuse a request in place of a token with ILLEGAL_SASL_STATE."""
        channel = request.services.request_channel
        respond = partial(channel.send_error, request, ErrorCode.ILLEGAL_SASL_STATE)
        return self._fail(request, _WRONG_REQUEST, respond)

    # ------------------------------------------------------------------------------- steps

    def _raw_token(self, token: bytes) -> None:
        """Process a token without a header, and send the server's as a frame."""
        try:
            step = self._state.authenticate(token)
        except AuthenticationFailed as failure:
            self._close_after_delay(failure.reason)
            return
        self._begin_session()
        out = Output()
        begin_frame(out)
        out += step.token
        self._connection.send(out)

    def _begin_session(self) -> None:
        """Serve the client's requests, if the login is complete."""
        state, connection = self._state, self._connection
        if state.state is not State.COMPLETE:
            return
        login = state.login
        assert login is not None
        connection.session = replace(
            connection.session,
            principal=login.principal,
            is_token_authenticated=login.is_token_authenticated,
        )
        listener = self._listener
        dispatch: Dispatch = self.session if state.has_lifetime else listener.dispatcher
        connection.continue_with(dispatch, listener.request_bytes_max)
        log.info(
            "%s has logged in as %s: listener %s, mechanism %s",
            connection.peer,
            login.principal,
            connection.session.listener,
            state.mechanism,
        )

    def _fail(self, request: Request[Any], reason: str, respond: Callable[[], object]) -> Outcome:
        """Park *request*; after the delay, respond and close the connection."""
        self._log_failure(reason)

        def end() -> None:
            request.on_disconnect = None
            respond()
            self._connection.close_when_sent()

        delay_ms = self._listener.settings.failed_authentication_delay_ms
        request.wait = FailedAuthenticationWait(delay_ms, self._listener.timer.now_ms())
        request.on_disconnect = self._delayed(end).cancel
        return PARKED

    def _close_after_delay(self, reason: str) -> None:
        """Close the connection after the delay, without a response."""
        self._log_failure(reason)
        self._connection.begin(FailedRawToken(self._delayed(self._connection.close)))

    def _delayed(self, action: Callable[[], object]) -> TimerTask:
        delay_ms = self._listener.settings.failed_authentication_delay_ms
        return schedule_once(self._listener.timer, action, delay_ms=delay_ms)

    def _log_failure(self, reason: str) -> None:
        log.warning(
            "login of %s failed: listener %s, mechanism %s: %s",
            self._connection.peer,
            self._connection.session.listener,
            self._state.mechanism or "not chosen yet",
            reason,
        )
