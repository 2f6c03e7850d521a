"""Topic keys that have no effect here.

Tools that restore a topic's settings set the keys of tiered storage.
"""

from __future__ import annotations

from broker.config.kinds import Boolean
from broker.config.topic_key import TopicKey

REMOTE_STORAGE_ENABLE = "remote.storage.enable"

_UNTIERED = "tiered storage is not supported"

KEYS = (
    TopicKey(name=REMOTE_STORAGE_ENABLE, own_kind=Boolean(), default=False, unused=_UNTIERED),
    TopicKey(name="remote.log.copy.disable", own_kind=Boolean(), default=False, unused=_UNTIERED),
    TopicKey(
        name="remote.log.delete.on.disable", own_kind=Boolean(), default=False, unused=_UNTIERED
    ),
    TopicKey(
        name="local.retention.ms", synonyms=(("log.local.retention.ms", 1),), unused=_UNTIERED
    ),
    TopicKey(
        name="local.retention.bytes", synonyms=(("log.local.retention.bytes", 1),), unused=_UNTIERED
    ),
    TopicKey(
        name="preallocate",
        synonyms=(("log.preallocate", 1),),
        unused="segment files are not preallocated",
    ),
)
