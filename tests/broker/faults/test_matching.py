"""A fault rule matches a request if all of its properties are those of the request."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from broker.faults.index import RuleIndex
from broker.faults.rule import FaultRule
from protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest
from protocol.messages.fetch import FetchRequest, ReplicaState
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tests.broker.faults.rules import ORDERS_ID, matching, read, subject
from tests.requests import fetch_request, produce_request

HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
OFFSETS = OffsetFetchRequest(
    group_id="",
    groups=[
        OffsetFetchRequestGroup(
            group_id="g", topics=[OffsetFetchRequestTopics(name="orders", partition_indexes=[4])]
        )
    ],
)


def matches(body: Any, version: int | None = None, /, **match: Any) -> bool:
    """Whether a rule with that match applies to the request."""
    index = RuleIndex(body.__spec__.key, [FaultRule(1, read(match={"from": "any", **match}))])
    return bool(matching(index, subject(body, version=version)))


@pytest.mark.parametrize(
    ("match", "other"),
    [
        ({"api": "Heartbeat", "version": 4}, {"api": "Heartbeat", "version": 3}),
        ({"client": "test"}, {"client": "tes"}),
        ({"client": "te*"}, {"client": "x*"}),
        ({"client": "*"}, {"client": "TEST"}),
        ({"principal": "User:ann"}, {"principal": "User:ANONYMOUS"}),
        ({"listener": "PLAINTEXT", "node": 1}, {"listener": "PLAINTEXT", "node": 2}),
        ({"group": "g"}, {"group": "h"}),
        ({"from": "client"}, {"topic": "orders"}),
    ],
)
def test_each_property_is_compared(match: dict[str, Any], other: dict[str, Any]) -> None:
    """The request is a Heartbeat v4 of client test, User:ann, group g, to node 1."""
    assert matches(HEARTBEAT, **match)
    assert not matches(HEARTBEAT, **other)


def test_a_client_without_a_client_id_matches_no_name() -> None:
    """Also not the name *."""
    index = RuleIndex(
        subject(HEARTBEAT).header.api_key, [FaultRule(1, read(match={"client": "*"}))]
    )
    assert not matching(index, subject(HEARTBEAT, client_id=None))


def test_topics_and_partitions_are_compared() -> None:
    """The partition must be one of that topic, if a topic is given."""
    produce = produce_request("orders", b"", b"")

    assert matches(produce, topic="orders")
    assert matches(produce, topic="orders", partition=1)
    assert matches(produce, partition=1)
    assert not matches(produce, topic="orders", partition=2)
    assert not matches(produce, topic="other", partition=1)
    assert not matches(produce, partition=2)
    assert matches(fetch_request("orders", 0), topic="orders", partition=0)


def test_topic_ids_are_compared_by_name() -> None:
    """Newer versions name topics by id; an unknown id matches no topic."""
    known = MetadataRequestTopic(topic_id=ORDERS_ID, name=None)
    unknown = MetadataRequestTopic(topic_id=UUID(int=8), name=None)

    assert matches(MetadataRequest(topics=[unknown, known]), topic="orders")
    assert not matches(MetadataRequest(topics=[unknown]), topic="orders")


def test_a_request_for_all_topics_matches_each_topic() -> None:
    """Not so a request for none."""
    assert matches(MetadataRequest(topics=None), topic="orders")
    assert not matches(MetadataRequest(topics=[]), topic="orders")


def test_inner_groups_are_compared() -> None:
    """OffsetFetch v8 and later has several, each with topics."""
    assert matches(OFFSETS, group="g", topic="orders", partition=4)
    assert not matches(OFFSETS, group="h")
    assert not matches(OFFSETS, topic="other")


def test_transactional_ids_are_compared() -> None:
    """Also those of older versions."""
    init = InitProducerIdRequest(transactional_id="t", transaction_timeout_ms=1)
    old = AddPartitionsToTxnRequest(transactions=[], v3_and_below_transactional_id="t")

    assert matches(init, transactional_id="t")
    assert matches(old, 3, transactional_id="t")
    assert not matches(init, transactional_id="u")


def test_the_key_of_a_coordinator_is_a_group_or_a_transactional_id() -> None:
    """By its key type."""
    of_group = FindCoordinatorRequest(key="", key_type=0, coordinator_keys=["g"])
    of_transaction = FindCoordinatorRequest(key="t", key_type=1, coordinator_keys=[])

    assert matches(of_group, group="g")
    assert not matches(of_group, transactional_id="g")
    assert matches(of_transaction, transactional_id="t")


def test_the_sender_is_compared() -> None:
    """Followers are known by their replica id, in both of its fields."""
    consumer = fetch_request("orders", 0)
    follower = FetchRequest(max_wait_ms=0, min_bytes=0, topics=[], replica_id=2)
    newer = FetchRequest(
        max_wait_ms=0, min_bytes=0, topics=[], replica_state=ReplicaState(replica_id=2)
    )
    verification = AddPartitionsToTxnRequest(transactions=[])

    for body in (follower, newer, verification):
        assert not matches(body, **{"from": "client"})
        assert matches(body, **{"from": "broker"})
    assert matches(consumer, **{"from": "client"})
    assert matches(verification, 3, **{"from": "client"})
