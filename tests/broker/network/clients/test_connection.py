"""The states of a connection, event by event, without a task and without an API."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from broker.common.errors import Refused
from broker.network.clients.in_progress import CloseReason
from broker.network.clients.reader import PIPELINE_BYTES_MAX
from broker.network.serving.driver import Interest
from broker.network.serving.memory_pool import MemoryPool
from broker.network.transports.transport import TlsFailed
from broker.quotas.throttle import Throttle
from protocol.output import SpliceLost
from tests.broker.network.clients.ends import Ends


def test_a_request_that_is_responded_to_at_once_needs_nothing_but_the_next() -> None:
    """Its response is sent in the same event."""
    ends = Ends(dispatch=Ends.respond)

    assert ends.receive(b"one") is Interest.READ

    assert len(ends.client.incoming) == 100
    assert (ends.resumed, ends.drains) == (0, 0)


def test_pipelined_requests_are_dispatched_in_one_event() -> None:
    """Their responses are sent together, in order."""
    ends = Ends(dispatch=Ends.respond)

    assert ends.receive(b"one", b"two", b"three") is Interest.READ

    assert ends.frames == [b"one", b"two", b"three"]
    assert len(ends.client.incoming) == 300


def test_a_response_that_is_deferred_is_sent_when_the_driver_says_so() -> None:
    """The frames behind its request wait until then."""
    ends = Ends()
    ends.defers = True
    assert ends.receive(b"one", b"two") is Interest.READ_OR_RESUME
    ends.respond()
    assert (len(ends.client.incoming), ends.resumed) == (0, 0)
    assert ends.connection.on_resume() is Interest.READ_OR_RESUME
    assert ends.frames == [b"one"]

    ends.connection.send_deferred()

    assert (len(ends.client.incoming), ends.resumed) == (100, 1)


def test_a_deferred_response_is_dropped_with_its_connection() -> None:
    """Nothing can be sent any more."""
    ends = Ends()
    ends.defers = True
    ends.receive(b"one")
    ends.respond()
    ends.connection.close()

    ends.connection.send_deferred()

    assert not ends.client.incoming


def test_frames_after_a_login_have_another_dispatch_and_limit() -> None:
    """Pipelined frames are dispatched in the same event."""
    later: list[bytes] = []

    def log_in(ends: Ends) -> None:
        ends.respond()
        ends.connection.continue_with(lambda _, frame, __: later.append(bytes(frame)), 3)

    ends = Ends(dispatch=log_in)

    assert ends.receive(b"token", b"one") is Interest.READ
    assert (ends.frames, later) == ([b"token"], [b"one"])
    assert ends.receive(b"four") is Interest.CLOSED


def test_frames_behind_the_request_in_progress_wait_until_its_response() -> None:
    """Kafka mutes the channel meanwhile."""
    ends = Ends()
    assert ends.receive(b"one", b"two") is Interest.READ_OR_RESUME
    assert ends.frames == [b"one"]

    ends.respond()
    assert (ends.resumed, ends.frames) == (1, [b"one"])

    assert ends.connection.on_resume() is Interest.READ
    assert ends.frames == [b"one", b"two"]


def test_a_response_resumes_nothing_if_no_frame_waits() -> None:
    """The connection waits for bytes already."""
    ends = Ends()
    assert ends.receive(b"one") is Interest.READ

    ends.respond()

    assert ends.resumed == 0
    assert len(ends.client.incoming) == 100


def test_a_resume_while_a_request_is_in_progress_dispatches_nothing() -> None:
    """A driver may resume at any time."""
    ends = Ends()
    ends.receive(b"one", b"two")

    assert ends.connection.on_resume() is Interest.READ_OR_RESUME

    assert ends.frames == [b"one"]


def test_nothing_is_received_during_a_computation() -> None:
    """A disconnect is noticed after it, as in Kafka."""
    ends = Ends(dispatch=lambda ends: setattr(ends.requests[-1], "is_computed", True))

    assert ends.receive(b"one") is Interest.RESUME

    ends.connection.resume()
    assert ends.resumed == 1


def test_nothing_is_received_behind_too_many_frames() -> None:
    """The rest stays in the socket."""
    ends = Ends()
    ends.receive(b"one")

    interest = ends.receive(*[bytes(100_000)] * 30)
    while interest is not Interest.RESUME:
        interest = ends.connection.on_readable()

    assert 3_000_000 - 2 * PIPELINE_BYTES_MAX < len(ends.transport.incoming) < 2_000_000


def test_frames_wait_when_the_turn_is_over() -> None:
    """The frames that are left are dispatched after other connections have been served."""
    ends = Ends(dispatch=Ends.respond)
    ends.turn_is_over = True

    assert ends.receive(b"one", b"two", b"three") is Interest.TURN
    assert ends.frames == [b"one"]
    assert ends.connection.on_resume() is Interest.TURN

    assert ends.connection.on_resume() is Interest.READ
    assert ends.frames == [b"one", b"two", b"three"]


def test_without_memory_nothing_is_received() -> None:
    """Until the pool has some again."""
    memory = MemoryPool(100)
    taken = memory.exchange(0, 100)
    ends = Ends(dispatch=Ends.respond, memory=memory)
    assert ends.receive(b"one") is Interest.MEMORY
    assert ends.frames == []

    memory.exchange(taken, 0)

    assert ends.connection.on_readable() is Interest.READ
    assert ends.frames == [b"one"]


def test_a_response_that_does_not_fit_is_sent_as_the_socket_drains() -> None:
    """No frame is dispatched before all of it is sent."""
    ends, sent = Ends(room=60), list[str]()
    ends.receive(b"one", b"two")
    ends.respond(100, lambda: sent.append("one"))
    assert ends.drains == 1
    assert ends.connection.on_resume() is Interest.READ_OR_RESUME

    ends.client.incoming.clear()
    resumed = ends.resumed
    assert not ends.connection.on_writable()

    assert sent == ["one"]
    assert ends.resumed == resumed + 1
    assert ends.connection.on_resume() is Interest.READ
    assert ends.frames == [b"one", b"two"]


def test_a_driver_drains_until_everything_is_sent() -> None:
    """However little the socket takes at a time."""
    ends = Ends(room=60)
    ends.receive(b"one")
    ends.respond(150)
    ends.client.incoming.clear()

    assert ends.connection.on_writable()
    ends.client.incoming.clear()
    assert not ends.connection.on_writable()

    assert ends.drains == 1


def test_a_throttled_client_has_its_response_and_waits() -> None:
    """The next request begins when the throttle time is over (KIP-219)."""

    def throttle(ends: Ends) -> None:
        ends.connection.mute(Throttle(100, "request_percentage", (), 2, 1))
        ends.respond()

    ends = Ends(dispatch=throttle)
    assert ends.receive(b"one", b"two") is Interest.READ_OR_RESUME
    assert len(ends.client.incoming) == 100

    ends.hand.pass_ms(100)
    assert ends.resumed == 1

    ends.connection.on_resume()
    assert ends.frames == [b"one", b"two"]


def test_a_client_that_sends_no_more_gets_the_responses_that_are_unsent() -> None:
    """Then the connection closes."""
    ends = Ends(room=60)
    ends.receive(b"one")
    ends.client.end()
    ends.respond(100)
    assert ends.connection.on_readable() is Interest.RESUME

    ends.client.incoming.clear()
    ends.connection.on_writable()

    assert ends.resumed == 1
    assert ends.connection.on_resume() is Interest.CLOSED


def test_a_client_that_sends_no_more_gets_the_responses_to_its_frames() -> None:
    """Those that wait are dispatched after the unsent response."""
    ends = Ends(room=60)
    ends.receive(b"one", b"two")
    ends.respond(100)
    ends.client.end()
    assert ends.connection.on_readable() is Interest.RESUME
    ends.client.incoming.clear()
    ends.connection.on_writable()

    ends.connection.on_resume()

    assert ends.frames == [b"one", b"two"]


def test_a_parked_request_of_a_client_that_sends_no_more_is_abandoned() -> None:
    """The connection closes at once."""
    ends = Ends()
    ends.receive(b"one")
    ends.client.end()

    assert ends.connection.on_readable() is Interest.CLOSED

    assert ends.requests[0].abandoned is CloseReason.DISCONNECT
    assert ends.transport.closed


def test_a_parked_request_is_abandoned_when_the_response_before_it_is_sent() -> None:
    """The client sends no more, so the connection closes then."""
    ends = Ends(dispatch=lambda ends: ends.respond(200) if len(ends.frames) == 1 else None, room=60)
    ends.receive(b"one", b"two")
    ends.client.end()
    assert ends.connection.on_readable() is Interest.RESUME
    ends.client.incoming.clear()
    while ends.connection.on_writable():
        ends.client.incoming.clear()

    assert ends.resumed == 1
    assert ends.connection.on_resume() is Interest.CLOSED
    assert ends.requests[1].abandoned is CloseReason.DISCONNECT


@pytest.mark.parametrize("reason", list(CloseReason))
def test_closing_abandons_the_request_in_progress(reason: CloseReason) -> None:
    """With the reason; all events of a closed connection have no effect."""
    ends = Ends()
    ends.receive(b"one")

    ends.connection.close(reason)
    ends.connection.close()

    assert ends.requests[0].abandoned is reason
    assert ends.connection.in_progress is None
    assert ends.closes == 1
    assert ends.connection.on_readable() is Interest.CLOSED
    assert ends.connection.on_resume() is Interest.CLOSED
    assert not ends.connection.on_writable()


def test_a_refused_request_closes_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    """The reason is logged."""

    def refuse(_ends: Any) -> None:
        raise Refused("API key 99 is not served")

    ends = Ends(dispatch=refuse)

    assert ends.receive(b"one") is Interest.CLOSED

    assert ends.requests[0].abandoned is CloseReason.ERROR
    assert "closing connection from memory: API key 99 is not served" in caplog.text


def test_malformed_bytes_close_the_connection() -> None:
    """No frame is dispatched."""
    ends = Ends()
    ends.client.send([struct.pack(">i", -1)])

    assert ends.connection.on_readable() is Interest.CLOSED

    assert (ends.frames, ends.transport.closed) == ([], True)


def test_an_unexpected_exception_closes_the_connection_and_is_reported() -> None:
    """Once."""

    def fail(_ends: Any) -> None:
        raise ZeroDivisionError

    ends = Ends(dispatch=fail)

    assert ends.receive(b"one") is Interest.CLOSED

    assert [type(bug) for bug in ends.bugs] == [ZeroDivisionError]
    assert ends.requests[0].abandoned is CloseReason.ERROR


@pytest.mark.parametrize(("error", "bugs"), [(SpliceLost("lost"), 0), (ZeroDivisionError(), 1)])
def test_an_exception_while_sending_closes_the_connection(
    monkeypatch: pytest.MonkeyPatch, error: Exception, bugs: int
) -> None:
    """It is not raised to the code that completes a request."""

    def fail(_parts: object) -> int:
        raise error

    ends = Ends()
    ends.receive(b"one")
    monkeypatch.setattr(ends.transport, "send", fail)

    ends.respond()

    assert ends.connection.is_closed
    assert len(ends.bugs) == bugs


def test_a_failure_of_tls_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The line names the client, the listener and the reason."""
    ends = Ends()

    def fail(_buffer: memoryview) -> int:
        raise TlsFailed("the peer sent no certificate")

    monkeypatch.setattr(ends.transport, "receive_into", fail)

    assert ends.connection.on_readable() is Interest.CLOSED

    assert (
        "closing connection from memory on listener PLAINTEXT: TLS failed: "
        "the peer sent no certificate"
    ) in caplog.text
    assert ends.connection.is_closed
