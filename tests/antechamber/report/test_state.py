"""The state of a cluster in a few lines."""

from __future__ import annotations

from typing import Any

import pytest

from antechamber.report.state import error_lines, lock_lines, rule_lines, state_lines
from tests.client_facts import in_flight_batch, share_partition
from tests.facts import FakeFacts, partition

RUNNING = {"speed": 1}


def lines(facts: FakeFacts, clock: dict[str, Any] = RUNNING) -> list[str]:
    """The lines of the cluster."""
    return list(state_lines(facts.state(), clock))


def test_a_cluster_without_faults() -> None:
    """One line for the nodes and one for the topics."""
    assert lines(FakeFacts()) == ["3 nodes: 1, 2 and 3 are running", "1 topic with 2 partitions"]


def test_nodes_are_listed_by_state() -> None:
    """In the order of their ids."""
    facts = FakeFacts()
    facts.states = {1: "running", 2: "stopped", 3: "running"}

    assert lines(facts)[0] == "3 nodes: 1 and 3 are running, 2 is stopped"


def test_partitions_that_are_not_replicated_are_described() -> None:
    """A replica is out of sync, or the high watermark is below the log end offset."""
    facts = FakeFacts()
    facts.topics = {
        "t": [partition(0), partition(1, end=5), partition(2, isr=(1,))],
        "u": [partition(0) | {"leader": -1, "isr": []}],
    }

    assert lines(facts)[1:] == [
        "2 topics with 4 partitions, of which 3 are not replicated completely:",
        "  t-1: leader 1, in sync 1, 2 and 3 of 1, 2 and 3, high watermark 3 of 5",
        "  t-2: leader 1, in sync 1 of 1, 2 and 3, high watermark 3 of 3",
        "  u-0: no leader, in sync none of 1, 2 and 3, high watermark 3 of 3",
    ]


def test_the_number_of_described_partitions_is_limited() -> None:
    """The others are counted."""
    facts = FakeFacts()
    facts.topics = {"t": [partition(index, end=5) for index in range(7)]}

    assert lines(facts)[-1] == "  and 2 more"
    assert len(lines(facts)) == 8


@pytest.mark.parametrize(
    ("speed", "line"),
    [(0, "The clock is frozen."), (10, "The clock runs 10 times as fast as real time.")],
)
def test_an_adjusted_clock_is_described(speed: float, line: str) -> None:
    """A clock at its normal speed has no line."""
    assert lines(FakeFacts(), {"speed": speed})[-1] == line


def test_unexpected_exceptions_are_counted() -> None:
    """By node and API; a node without any has no line."""
    none = {"requests": {}, "others": 0}
    statistics = {
        "nodes": [
            {"id": 1, "unexpected_errors": none},
            {"id": 2, "unexpected_errors": {"requests": {"Fetch": 2, "Produce": 1}, "others": 1}},
        ],
        "unexpected_errors": none,
    }

    assert list(error_lines(statistics)) == [
        "node 2: 2 of Fetch, 1 of Produce and 1 outside of requests"
    ]


def test_fault_rules_that_have_fired_are_listed() -> None:
    """With the name, if the rule has one."""
    rules: list[dict[str, Any]] = [
        {"id": 1, "name": "lost-acks", "fired": 2, "action": {"type": "close", "when": "after"}},
        {"id": 2, "name": None, "fired": 1, "action": {"type": "hang"}},
        {"id": 3, "name": None, "fired": 0, "action": {"type": "hang"}},
    ]

    assert list(rule_lines(rules)) == [
        "rule 1 (lost-acks), close: fired twice",
        "rule 2, hang: fired once",
    ]


def test_the_lock_that_expires_first_is_listed() -> None:
    """Share partitions of which nobody holds a record are left out."""
    batches = (
        in_flight_batch(0, 3, "acquired", "a", 9000),
        in_flight_batch(4, 4, "available"),
        in_flight_batch(5, 5, "acquired", "b", 900, deliveries=2),
    )
    held = share_partition(0, *batches, acquired=5)

    assert list(lock_lines([held, share_partition(1), share_partition(2, acquired=1)])) == [
        (
            "orders-0: members of group workers hold 5 records; the first lock to expire: 5 by "
            "member b (delivered twice, 900 ms left)"
        ),
        "orders-2: members of group workers hold 1 record",
    ]
