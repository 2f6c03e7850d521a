"""The table of keys, held against itself."""

from __future__ import annotations

import pytest

from broker.config import DEFAULTS
from broker.config_key import Key
from broker.config_keys import KEYS


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_default_that_is_not_kafkas_has_a_reason(key: Key) -> None:
    """Either Kafka's default stands, or the table says why not."""
    assert (key.kafka_default is None) == (key.because is None)
    if key.kafka_default is not None:
        assert DEFAULTS[key.name] != key.kafka_default


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_documentation_is_a_sentence(key: Key) -> None:
    """It begins with a capital and ends with a full stop."""
    assert key.documentation[0].isupper() or key.documentation.startswith("min.")
    assert key.documentation.endswith(".")
