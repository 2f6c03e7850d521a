"""The bit fields of authorized operations."""

from __future__ import annotations

from broker.api.handlers.authorized_operations import ON_A_TOPIC, ON_THE_CLUSTER


def test_the_bits_are_kafkas() -> None:
    """The numbers that a Kafka without an authorizer returns."""
    assert (ON_A_TOPIC, ON_THE_CLUSTER) == (3576, 8096)
