"""The keys of groups."""

from __future__ import annotations

import pytest

from broker.config.group_keys import GROUP_KEYS, GroupKey
from broker.config.table import KEYS


@pytest.mark.parametrize("key", GROUP_KEYS.values(), ids=list(GROUP_KEYS))
def test_bounds_and_defaults_are_keys_of_brokers(key: GroupKey) -> None:
    """A key has the broker's key behind it or a default of its own."""
    for name in (key.behind, key.lowest, key.highest):
        assert name is None or name in KEYS
    assert (key.behind is None) == (key.default is not None)
