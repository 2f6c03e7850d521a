"""What may be waited for: when it is so, and what lacks while it is not."""

from __future__ import annotations

from broker.admin.conditions import Condition, GroupStable, HighWatermark, InSync, Parked, some
from broker.admin.facts import RequestQuery
from tests.facts import FakeFacts, parked_fetch, parked_produce, partition


def parked(**asked: object) -> Parked:
    return Parked(RequestQuery(**{"parked": True, "limit": 1, **asked}))  # type: ignore[arg-type]


def lacking(condition: Condition, facts: FakeFacts) -> list[str]:
    return condition.look(facts)[1]


def test_requests_are_counted_as_they_wait() -> None:
    """Those that match, and no more of them than are asked for."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch(), parked_produce()]

    there_is, lacks = parked(api="Produce", topic="orders", limit=2).look(facts)

    assert there_is == {"requests": [facts.parked[0], facts.parked[2]]}
    assert lacks == []


def test_too_few_requests_are_told_with_what_waits_instead() -> None:
    """How many there are of how many, of which API, topic and client."""
    facts = FakeFacts()
    facts.parked = [parked_fetch(), parked_produce("audit", None)]
    condition = parked(api="Produce", topic="orders", client="c", limit=2)

    assert lacking(condition, facts) == ["0 of 2 parked Produce on orders from client c"]
    assert condition.instead(facts) == [
        "Fetch on orders-0, orders-1 from client consumer-1",
        "Produce on audit-0 from client None",
    ]
    assert parked().instead(FakeFacts()) == ["nothing parked"]


def test_the_high_watermark_reaches_the_end() -> None:
    """In every partition that is named, and only there."""
    facts = FakeFacts()
    facts.topics["orders"][1] = partition(1, high_watermark=2, end=5)

    assert lacking(HighWatermark(None, None), facts) == [
        "orders-1 has high watermark 2 and log end 5"
    ]
    assert lacking(HighWatermark("orders", 0), facts) == []
    assert HighWatermark("orders", 1).instead(facts) == []


def test_a_partition_without_a_leader_has_no_high_watermark() -> None:
    """Nobody could say how far it reaches."""
    facts = FakeFacts()
    stopped = {"high_watermark": None, "log_end_offset": None}
    facts.topics["orders"] = [{**partition(0), "leader": -1}, {**partition(1), **stopped}]

    assert lacking(HighWatermark("orders", None), facts) == [
        "orders-0 has no leader that runs",
        "orders-1 has no leader that runs",
    ]


def test_a_topic_that_is_not_there_is_waited_for() -> None:
    """It may yet be made."""
    facts = FakeFacts()

    assert lacking(HighWatermark("audit", None), facts) == ["there is no audit"]
    assert lacking(InSync("orders", 7, None), facts) == ["there is no orders-7"]
    assert lacking(InSync(None, None, None), facts) == []


def test_the_in_sync_set_is_complete_or_has_a_number() -> None:
    """So one can wait for it to shrink as well as for it to be whole again."""
    facts = FakeFacts()
    facts.topics["orders"] = [partition(0, isr=(2, 1))]

    assert lacking(InSync("orders", None, None), facts) == [
        "orders-0 has [1, 2] of [1, 2, 3] in sync"
    ]
    assert lacking(InSync("orders", None, 2), facts) == []
    assert InSync("orders", None, 2).look(facts)[0] == {
        "partitions": [{"topic": "orders", **partition(0, isr=(2, 1))}]
    }


def test_a_group_is_stable_with_its_members() -> None:
    """State and number both count; other groups are told."""
    facts = FakeFacts()
    facts.known_groups = [{"group": "g", "state": "PreparingRebalance", "members": 2}]
    condition = GroupStable("g", 2)

    assert lacking(condition, facts) == ["group g is PreparingRebalance with 2 of 2 members"]
    assert lacking(GroupStable("h", 1), facts) == ["there is no group h"]
    assert condition.instead(facts) == ["group g is PreparingRebalance"]
    facts.known_groups = [{"group": "g", "state": "Stable", "members": 2}]
    assert condition.look(facts) == ({"group": facts.known_groups[0]}, [])
    assert lacking(GroupStable("g", 3), facts) == ["group g is Stable with 2 of 3 members"]


def test_one_line_names_only_some() -> None:
    """Of a thousand partitions the first few, and how many there are besides."""
    assert some(["a", "b"]) == "a, b"
    assert some(list("abcdefgh")) == "a, b, c, d, e and 3 more"
