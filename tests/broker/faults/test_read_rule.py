"""Fault rules are read from JSON; one that can never match is refused."""

from __future__ import annotations

from typing import Any

import pytest

from broker.faults.named_fields import kinds
from broker.faults.read_rule import Possible, read_rule
from protocol.messages import REQUESTS
from tests.broker.faults.rules import ERROR, POSSIBLE, read, refusal

APIS_WITH_GROUP = ", ".join(
    sorted(name for name, api in POSSIBLE.apis.items() if kinds(REQUESTS[api.key]).group)
)
NO_GROUP = f"no group; it is allowed for {APIS_WITH_GROUP}"
MANY = [
    {"action": ERROR},
    {"match": {}, "action": ERROR},
    {
        "match": {
            "api": "Produce",
            "version": 9,
            "client": "billing*",
            "principal": "User:ann",
            "listener": "PLAINTEXT",
            "node": 1,
            "topic": "orders",
            "partition": 0,
            "transactional_id": "t",
            "from": "any",
        },
        "nth": 3,
        "per": "client",
        "times": 1,
        "for_ms": 5000,
        "name": "lost-acks",
        "action": {"type": "error", "error": "NOT_LEADER_OR_FOLLOWER", "when": "after"},
    },
    {"match": {"api": "Heartbeat", "group": "g"}, "action": {"type": "close", "when": "after"}},
    {"action": {"type": "delay", "ms": 300, "of": "response"}},
    {"action": {"type": "hang", "when": "before"}},
    {"action": {"type": "half_open"}},
    {"action": {"type": "slow", "bytes_per_second": 10}},
    {"action": {"type": "throttle", "ms": 1000}},
    {"action": {"type": "corrupt"}},
    {"action": {"type": "node", "do": "stop", "node": 2, "ms": 3000}},
    {"match": {"api": "Produce"}, "action": {"type": "node", "do": "resume", "node": 1}},
    {"action": {"type": "stale_metadata"}},
    {"match": {"api": "AddPartitionsToTxn", "version": 4, "from": "any"}, "action": ERROR},
    {
        "match": {"topic": "t", "partition": 0, "group": "g", "transactional_id": "x"},
        "action": ERROR,
    },
    {"match": {"node": 2}, "action": {"type": "refuse_connections"}},
    {"link": {"from": 1, "to": 2}, "action": {"type": "delay", "ms": 50}},
    {"link": {"to": "controller"}, "action": {"type": "cut"}},
    {"link": {"from": "controller", "to": 3}, "action": {"type": "cut"}},
    {"match": {"topic": "t"}, "action": {"type": "hold_high_watermark", "at": 5}},
    {"match": {"topic": "t", "partition": 1}, "action": {"type": "hold_isr"}},
    {"link": {}, "times": 2, "action": {"type": "loss", "percent": 12.5, "seed": 1}},
]


@pytest.mark.parametrize("rule", MANY)
def test_a_rule_is_returned_as_it_was_given(rule: dict[str, Any]) -> None:
    """With the defaults of the fields that were not given; read again, it is the same."""
    spec = read_rule(rule, POSSIBLE)
    facts = spec.facts()

    assert read_rule(facts, POSSIBLE) == spec
    assert facts["action"].items() >= rule["action"].items()
    for name in ("nth", "times", "per", "for_ms", "name"):
        assert facts[name] == rule.get(name, {"nth": 1, "per": "rule"}.get(name))
    for name in ("match", "link"):
        assert facts.get(name, {}).items() >= rule.get(name, {}).items()


def test_defaults_act_before_the_request() -> None:
    """Of error, close and hang; a delay is one of the request."""
    for action in (ERROR, {"type": "close"}, {"type": "hang"}):
        assert read(action=action).facts()["action"]["when"] == "before"
    assert read(action={"type": "delay", "ms": 1}).facts()["action"]["of"] == "request"


def test_an_action_for_one_api_matches_that_api() -> None:
    """A corrupt batch is possible in Fetch responses only."""
    assert read(action={"type": "corrupt"}).facts()["match"] == {"api": "Fetch", "from": "client"}


