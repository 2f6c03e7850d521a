"""Idle connections are closed."""

from __future__ import annotations

from broker.network.clients.idle_expiry import IdleExpiry
from broker.network.clients.in_progress import CloseReason
from tests.broker.network.clients.ends import Ends
from tests.broker.quotas.timers import ManualTimer


class Channel:
    """A connection that records whether it expired."""

    def __init__(self) -> None:
        self.active_ms = 0.0
        self.expired = False

    def expire(self) -> None:
        self.expired = True


def test_an_idle_channel_expires() -> None:
    """After ``idle_ms``, and not before."""
    hand, channel = ManualTimer(), Channel()
    IdleExpiry(hand.timer, channel, 1000)

    hand.pass_ms(999)
    assert not channel.expired
    hand.pass_ms(1)
    assert channel.expired


def test_a_channel_that_is_used_does_not_expire() -> None:
    """The time starts again with each use."""
    hand, channel = ManualTimer(), Channel()
    IdleExpiry(hand.timer, channel, 1000)
    hand.pass_ms(700)
    channel.active_ms = 700

    hand.pass_ms(999)
    assert not channel.expired
    hand.pass_ms(1)
    assert channel.expired


def test_an_idle_connection_expires() -> None:
    """``connections.max.idle.ms`` after bytes were received last."""
    ends = Ends(dispatch=Ends.respond, idle_ms=1000)
    ends.hand.pass_ms(600)
    ends.receive(b"one")

    ends.hand.pass_ms(999)
    assert not ends.connection.is_closed
    ends.hand.pass_ms(1)
    assert ends.connection.is_closed


def test_an_idle_connection_expires_while_a_request_waits() -> None:
    """The request is abandoned, as in Kafka."""
    ends = Ends(idle_ms=1000)
    ends.receive(b"one")

    ends.hand.pass_ms(999)
    assert not ends.connection.is_closed
    ends.hand.pass_ms(1)
    assert ends.connection.is_closed
    assert ends.requests[0].abandoned is CloseReason.DISCONNECT


def test_the_idle_time_begins_again_with_a_response() -> None:
    """Also if the request has waited for most of it."""
    ends = Ends(idle_ms=1000)
    ends.receive(b"one")
    ends.hand.pass_ms(900)
    ends.respond()

    ends.hand.pass_ms(999)
    assert not ends.connection.is_closed
    ends.hand.pass_ms(1)
    assert ends.connection.is_closed
