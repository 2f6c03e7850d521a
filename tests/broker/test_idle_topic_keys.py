"""Keys of a topic that change nothing here."""

from __future__ import annotations

from broker.config_entry import ConfigSource, ConfigSynonym
from broker.idle_topic_keys import IDLE_TOPIC_KEYS

THROTTLED = IDLE_TOPIC_KEYS["leader.replication.throttled.replicas"]
LOCAL = IDLE_TOPIC_KEYS["local.retention.ms"]


def test_what_is_set_is_told() -> None:
    """As it is read, before the default of the broker's key behind it."""
    entry = LOCAL.describe({"local.retention.ms": " 5 "})

    assert (entry.value, entry.source) == ("5", ConfigSource.DYNAMIC_TOPIC)
    assert entry.synonyms == [
        ConfigSynonym("local.retention.ms", "5", ConfigSource.DYNAMIC_TOPIC),
        ConfigSynonym("log.local.retention.ms", "-2", ConfigSource.DEFAULT),
    ]


def test_what_is_not_set_is_the_default() -> None:
    """A list that is empty, for one."""
    entry = THROTTLED.describe({})

    assert THROTTLED.value({}) == ()
    assert (entry.value, entry.source, entry.synonyms) == ("", ConfigSource.DEFAULT, [])
