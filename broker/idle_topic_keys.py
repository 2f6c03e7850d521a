"""Keys of a topic that are checked, stored and told as in Kafka, and change nothing here.

Replication is not throttled, and nothing is tiered; but tools that move partitions set the former,
and tools that keep a topic's settings as they were write the latter back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from broker.config_entry import ConfigEntry, ConfigSource, ConfigSynonym
from broker.config_kinds import Boolean, Kind, ReplicaList, Value, int64, written


@dataclass(frozen=True, slots=True)
class IdleTopicKey:
    """Such a key; ``behind`` is the broker's key that Kafka has for it, which is not one here."""

    name: str
    kind: Kind
    default: Value
    documentation: str
    behind: str | None = None

    def value(self, overrides: Mapping[str, str]) -> Value:
        """What is set, or else the default."""
        return self.kind.parse(overrides[self.name]) if self.name in overrides else self.default

    def describe(self, overrides: Mapping[str, str]) -> ConfigEntry:
        """As DescribeConfigs tells it."""
        value = written(self.value(overrides))
        is_set = self.name in overrides
        source = ConfigSource.DYNAMIC_TOPIC if is_set else ConfigSource.DEFAULT
        synonyms = [ConfigSynonym(self.name, value, source)] if is_set else []
        if self.behind is not None:
            default = ConfigSynonym(self.behind, written(self.default), ConfigSource.DEFAULT)
            synonyms.append(default)
        return ConfigEntry(
            name=self.name,
            value=value,
            source=source,
            config_type=self.kind.config_type,
            synonyms=synonyms,
            documentation=self.documentation,
            read_only=False,
        )


REMOTE_STORAGE_ENABLE = "remote.storage.enable"

_TABLE = (
    IdleTopicKey(
        "leader.replication.throttled.replicas",
        ReplicaList(),
        (),
        "Replicas whose leaders Kafka slows down. Nothing is slowed down here.",
    ),
    IdleTopicKey(
        "follower.replication.throttled.replicas",
        ReplicaList(),
        (),
        "Replicas whose followers Kafka slows down. Nothing is slowed down here.",
    ),
    IdleTopicKey(
        REMOTE_STORAGE_ENABLE,
        Boolean(),
        default=False,
        documentation="Whether segments are tiered, which they cannot be here.",
    ),
    IdleTopicKey(
        "remote.log.copy.disable",
        Boolean(),
        default=False,
        documentation="Whether Kafka stops tiering segments. Nothing is tiered here.",
    ),
    IdleTopicKey(
        "remote.log.delete.on.disable",
        Boolean(),
        default=False,
        documentation="Whether Kafka deletes what was tiered. Nothing is tiered here.",
    ),
    IdleTopicKey(
        "local.retention.ms",
        int64(-2),
        -2,
        "For how long Kafka keeps what is tiered on disk, too. Nothing is tiered here.",
        "log.local.retention.ms",
    ),
    IdleTopicKey(
        "local.retention.bytes",
        int64(-2),
        -2,
        "How much Kafka keeps of what is tiered on disk, too. Nothing is tiered here.",
        "log.local.retention.bytes",
    ),
)

IDLE_TOPIC_KEYS: Mapping[str, IdleTopicKey] = MappingProxyType({key.name: key for key in _TABLE})
