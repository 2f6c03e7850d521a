"""Advice for keys that no broker has."""

from __future__ import annotations

from broker.config.advice import NOT_HERE
from broker.config.table import KEYS


def test_a_key_with_advice_is_no_key_of_a_broker() -> None:
    """A key that Kafka's brokers have is declared in the table."""
    assert not KEYS.keys() & NOT_HERE.keys()
