"""Waiting for the high watermark or the in-sync set of partitions."""

from __future__ import annotations

from broker.admin.conditions.condition import Condition
from broker.admin.conditions.partitions import HighWatermark, InSync, StableOffset
from tests.facts import FakeFacts, partition


def missing(condition: Condition, facts: FakeFacts) -> list[str]:
    """What is missing for a condition to hold."""
    return condition.check(facts)[1]


def test_the_high_watermark_is_compared_with_the_log_end() -> None:
    """In every partition that is named, and in no other."""
    facts = FakeFacts()
    facts.topics["orders"][1] = partition(1, high_watermark=2, end=5)

    assert missing(HighWatermark(None, None), facts) == [
        "orders-1 has high watermark 2 and log end 5"
    ]
    assert missing(HighWatermark("orders", 0), facts) == []
    assert HighWatermark("orders", 1).alternatives(facts) == []


def test_a_partition_without_a_leader_has_no_high_watermark() -> None:
    """No leader is elected, or the leader does not run."""
    facts = FakeFacts()
    stopped = {"high_watermark": None, "log_end_offset": None}
    facts.topics["orders"] = [{**partition(0), "leader": -1}, {**partition(1), **stopped}]

    assert missing(HighWatermark("orders", None), facts) == [
        "orders-0 has no running leader",
        "orders-1 has no running leader",
    ]


def test_a_missing_topic_may_be_waited_for() -> None:
    """A client may create it during the wait."""
    facts = FakeFacts()

    assert missing(HighWatermark("audit", None), facts) == ["there is no topic audit"]
    assert missing(InSync("orders", 7, None), facts) == ["there is no partition orders-7"]
    assert missing(InSync(None, None, None), facts) == []


def test_the_last_stable_offset_is_compared_with_the_log_end_or_an_offset() -> None:
    """The transaction that holds it back is named by its transactional id, if that is known."""
    facts = FakeFacts()
    transaction = {"producer_id": 7, "transactional_id": "tx-1", "state": "open"}
    facts.topics["orders"][0] |= {"last_stable_offset": 1, "held_back_by": transaction}
    stable = "orders-0 has last stable offset 1 and"

    assert missing(StableOffset("orders", None, None), facts) == [
        f"{stable} log end 3, because the transaction of producer tx-1 is open"
    ]
    assert missing(StableOffset("orders", 0, 1), facts) == []
    transaction |= {"transactional_id": None, "state": "decided"}
    assert missing(StableOffset("orders", 0, 2), facts) == [
        (
            f"{stable} needed offset 2, because the transaction of producer id 7 is decided, "
            "and its marker not replicated"
        )
    ]
    facts.topics["orders"] = [partition(0, high_watermark=2, end=5), {**partition(1), "leader": -1}]
    assert missing(StableOffset(None, None, None), facts) == [
        "orders-0 has last stable offset 2 and log end 5",
        "orders-1 has no running leader",
    ]


def test_the_in_sync_set_is_compared_with_all_replicas_or_a_count() -> None:
    """A client may wait until it shrinks as well as until it is complete."""
    facts = FakeFacts()
    facts.topics["orders"] = [partition(0, isr=(2, 1))]

    assert missing(InSync("orders", None, None), facts) == [
        "orders-0 has [1, 2] of [1, 2, 3] in sync"
    ]
    assert missing(InSync("orders", None, 2), facts) == []
    assert InSync("orders", None, 2).check(facts)[0] == {
        "partitions": [{"topic": "orders", **partition(0, isr=(2, 1))}]
    }