def test_a_request_that_only_brokers_send_is_from_a_broker() -> None:
    """WriteTxnMarkers; requests of other APIs are those of clients by default."""
    assert read(match={"api": "WriteTxnMarkers"}).facts()["match"]["from"] == "broker"
    assert read(match={"api": "Fetch"}).facts()["match"]["from"] == "client"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (3, "a fault rule: it must be a JSON object"),
        ({}, "action: give a JSON object"),
        ({"match": [], "action": ERROR}, "match: it must be a JSON object"),
        (
            {"action": ERROR, "matches": {}},
            (
                "a fault rule: no field is named 'matches'; allowed: match, link, nth, per, times, "
                "for_ms, name, action"
            ),
        ),
        (
            {"action": {"type": "explode"}},
            (
                "action.type: 'explode' is not one of error, close, delay, hang, half_open, slow, "
                "throttle, corrupt, stale_metadata, refuse_connections, hold_high_watermark, "
                "hold_isr, node"
            ),
        ),
        ({"action": {"type": "cut"}}, "action.type: cut is an action of links; give link as well"),
        (
            {"action": {**ERROR, "ms": 3}},
            "action: no field is named 'ms'; allowed: type, error, when",
        ),
        (
            {"action": {"type": "error", "error": "NOT_A_LEADER"}},
            (
                "action.error: 'NOT_A_LEADER' is unknown; give the name of an error, such as "
                "REQUEST_TIMED_OUT"
            ),
        ),
        (
            {"action": {"type": "error", "error": "NONE"}},
            "action.error: 'NONE' is unknown; give the name of an error, such as REQUEST_TIMED_OUT",
        ),
        (
            {"action": {"type": "close", "when": "later"}},
            "action.when: 'later' is not one of before, after",
        ),
        (
            {"action": {"type": "delay"}},
            "action.ms: give a whole number from 1 to 86400000",
        ),
        (
            {"action": {"type": "delay", "ms": True}},
            "action.ms: true is not a whole number from 1 to 86400000",
        ),
        (
            {"action": {"type": "node", "do": "kill", "node": 1}},
            "action.do: 'kill' is not one of pause, resume, stop, start",
        ),
        (
            {"action": {"type": "node", "do": "stop", "node": 4}},
            "action.node: there is no node 4, only 1, 2, 3",
        ),
        (
            {"action": {"type": "node", "do": "stop", "node": 1, "ms": 0}},
            "action.ms: 0 is not a whole number from 1 to 86400000",
        ),
        ({"action": ERROR, "nth": 0}, "nth: 0 is not a whole number from 1 to 1000000000"),
        ({"action": ERROR, "name": ""}, "name: it must be a text of 1 to 249 characters"),
        ({"action": ERROR, "per": "group"}, "per: 'group' is not one of rule, client"),
        (
            {"action": {"type": "refuse_connections"}, "per": "client"},
            "per: 'client' is not one of rule",
        ),
        (
            {"link": {"from": "controller", "to": "controller"}, "action": {"type": "cut"}},
            "link.to: controller has no link to itself; give another node",
        ),
        (
            {"link": {}, "times": 2, "action": {"type": "cut"}},
            "times: the action cut lasts; end it with for_ms or by removing the rule",
        ),
        (
            {"action": {"type": "hold_high_watermark", "at": 5}},
            "match.topic: the action hold_high_watermark needs the name of a topic",
        ),
        (
            {"match": {"topic": "t"}, "action": {"type": "hold_high_watermark"}},
            "action.at: give a whole number from 0 to 9223372036854775807",
        ),
        (
            {"match": {"topic": "t", "api": "Fetch"}, "action": {"type": "hold_isr"}},
            "match: no field is named 'api'; allowed: topic, partition",
        ),
        (
            {"match": {"topic": "t"}, "nth": 2, "action": {"type": "hold_isr"}},
            "nth: the action hold_isr lasts; end it with for_ms or by removing the rule",
        ),
        (
            {"match": {"api": "Produce"}, "action": {"type": "refuse_connections"}},
            "match: no field is named 'api'; allowed: node, listener",
        ),
        (
            {"match": {"api": "Produce"}, "action": {"type": "corrupt"}},
            "match.api: the action corrupt is for Fetch, not for Produce",
        ),
        (
            {"match": {"version": 3}, "action": ERROR},
            "match.version: give the api as well",
        ),
        (
            {"match": {"api": "Heartbeat", "version": 5}, "action": ERROR},
            "match.version: 5 is not a whole number from 0 to 4",
        ),
        (
            {"match": {"node": 4}, "action": ERROR},
            "match.node: there is no node 4, only 1, 2, 3",
        ),
        (
            {"match": {"listener": "SASL"}, "action": ERROR},
            "match.listener: 'SASL' is not one of PLAINTEXT",
        ),
        (
            {"match": {"principal": "ann"}, "action": ERROR},
            "match.principal: give a type and a name, such as User:ann",
        ),
        (
            {"match": {"client": "*x"}, "action": ERROR},
            "match.client: an asterisk is allowed only at the end",
        ),
        (
            {"match": {"group": "g", "from": "broker"}, "action": ERROR},
            f"match.group: the requests that can match have {NO_GROUP}",
        ),
        (
            {"match": {"topic": "t", "group": "g"}, "action": {"type": "stale_metadata"}},
            f"match.group: the requests with a topic that can match have {NO_GROUP}",
        ),
        (
            {"match": {"from": "broker"}, "action": {"type": "stale_metadata"}},
            "match.from: the action is not for requests of brokers; give client",
        ),
        (
            {"match": {"api": "AddPartitionsToTxn", "version": 4}, "action": ERROR},
            "match.version: clients send 0 to 3; give from with broker or any",
        ),
        (
            {
                "match": {"api": "AddPartitionsToTxn", "version": 3, "from": "broker"},
                "action": ERROR,
            },
            "match.version: brokers send 4 and later; give one of these",
        ),
        (
            {"match": {"api": "Produce", "group": "g"}, "action": ERROR},
            f"match.group: Produce requests have no group; it is allowed for {APIS_WITH_GROUP}",
        ),
        (
            {"match": {"api": "WriteTxnMarkers", "from": "client"}, "action": ERROR},
            "match.from: only brokers send WriteTxnMarkers; give broker",
        ),
        (
            {"match": {"api": "Produce", "from": "broker"}, "action": ERROR},
            (
                "match.from: brokers do not send Produce, but AddPartitionsToTxn, Fetch, "
                "OffsetForLeaderEpoch, WriteTxnMarkers"
            ),
        ),
        (
            {"link": {}, "match": {}, "action": {"type": "cut"}},
            "link: give either match or link",
        ),
        (
            {"link": {"from": 1, "to": 1}, "action": {"type": "cut"}},
            "link.to: node 1 has no link to itself; give another node",
        ),
        (
            {"link": {}, "action": ERROR},
            "action.type: 'error' is not one of delay, loss, cut",
        ),
        (
            {"link": {}, "action": {"type": "loss", "percent": 0}},
            "action.percent: give a number greater than 0 and at most 100",
        ),
        (
            {"link": {"to": "anywhere"}, "action": {"type": "cut"}},
            "link.to: 'anywhere' is not a whole number from 0 to 2147483647",
        ),
        (
            {"link": {}, "per": "client", "action": {"type": "cut"}},
            "per: 'client' is not one of rule",
        ),
    ],
)
def test_an_invalid_rule_is_refused_with_one_sentence(rule: object, sentence: str) -> None:
    """It names the field and what is allowed."""
    assert refusal(rule) == sentence


@pytest.mark.parametrize("api", ["Prodce", "produce"])
def test_an_unknown_api_is_refused_with_the_closest_one(api: str) -> None:
    """The sentence does not list all APIs."""
    sentence = refusal({"match": {"api": api}, "action": ERROR})

    assert sentence == f"match.api: {api!r} is unknown; did you mean Produce?"


def test_a_single_node_has_no_link_to_another() -> None:
    """It has one to the controller."""
    possible = Possible(POSSIBLE.apis, (1,), POSSIBLE.listeners)
    rule: dict[str, Any] = {"link": {"to": "controller"}, "action": {"type": "cut"}}

    assert read_rule(rule, possible).facts()["link"] == {"to": "controller"}
    with pytest.raises(Exception, match="one node has a link only to the controller"):
        read_rule({"link": {}, "action": {"type": "cut"}}, possible)


def test_a_long_value_is_shortened_in_the_sentence() -> None:
    """The sentence stays one line of the terminal."""
    sentence = refusal({"action": {"type": "x" * 10_000}})

    assert len(sentence) < 250
