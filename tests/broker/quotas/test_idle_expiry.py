"""Connections that nobody uses."""

from __future__ import annotations

from broker.quotas.idle_expiry import IdleExpiry
from tests.broker.quotas.timers import HandTimer


class Channel:
    """A connection that only knows when it was used."""

    def __init__(self) -> None:
        self.active_ms = 0.0
        self.is_busy = False
        self.expired = False

    def expire(self) -> None:
        self.expired = True


def test_an_idle_channel_expires() -> None:
    """When its time is over, and not before."""
    hand, channel = HandTimer(), Channel()
    IdleExpiry(hand.timer, channel, 1000)

    hand.pass_ms(999)
    assert not channel.expired
    hand.pass_ms(1)
    assert channel.expired


def test_a_channel_lives_on_while_it_is_used() -> None:
    """The time begins anew with every use."""
    hand, channel = HandTimer(), Channel()
    IdleExpiry(hand.timer, channel, 1000)
    hand.pass_ms(700)
    channel.active_ms = 700

    hand.pass_ms(999)
    assert not channel.expired
    hand.pass_ms(1)
    assert channel.expired


def test_a_client_that_waits_for_us_is_not_idle() -> None:
    """The time begins when it was last seen waiting."""
    hand, channel = HandTimer(), Channel()
    channel.is_busy = True
    IdleExpiry(hand.timer, channel, 1000)
    hand.pass_ms(5000)
    channel.is_busy = False

    hand.pass_ms(999)
    assert not channel.expired
    hand.pass_ms(1)
    assert channel.expired
