"""Topic keys that have no effect: `broker.config.unused_topic_keys`."""

from __future__ import annotations

import pytest

from broker.config import Config
from broker.config.topic_key import TopicKey
from broker.config.topics import check_topic_configs, topic_value
from broker.config.unused_topic_keys import KEYS


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_an_unused_key_has_a_reason_and_a_default(key: TopicKey) -> None:
    """Its documentation is the reason; its default is the value of a topic that does not set it."""
    assert key.documentation == f"No effect: {key.unused}."
    assert topic_value(Config(), {}, key.name) is not None


def test_a_list_of_throttled_replicas_is_accepted() -> None:
    """Tools that move partitions set it."""
    check_topic_configs({"leader.replication.throttled.replicas": "0:1,1:2"})
