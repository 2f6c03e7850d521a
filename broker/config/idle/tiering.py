"""Keys of tiered storage, which have no effect here."""

from __future__ import annotations

from broker.config.key import ANYWHERE, no_effect
from broker.config.kinds import LONG_MAX, Boolean, Decimal, Text, int32, int64

_tiering = no_effect("nothing is tiered", advice="nothing is tiered")
_idle = no_effect("nothing is tiered")

_METADATA_MANAGER = (
    "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager"
)

KEYS = (
    _tiering("remote.log.storage.manager.class.name", Text(empty=False), None),
    _tiering("remote.log.storage.manager.class.path", Text(), None),
    _tiering("remote.log.storage.system.enable", Boolean(), default=False),
    _idle("follower.fetch.last.tiered.offset.enable", Boolean(), default=False, change=ANYWHERE),
    _idle("log.local.retention.bytes", int64(-2), -2, ANYWHERE),
    _idle("log.local.retention.ms", int64(-2), -2, ANYWHERE),
    _idle("remote.fetch.max.wait.ms", int32(1), 500, ANYWHERE),
    _idle("remote.list.offsets.request.timeout.ms", int64(1), 30_000, ANYWHERE),
    _idle("remote.log.index.file.cache.total.size.bytes", int64(1), 1_073_741_824, ANYWHERE),
    _idle("remote.log.index.file.cache.ttl.ms", int64(-1), 900_000, internal=True),
    _idle("remote.log.manager.copier.thread.pool.size", int32(1), 10, ANYWHERE),
    _idle("remote.log.manager.copy.max.bytes.per.second", int64(1), LONG_MAX, ANYWHERE),
    _idle("remote.log.manager.copy.quota.window.num", int32(1), 11),
    _idle("remote.log.manager.copy.quota.window.size.seconds", int32(1), 1),
    _idle("remote.log.manager.expiration.thread.pool.size", int32(1), 10, ANYWHERE),
    _idle("remote.log.manager.fetch.max.bytes.per.second", int64(1), LONG_MAX, ANYWHERE),
    _idle("remote.log.manager.fetch.quota.window.num", int32(1), 11),
    _idle("remote.log.manager.fetch.quota.window.size.seconds", int32(1), 1),
    _idle("remote.log.manager.follower.thread.pool.size", int32(1), 2, ANYWHERE),
    _idle("remote.log.manager.task.interval.ms", int64(1), 30_000),
    _idle("remote.log.manager.task.retry.backoff.max.ms", int64(1), 30_000, internal=True),
    _idle("remote.log.manager.task.retry.backoff.ms", int64(1), 500, internal=True),
    _idle("remote.log.manager.task.retry.jitter", Decimal(0, 0.5), 0.2, internal=True),
    _idle("remote.log.manager.thread.pool.size", int32(1), 2),
    _idle("remote.log.metadata.custom.metadata.max.bytes", int32(0), 128),
    _idle("remote.log.metadata.manager.class.name", Text(empty=False), _METADATA_MANAGER),
    _idle("remote.log.metadata.manager.class.path", Text(), None),
    _idle("remote.log.metadata.manager.impl.prefix", Text(empty=False), "rlmm.config."),
    _idle("remote.log.metadata.manager.listener.name", Text(empty=False), None),
    _idle("remote.log.reader.max.pending.tasks", int32(1), 100),
    _idle("remote.log.reader.threads", int32(1), 10, ANYWHERE),
    _idle("remote.log.storage.manager.impl.prefix", Text(empty=False), "rsm.config."),
)
