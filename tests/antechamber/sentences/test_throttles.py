"""Throttles in explanations of wait records."""

from __future__ import annotations

from antechamber.explain import explanation
from tests.facts import completed_fetch

THROTTLE = {
    "quota": "producer_byte_rate",
    "user": "alice",
    "client_id": "<default>",
    "rate": 1234.56,
    "limit": 1000.0,
    "ms": 2100,
}
EXCEEDED = (
    "the quota producer_byte_rate of user alice and client <default>: "
    "1,234.6 instead of 1,000 bytes per second"
)


def test_a_throttle_is_explained_by_its_quota() -> None:
    """Whose quota it is, and what was measured and is allowed."""
    sentences = explanation(completed_fetch() | {"throttle": THROTTLE})

    assert f"It has exceeded {EXCEEDED}. Its connection was muted for 2.1 s." in sentences


def test_a_request_of_a_muted_connection_names_the_quota() -> None:
    """An earlier request had exceeded it."""
    [sentence] = set(explanation(completed_fetch() | {"muted_by": THROTTLE})) - set(
        explanation(completed_fetch())
    )

    assert sentence == (
        "It was queued because its connection was muted for 2.1 s: an earlier request had "
        f"exceeded {EXCEEDED}."
    )


def test_the_throttled_partitions_of_a_follower_are_named_with_the_rate() -> None:
    """The leader withholds their records from replicas that are not in sync."""
    throttled = [{"topic": "t", "partition": 0}, {"topic": "t", "partition": 2}]
    waited_for = {"kind": "min_bytes", "need": 1, "had": 0, "throttled": throttled}

    sentences = explanation(completed_fetch() | {"waited_for": waited_for})

    assert "leader.replication.throttled.rate throttled t-0 and t-2." in sentences
