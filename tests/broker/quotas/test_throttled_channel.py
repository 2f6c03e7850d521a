"""Channels that are muted for a while."""

from __future__ import annotations

from broker.quotas.throttled_channel import ThrottledChannel
from tests.broker.quotas.timers import HandTimer


def test_a_channel_is_unmuted_when_its_time_is_over() -> None:
    """Not a moment before, and once."""
    hand, unmuted = HandTimer(), list[str]()
    ThrottledChannel(hand.timer, 100, lambda: unmuted.append("now"))

    hand.pass_ms(99)
    before = list(unmuted)
    hand.pass_ms(1)
    hand.pass_ms(1000)

    assert (before, unmuted) == ([], ["now"])


def test_a_channel_that_is_closed_is_not_unmuted() -> None:
    """Its connection cancels the task."""
    hand, unmuted = HandTimer(), list[str]()
    throttled = ThrottledChannel(hand.timer, 100, lambda: unmuted.append("now"))

    throttled.cancel()
    hand.pass_ms(1000)

    assert not unmuted
