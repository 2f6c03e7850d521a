"""What DescribeConfigs returns of a node that no key has set."""

from __future__ import annotations

from pathlib import Path

from broker.config.facts import node_facts
from broker.config.table import KEYS


def test_facts_are_kafkas_keys_and_legal_values() -> None:
    """Each is a key of Kafka's and would be accepted by it."""
    facts = node_facts(3, ("0.0.0.0", 9094), ("kafka.example", 19094), [Path("/a"), Path("/b")])

    assert facts == {
        "process.roles": "broker,controller",
        "node.id": "3",
        "broker.id": "3",
        "listeners": "PLAINTEXT://0.0.0.0:9094",
        "advertised.listeners": "PLAINTEXT://kafka.example:19094",
        "log.dirs": "/a,/b",
    }
    for name, text in facts.items():
        assert KEYS[name].kind.parse(text) is not None


def test_an_address_of_version_6_is_in_brackets() -> None:
    """As in a URL, so that its colons are not taken for the port's."""
    facts = node_facts(1, ("::1", 9092), ("::1", 9092), [])

    assert facts["listeners"] == "PLAINTEXT://[::1]:9092"
