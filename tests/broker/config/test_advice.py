"""Advice for keys that no broker has."""

from __future__ import annotations

from broker.config.advice import ADVICE
from broker.config.table import KEYS


def test_no_key_with_advice_is_declared() -> None:
    """A key of Kafka's brokers is declared in the table."""
    assert not KEYS.keys() & ADVICE.keys()
