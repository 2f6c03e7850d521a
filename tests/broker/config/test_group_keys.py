"""The keys of groups."""

from __future__ import annotations

import pytest

from broker.config.group_keys import GROUP_KEYS, GroupKey
from broker.config.table import KEYS


@pytest.mark.parametrize("key", GROUP_KEYS.values(), ids=list(GROUP_KEYS))
def test_bounds_and_defaults_are_keys_of_brokers(key: GroupKey) -> None:
    """A key has a broker's key for its default, or a default of its own."""
    for name in (key.broker_key, key.lowest, key.highest):
        assert name is None or name in KEYS
    assert (key.broker_key is None) == (key.default is not None)
