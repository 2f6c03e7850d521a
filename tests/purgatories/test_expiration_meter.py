"""Tests of the counts of expiries, and the meter part of DelayedProduceTest."""

from __future__ import annotations

from purgatories.expiration_meter import ExpirationMeter


def test_total_and_tags_are_counted() -> None:
    """A mark without a tag counts in the total only."""
    meter = ExpirationMeter()
    meter.mark("follower")
    meter.mark("consumer", 2)
    meter.mark(count=3)
    assert meter.total == 6
    assert meter.by_tag() == {"follower": 1, "consumer": 2}


def test_forgetting_a_tag_leaves_the_total() -> None:
    """DelayedProduceTest: a partition's meter is removed, and the total stays."""
    meter = ExpirationMeter()
    meter.mark(("topic", 0))
    meter.forget(("topic", 0))
    assert meter.total == 1
    assert meter.by_tag() == {}


def test_forgetting_an_unknown_tag_is_harmless() -> None:
    """DelayedProduceTest: removing a tag without marks has no effect."""
    meter = ExpirationMeter()
    meter.forget(("topic", 1))
    assert meter.total == 0
