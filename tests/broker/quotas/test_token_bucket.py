"""Tokens that are refilled at a constant rate."""

from __future__ import annotations

from broker.quotas.token_bucket import TokenBucket


def test_a_new_bucket_is_full() -> None:
    """It has the tokens of the burst."""
    assert TokenBucket(10).tokens(3, 5000) == 30


def test_spent_tokens_are_refilled_up_to_the_burst() -> None:
    """At the rate, also from a negative number."""
    bucket = TokenBucket(10)
    bucket.record(50, 3, 0)

    assert [bucket.tokens(3, ms) for ms in (0, 5000, 20_000, 30_000)] == [-20, -5, 30, 30]


def test_another_rate_applies_to_later_time() -> None:
    """The spent tokens stay spent."""
    bucket = TokenBucket(10)
    bucket.record(50, 3, 0)
    bucket.tokens(3, 1000)

    assert bucket.tokens(100, 1100) == -7


def test_a_bucket_is_idle_when_it_is_not_used() -> None:
    """For the given time."""
    bucket = TokenBucket(10)
    bucket.record(1, 3, 1000)

    assert [bucket.is_idle(ms, 500) for ms in (1499, 1500)] == [False, True]
