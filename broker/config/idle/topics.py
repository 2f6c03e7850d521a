"""Keys of a topic that have no effect here.

Tools that move partitions set those of throttled replicas, and tools that keep a topic's settings
write those of tiered storage back.
"""

from __future__ import annotations

from broker.config.kinds import Boolean, ReplicaList
from broker.config.topic_key import TopicKey

REMOTE_STORAGE_ENABLE = "remote.storage.enable"

_UNTHROTTLED = "replication is not throttled"
_UNTIERED = "nothing is tiered"

KEYS = (
    TopicKey(
        name="leader.replication.throttled.replicas",
        own_kind=ReplicaList(),
        default=(),
        idle=_UNTHROTTLED,
    ),
    TopicKey(
        name="follower.replication.throttled.replicas",
        own_kind=ReplicaList(),
        default=(),
        idle=_UNTHROTTLED,
    ),
    TopicKey(name=REMOTE_STORAGE_ENABLE, own_kind=Boolean(), default=False, idle=_UNTIERED),
    TopicKey(name="remote.log.copy.disable", own_kind=Boolean(), default=False, idle=_UNTIERED),
    TopicKey(
        name="remote.log.delete.on.disable", own_kind=Boolean(), default=False, idle=_UNTIERED
    ),
    TopicKey(name="local.retention.ms", synonyms=(("log.local.retention.ms", 1),), idle=_UNTIERED),
    TopicKey(
        name="local.retention.bytes", synonyms=(("log.local.retention.bytes", 1),), idle=_UNTIERED
    ),
    TopicKey(
        name="preallocate",
        synonyms=(("log.preallocate", 1),),
        idle="segment files grow as they are written",
    ),
)
