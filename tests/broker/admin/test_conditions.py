"""The conditions that clients may wait for."""

from __future__ import annotations

from broker.admin.conditions import Condition, GroupStable, HighWatermark, InSync, Parked, some
from broker.admin.facts import RequestQuery
from tests.facts import FakeFacts, parked_fetch, parked_produce, partition


def parked(**query: object) -> Parked:
    """The condition that one request is parked, unless *query* changes that."""
    return Parked(RequestQuery(**{"parked": True, "limit": 1, **query}))  # type: ignore[arg-type]


def missing(condition: Condition, facts: FakeFacts) -> list[str]:
    """What is missing for a condition to hold."""
    return condition.check(facts)[1]


def test_parked_requests_are_counted() -> None:
    """The response has those that match, up to the count."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch(), parked_produce()]

    finding, lines = parked(api="Produce", topic="orders", limit=2).check(facts)

    assert finding == {"requests": [facts.parked[0], facts.parked[2]]}
    assert lines == []


def test_too_few_parked_requests_are_reported_with_all_others() -> None:
    """The numbers, and the API, topic and client of the condition."""
    facts = FakeFacts()
    facts.parked = [parked_fetch(), parked_produce("audit", None)]
    condition = parked(api="Produce", topic="orders", client="c", limit=2)

    assert missing(condition, facts) == ["0 of 2 parked Produce on orders from client c"]
    assert condition.alternatives(facts) == [
        "Fetch on orders-0, orders-1 from client consumer-1",
        "Produce on audit-0 from client None",
    ]
    assert parked().alternatives(FakeFacts()) == ["no parked request"]


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

    assert missing(HighWatermark("audit", None), facts) == ["there is no audit"]
    assert missing(InSync("orders", 7, None), facts) == ["there is no orders-7"]
    assert missing(InSync(None, None, None), facts) == []


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


def test_a_group_is_stable_with_its_members() -> None:
    """Both the state and the number of members must match; all groups are reported."""
    facts = FakeFacts()
    facts.known_groups = [{"group": "g", "state": "PreparingRebalance", "members": 2}]
    condition = GroupStable("g", 2)

    assert missing(condition, facts) == ["group g is PreparingRebalance with 2 of 2 members"]
    assert missing(GroupStable("h", 1), facts) == ["there is no group h"]
    assert condition.alternatives(facts) == ["group g is PreparingRebalance"]
    facts.known_groups = [{"group": "g", "state": "Stable", "members": 2}]
    assert condition.check(facts) == ({"group": facts.known_groups[0]}, [])
    assert missing(GroupStable("g", 3), facts) == ["group g is Stable with 2 of 3 members"]


def test_a_line_names_at_most_five() -> None:
    """And the number of the others."""
    assert some(["a", "b"]) == "a, b"
    assert some(list("abcdefgh")) == "a, b, c, d, e and 3 more"
