"""Idle connections are closed."""

from __future__ import annotations

from broker.network.clients.idle_expiry import IdleExpiry
from tests.broker.quotas.timers import ManualTimer


class Channel:
    """A connection that records whether it expired."""

    def __init__(self) -> None:
        self.active_ms = 0.0
        self.is_busy = False
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


def test_a_channel_with_a_request_in_progress_is_not_idle() -> None:
    """The time starts when the timer task last found a request in progress."""
    hand, channel = ManualTimer(), Channel()
    channel.is_busy = True
    IdleExpiry(hand.timer, channel, 1000)
    hand.pass_ms(5000)
    channel.is_busy = False

    hand.pass_ms(999)
    assert not channel.expired
    hand.pass_ms(1)
    assert channel.expired
