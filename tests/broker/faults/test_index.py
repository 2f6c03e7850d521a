"""The index of fault rules returns those that match, whatever selects them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.faults.index import RuleIndex
from broker.faults.read_rule import read_rule
from broker.faults.rule import FaultRule
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.broker.faults.rules import (
    ERROR,
    POSSIBLE,
    RulesWithClock,
    heartbeat,
    matching,
    read,
    subject,
)

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
    rules = [FaultRule(number, read(match=each)) for number, each in enumerate(matches)]
    return RuleIndex(subject(COMMIT).header.api_key, rules)


def test_all_rules_that_match_are_found() -> None:
    """And no others."""
    found = matching(index(MATCHES), subject(COMMIT))

    assert [group.first_id for group in found] == [0, 1, 2, 4, 5, 6, 8, 10, 12, 14]


@pytest.mark.parametrize("match", MATCHES)
def test_each_rule_is_found_alone(match: dict[str, Any]) -> None:
    """As it is found among others."""
    among_others = [group.match for group in matching(index(MATCHES), subject(COMMIT))]
    alone = [group.match for group in matching(index([match]), subject(COMMIT))]
    assert alone == [each for each in among_others if each == read(match=match).match]


@pytest.mark.parametrize("per", ["rule", "client"])
def test_rules_that_match_the_same_are_compared_once(per: str) -> None:
    """As many requests are counted, whatever the number of the rules."""
    world = RulesWithClock()
    rules = [world.add(match={"group": "g"}, nth=nth, per=per) for nth in (3, 2, 9)]
    request = heartbeat()
    assert len(matching(world.rules.for_requests[request.header.api_key], request)) == 1

    assert [world.fire(request) for _ in range(3)] == [None, rules[1].id, rules[0].id]
    assert {rule.matched for rule in rules} == {3}


def test_a_partition_that_is_named_twice_matches_once() -> None:
    """As the topic of it does."""
    partition = TxnOffsetCommitRequestPartition(
        partition_index=1, committed_offset=0, committed_metadata=None
    )
    topic = TxnOffsetCommitRequestTopic(name="orders", partitions=[partition] * 2)
    request = subject(replace(COMMIT, topics=[topic, topic]))
    rules = index([{"topic": "orders", "partition": 1}, {"topic": "orders"}])

    assert [group.first_id for group in matching(rules, request)] == [0, 1]


@pytest.mark.parametrize(
    "named",
    [
        {"topic": "orders"},
        {"topic": "orders", "partition": 1},
        {"partition": 1},
        {"group": "g"},
        {"transactional_id": "t"},
    ],
)
@pytest.mark.parametrize(
    "more", [[], [{"topic": "orders"}, {"group": "g", "transactional_id": "t"}]]
)
def test_a_rule_without_names_is_found_beside_rules_with_names(
    named: dict[str, Any], more: list[dict[str, Any]]
) -> None:
    """Also by a request without the names of rules."""
    partition = TxnOffsetCommitRequestPartition(
        partition_index=1, committed_offset=0, committed_metadata=None
    )
    topic = TxnOffsetCommitRequestTopic(name="orders", partitions=[partition])
    rules = index([named, {}, *more])
    stranger = replace(COMMIT, transactional_id="u", group_id="h", topics=[])

    found = matching(rules, subject(replace(COMMIT, topics=[topic])))
    assert [group.first_id for group in found] == list(range(2 + len(more)))
    assert [group.first_id for group in matching(rules, subject(stranger))] == [1]


def test_a_request_for_all_topics_finds_the_rules_for_each() -> None:
    """And a request for one topic finds its own."""
    rules = index([{"topic": "a"}, {"topic": "b"}])
    one = MetadataRequest(topics=[MetadataRequestTopic(name="b")])

    everything = subject(MetadataRequest(topics=None))
    assert [each.first_id for each in matching(rules, everything)] == [0, 1]
    assert [each.first_id for each in matching(rules, subject(one))] == [1]


def test_a_request_of_a_kind_that_no_rule_can_match_is_not_compared() -> None:
    """Its client, node, principal, listener or sender is another than that of each rule."""
    others = [
        {"client": "other"},
        {"client": "other*", "group": "g"},
        {"principal": "User:bob", "topic": "orders"},
        {"node": 2},
        {"listener": "TLS"},
        {"from": "broker"},
    ]
    possible = replace(POSSIBLE, listeners=("PLAINTEXT", "TLS"))
    specs = [read_rule({"match": each, "action": ERROR}, possible) for each in others]
    rules = RuleIndex(
        subject(COMMIT).header.api_key,
        [FaultRule(number, spec) for number, spec in enumerate(specs)],
    )

    assert rules.candidates(*subject(COMMIT)).of_all_names == []
    assert len(matching(rules, subject(COMMIT, node=2))) == 1


def test_kinds_that_the_same_rules_can_match_share_them() -> None:
    """So 100 rules are kept once for all clients without rules of their own."""
    rules = index([{"topic": "orders"}, {"client": "other"}])
    first, second, other = (
        rules.candidates(*subject(COMMIT, client)) for client in ("a", "b", "other")
    )

    assert first is second is not other


def test_the_number_of_known_kinds_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind that was forgotten has the same rules again."""
    monkeypatch.setattr("broker.faults.index.KINDS_MAX", 2)
    rules = index([{"client": f"client-{number}"} for number in range(4)])
    requests = [subject(COMMIT, f"client-{number}") for number in range(4)]

    for _ in range(2):
        found = [matching(rules, request) for request in requests]
        assert [[group.first_id for group in each] for each in found] == [[0], [1], [2], [3]]
