"""The index of fault rules returns those that match, whatever selects them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.faults.index import RuleIndex
from broker.faults.rule import FaultRule
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.broker.faults.rules import RulesWithClock, heartbeat, read, subject

COMMIT = TxnOffsetCommitRequest(
    transactional_id="t",
    group_id="g",
    producer_id=1,
    producer_epoch=0,
    topics=[TxnOffsetCommitRequestTopic(name="orders", partitions=[])],
)
MATCHES: list[dict[str, Any]] = [
    {},
    {"client": "test"},
    {"client": "te*"},
    {"client": "other"},
    {"client": "*"},
    {"client": "te*", "topic": "orders"},
    {"principal": "User:ann"},
    {"principal": "User:bob"},
    {"topic": "orders"},
    {"topic": "payments"},
    {"group": "g"},
    {"group": "h"},
    {"transactional_id": "t"},
    {"transactional_id": "u"},
    {"topic": "orders", "group": "g", "client": "test"},
]


def index(matches: list[dict[str, Any]]) -> RuleIndex:
    """The index of rules with ids from 0 on."""
    return RuleIndex(FaultRule(number, read(match=each)) for number, each in enumerate(matches))


def test_all_rules_that_match_are_found() -> None:
    """In the order in which they were set."""
    found = index(MATCHES).matching(subject(COMMIT))

    assert [group.first_id for group in found] == [0, 1, 2, 4, 5, 6, 8, 10, 12, 14]


@pytest.mark.parametrize("match", MATCHES)
def test_each_rule_is_found_alone(match: dict[str, Any]) -> None:
    """As it is found among others."""
    spec = read(match=match).match
    assert spec is not None
    assert bool(index([match]).matching(subject(COMMIT))) is subject(COMMIT).matches(spec)


@pytest.mark.parametrize("per", ["rule", "client"])
def test_rules_that_match_the_same_are_compared_once(per: str) -> None:
    """As many requests are counted, whatever the number of the rules."""
    world = RulesWithClock()
    rules = [world.add(match={"group": "g"}, nth=nth, per=per) for nth in (3, 2, 9)]
    request = heartbeat()
    [group] = world.rules.for_requests[request.header.api_key].matching(request)

    assert [group.count("test") for _ in range(3)] == [None, rules[1], rules[0]]
    assert {rule.matched for rule in rules} == {3}


def test_a_partition_that_is_named_twice_matches_once() -> None:
    """As the topic of it does."""
    partition = TxnOffsetCommitRequestPartition(
        partition_index=1, committed_offset=0, committed_metadata=None
    )
    topic = TxnOffsetCommitRequestTopic(name="orders", partitions=[partition] * 2)
    request = subject(replace(COMMIT, topics=[topic, topic]))
    rules = index([{"topic": "orders", "partition": 1}, {"topic": "orders"}])

    assert [group.first_id for group in rules.matching(request)] == [0, 1]


def test_a_request_for_all_topics_finds_the_rules_for_each() -> None:
    """And a request for one topic finds its own."""
    rules = index([{"topic": "a"}, {"topic": "b"}])
    one = MetadataRequest(topics=[MetadataRequestTopic(name="b")])

    assert [each.first_id for each in rules.matching(subject(MetadataRequest(topics=None)))] == [
        0,
        1,
    ]
    assert [each.first_id for each in rules.matching(subject(one))] == [1]
