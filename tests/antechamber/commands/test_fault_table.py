"""Fault rules in words."""

from __future__ import annotations

from typing import Any

import pytest

from antechamber.commands.fault_table import lines
from tests.broker.faults.rules import RulesWithClock


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            {"action": {"type": "error", "error": "REQUEST_TIMED_OUT", "when": "after"}},
            ["error REQUEST_TIMED_OUT after the effect", "all requests"],
        ),
        (
            {
                "match": {"api": "Produce", "version": 9, "topic": "orders", "from": "any"},
                "nth": 3,
                "times": 2,
                "per": "client",
                "for_ms": 5000,
                "action": {"type": "slow", "bytes_per_second": 1000},
            },
            [
                "slow 1,000 bytes per second",
                (
                    "Produce v9 of topic orders and clients and brokers, from match 3 on, twice, "
                    "for each client, for 5.0 s"
                ),
            ],
        ),
        (
            {"action": {"type": "node", "do": "stop", "node": 2, "ms": 3000}},
            ["stop node 2 for 3.0 s", "all requests"],
        ),
        (
            {"action": {"type": "node", "do": "resume", "node": 1}},
            ["resume node 1", "all requests"],
        ),
        (
            {"match": {"node": 2}, "action": {"type": "refuse_connections"}},
            ["refuse connections", "all connections of node 2"],
        ),
        (
            {"link": {"from": 1, "to": "controller"}, "action": {"type": "loss", "percent": 5}},
            ["loss 5 percent", "from node 1 to the controller"],
        ),
        (
            {"link": {"from": "controller"}, "action": {"type": "cut"}},
            ["cut", "from the controller to any node"],
        ),
        (
            {"match": {"topic": "t"}, "action": {"type": "hold_high_watermark", "at": 5}},
            ["hold high watermark at offset 5", "all partitions of topic t"],
        ),
        (
            {"match": {"topic": "t", "partition": 0}, "action": {"type": "hold_isr"}},
            ["hold isr", "partition 0 of topic t"],
        ),
        (
            {
                "match": {"api": "Produce", "client": "c", "topic": "t", "partition": 0},
                "action": {"type": "half_open"},
            },
            ["half open", "Produce of client c and partition 0 of topic t"],
        ),
    ],
)
def test_a_rule_has_words(rule: dict[str, Any], words: list[str]) -> None:
    """The action, and what matches."""
    assert list(lines(RulesWithClock().add(**rule).facts())) == words
