"""Channels that are muted for a throttle time."""

from __future__ import annotations

from broker.quotas.throttled_channel import ThrottledChannel
from tests.broker.quotas.timers import ManualTimer


def test_a_channel_is_unmuted_after_its_throttle_time() -> None:
    """Exactly then, and once."""
    hand, unmuted = ManualTimer(), list[str]()
    ThrottledChannel(hand.timer, 100, lambda: unmuted.append("now"))

    hand.pass_ms(99)
    before = list(unmuted)
    hand.pass_ms(1)
    hand.pass_ms(1000)

    assert (before, unmuted) == ([], ["now"])


def test_a_closed_channel_is_not_unmuted() -> None:
    """Its connection cancels the task."""
    hand, unmuted = ManualTimer(), list[str]()
    throttled = ThrottledChannel(hand.timer, 100, lambda: unmuted.append("now"))

    throttled.cancel()
    hand.pass_ms(1000)

    assert not unmuted
