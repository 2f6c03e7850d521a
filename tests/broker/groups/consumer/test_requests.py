"""Consumer group heartbeats."""

from __future__ import annotations

from typing import Any

import pytest

from broker.groups.consumer.requests import ConsumerGroupHeartbeat

EVERYTHING: dict[str, Any] = {
    "rebalance_timeout_ms": 60_000,
    "subscribed_topic_names": frozenset({"t"}),
    "owned": {},
}


def heartbeat(epoch: int = 5, **fields: Any) -> ConsumerGroupHeartbeat:
    return ConsumerGroupHeartbeat(group_id="g", member_id="m", member_epoch=epoch, **fields)


@pytest.mark.parametrize(
    ("epoch", "joins", "leaves"),
    [(0, True, False), (5, False, False), (-1, False, True), (-2, False, True)],
)
def test_the_epochs_of_joining_and_leaving_members(epoch: int, joins: bool, leaves: bool) -> None:
    """A static member that leaves temporarily has epoch -2."""
    request = heartbeat(epoch)

    assert (request.is_joining, request.is_leaving) == (joins, leaves)


@pytest.mark.parametrize("missing", [None, *EVERYTHING])
def test_a_full_heartbeat_contains_all_fields(missing: str | None) -> None:
    """Its response contains the assignment."""
    said = {name: value for name, value in EVERYTHING.items() if name != missing}

    assert heartbeat(**said).is_full is (missing is None)


def test_a_full_heartbeat_contains_names_or_a_regular_expression() -> None:
    """One of the two is enough."""
    said = {**EVERYTHING, "subscribed_topic_names": None, "subscribed_topic_regex": "t.*"}

    assert heartbeat(**said).is_full
