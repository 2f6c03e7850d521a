"""What each configuration key means and may be: the table behind `broker.config.Config`.

Ranges are Kafka 4.3's. A key has ``kafka_default`` where ours is another, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from broker.config_key import Key
from broker.config_kinds import (
    Boolean,
    CountsByAddress,
    Decimal,
    ListOf,
    OneOf,
    int32,
    int64,
)
from broker.coordinator_keys import COORDINATOR_KEYS

COMPRESSION_TYPES = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")

_TABLE = (
    # Connections and requests
    Key(
        "socket.request.max.bytes",
        int32(1),
        "The largest request in bytes; a longer one closes its connection.",
    ),
    Key(
        "connections.max.idle.ms",
        int64(),
        "A connection on which nothing came for this long is closed; negative: never.",
    ),
    Key(
        "max.connections",
        int32(0),
        "The most connections a node has at a time; others wait to be accepted.",
    ),
    Key(
        "max.connections.per.ip",
        int32(0),
        "The most connections a node has from one address; others are closed at once.",
    ),
    Key(
        "max.connections.per.ip.overrides",
        CountsByAddress(),
        "For some addresses another number than max.connections.per.ip.",
    ),
    Key(
        "max.connection.creation.rate",
        int32(0),
        "The most connections a node accepts a second; others wait to be accepted.",
    ),
    Key("quota.window.num", int32(1), "Over how many windows of time a client's rate is measured."),
    Key("quota.window.size.seconds", int32(1), "How long such a window is."),
    Key(
        "queued.max.requests",
        int32(1),
        "Requests that may wait to be served before no more are read.",
    ),
    Key(
        "queued.max.request.bytes",
        int64(),
        "Bytes of requests that may lie here half received before no more are begun; 0 or less: no "
        "limit.",
    ),
    Key(
        "fetch.max.bytes",
        int32(1024),
        "The most bytes of records a Fetch is answered with, whatever it asks for. A first batch "
        "that is larger is sent all the same.",
    ),
    Key(
        "max.incremental.fetch.session.cache.slots",
        int32(0),
        "How many incremental fetch sessions are kept (KIP-227).",
    ),
    Key(
        "max.request.partition.size.limit",
        int32(1),
        "The most partitions one DescribeTopicPartitions answer holds.",
    ),
    # Topics
    Key(
        "auto.create.topics.enable",
        Boolean(),
        "Whether asking for the metadata of a topic creates it.",
    ),
    Key("delete.topic.enable", Boolean(), "Whether DeleteTopics may delete anything."),
    Key("num.partitions", int32(1), "Partitions of a topic whose creator does not say."),
    Key(
        "default.replication.factor",
        int32(),
        "Replicas of a partition whose creator does not say; at most as many as there are nodes.",
    ),
    Key(
        "min.insync.replicas",
        int32(1),
        "How many replicas must be in sync for a Produce with acks=all to be accepted.",
    ),
    Key(
        "unclean.leader.election.enable",
        Boolean(),
        "Whether a replica that is not in sync may become leader, losing records.",
    ),
    Key(
        "unclean.leader.election.interval.ms",
        int64(1),
        "How often it is looked whether a replica that is not in sync must become leader.",
    ),
    Key(
        "auto.leader.rebalance.enable",
        Boolean(),
        "Whether leaderships go back to the preferred replicas by themselves.",
    ),
    Key(
        "leader.imbalance.check.interval.seconds",
        int64(1),
        "How often it is looked which leaderships can go back.",
    ),
    # Records
    Key(
        "message.max.bytes",
        int32(0),
        "The largest record batch a producer may send, compressed as it comes.",
    ),
    Key(
        "log.message.timestamp.type",
        OneOf(("CreateTime", "LogAppendTime")),
        "Whether a record bears its producer's time or that of its append.",
    ),
    Key(
        "log.message.timestamp.before.max.ms",
        int64(0),
        "How far a producer's timestamp may lie in the past.",
    ),
    Key(
        "log.message.timestamp.after.max.ms",
        int64(0),
        "How far a producer's timestamp may lie in the future.",
    ),
    Key(
        "compression.type",
        OneOf(COMPRESSION_TYPES),
        "How batches are stored; 'producer' keeps them as they came.",
    ),
    Key(
        "compression.gzip.level",
        int32(1, 9, also=-1),
        "The effort of gzip where the broker compresses; -1: gzip's own default.",
    ),
    Key(
        "compression.lz4.level",
        int32(1, 17),
        "The effort of lz4 where the broker compresses.",
    ),
    Key(
        "compression.zstd.level",
        int32(-131_072, 22),
        "The effort of zstd where the broker compresses.",
    ),
    # Segments and indexes
    Key("log.segment.bytes", int32(1_048_576), "The size at which a log starts a new segment."),
    Key(
        "log.roll.ms",
        int64(1),
        "The age at which a log starts a new segment; without it log.roll.hours counts.",
    ),
    Key("log.roll.hours", int32(1), "The age in hours at which a log starts a new segment."),
    Key(
        "log.roll.jitter.ms",
        int64(0),
        "A random part of this is taken off the age, so that not all logs roll at once; without "
        "it log.roll.jitter.hours counts.",
    ),
    Key("log.roll.jitter.hours", int32(0), "As log.roll.jitter.ms, in hours."),
    Key("log.index.interval.bytes", int32(0), "Bytes of a log between two index entries."),
    Key("log.index.size.max.bytes", int32(4), "The size at which an index is full."),
    Key("log.preallocate", Boolean(), "Whether a segment file gets its full size at once."),
    Key(
        "log.segment.delete.delay.ms",
        int64(0),
        "How long the files of a deleted segment stay, for those who still read them.",
    ),
    # Flushing
    Key(
        "log.flush.interval.messages",
        int64(1),
        "Records after which a log is forced to disk.",
    ),
    Key(
        "log.flush.interval.ms",
        int64(),
        "Time after which a log is forced to disk; without it "
        "log.flush.scheduler.interval.ms counts.",
    ),
    Key(
        "log.flush.scheduler.interval.ms",
        int64(),
        "How often it is looked which logs must be forced to disk.",
    ),
    Key(
        "log.flush.offset.checkpoint.interval.ms",
        int32(0),
        "How often it is written down to where logs are safely on disk.",
    ),
    Key(
        "log.flush.start.offset.checkpoint.interval.ms",
        int32(0),
        "How often the logs' first offsets are written down.",
    ),
    # Retention and compaction
    Key(
        "log.retention.ms",
        int64(1, also=-1),
        "The age at which records may be deleted, -1: never; without it log.retention.minutes "
        "and then log.retention.hours count.",
    ),
    Key("log.retention.minutes", int32(1, also=-1), "As log.retention.ms, in minutes."),
    Key("log.retention.hours", int32(1, also=-1), "As log.retention.ms, in hours."),
    Key(
        "log.retention.bytes",
        int64(),
        "The size of a partition beyond which its oldest segments may be deleted; -1: no limit.",
    ),
    Key(
        "log.retention.check.interval.ms",
        int64(1),
        "How often it is looked which segments may be deleted.",
    ),
    Key(
        "log.initial.task.delay.ms",
        int64(0),
        "How long after the start the logs' housekeeping begins.",
    ),
    Key(
        "log.cleanup.policy",
        ListOf(("compact", "delete")),
        "Whether old records are deleted, or superseded ones compacted away, or both.",
    ),
    Key(
        "log.cleaner.backoff.ms",
        int64(0),
        "How long the cleaner rests when there is nothing to clean.",
    ),
    Key(
        "log.cleaner.delete.retention.ms",
        int64(0),
        "How long a compacted log keeps its tombstones.",
    ),
    Key(
        "log.cleaner.min.cleanable.ratio",
        Decimal(0, 1),
        "The share of a log that must be uncleaned for it to be compacted.",
    ),
    Key(
        "log.cleaner.min.compaction.lag.ms",
        int64(0),
        "The age before which a record is not compacted away.",
    ),
    Key(
        "log.cleaner.max.compaction.lag.ms",
        int64(1),
        "The age at which a record must be looked at by compaction.",
    ),
    # Purgatories
    Key(
        "fetch.purgatory.purge.interval.requests",
        int32(),
        "Completed fetches that may lie about in the purgatory before it is swept.",
    ),
    Key(
        "producer.purgatory.purge.interval.requests",
        int32(),
        "Completed produces that may lie about in the purgatory before it is swept.",
    ),
    Key(
        "delete.records.purgatory.purge.interval.requests",
        int32(),
        "Completed DeleteRecords that may lie about in the purgatory before it is swept.",
    ),
    # Replication
    Key(
        "replica.lag.time.max.ms",
        int64(0),
        "A follower that has not been at the log's end for this long is out of sync.",
    ),
    Key("replica.fetch.max.bytes", int32(0), "Bytes a follower fetches of one partition."),
    Key("replica.fetch.response.max.bytes", int32(0), "Bytes a follower fetches at once."),
    Key("replica.fetch.min.bytes", int32(), "Bytes a follower's fetch waits for."),
    Key("replica.fetch.wait.max.ms", int32(), "How long a follower's fetch may wait."),
    Key(
        "replica.fetch.backoff.ms",
        int32(0),
        "How long a follower leaves a partition alone after an error.",
    ),
    Key(
        "replica.high.watermark.checkpoint.interval.ms",
        int64(),
        "How often the high watermarks are written to disk.",
    ),
)

KEYS: Mapping[str, Key] = MappingProxyType({key.name: key for key in (*_TABLE, *COORDINATOR_KEYS)})
