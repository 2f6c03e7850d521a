"""Which settings may change while a broker runs."""

from __future__ import annotations

import pytest

from broker.config_keys import KEYS
from broker.dynamic_keys import DYNAMIC_KEYS, may_change


def test_the_list_has_only_keys_there_are() -> None:
    """A key that is taken away has to leave it."""
    assert KEYS.keys() >= DYNAMIC_KEYS


@pytest.mark.parametrize(
    ("name", "dynamic"),
    [("message.max.bytes", True), ("plugin.key", True), ("num.partitions", False)],
)
def test_a_key_that_nobody_knows_may_change(name: str, dynamic: bool) -> None:
    """One of ours only if Kafka lets it."""
    assert may_change(name) == dynamic


def test_a_key_that_means_nothing_here_may_not() -> None:
    """Kafka knows node.id, and would refuse it, too."""
    assert not may_change("node.id")
