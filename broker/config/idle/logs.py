"""Keys of logs that Kafka keeps in another way, which have no effect here."""

from __future__ import annotations

from broker.config.key import ANYWHERE, no_effect
from broker.config.kinds import DOUBLE_MAX, Boolean, Decimal, ListOf, int32, int64

_cleaner = no_effect("the cleaner has a thread of its own only while it works")
_files = no_effect("segment files grow as they are written")
_failures = no_effect("a failed directory is reported at once")
_groups = no_effect("records of groups are appended at once and loaded whole")

KEYS = (
    _cleaner("log.cleaner.dedupe.buffer.size", int64(), 134_217_728, ANYWHERE),
    _cleaner("log.cleaner.enable", Boolean(), default=True),
    _cleaner("log.cleaner.io.buffer.load.factor", Decimal(), 0.9, ANYWHERE),
    _cleaner("log.cleaner.io.buffer.size", int32(0), 524_288, ANYWHERE),
    _cleaner("log.cleaner.io.max.bytes.per.second", Decimal(), DOUBLE_MAX, ANYWHERE),
    _cleaner("log.cleaner.threads", int32(0), 1, ANYWHERE),
    _files("log.preallocate", Boolean(), default=False, change=ANYWHERE),
    _failures("log.dir.failure.timeout.ms", int64(1), 30_000),
    _groups("group.consumer.regex.refresh.interval.ms", int32(10_000), 600_000, internal=True),
    _groups("group.coordinator.append.linger.ms", int32(-1), -1),
    _groups("group.coordinator.cached.buffer.max.bytes", int32(524_288), 1_048_588, ANYWHERE),
    _groups(
        "group.coordinator.rebalance.protocols",
        ListOf(("consumer", "classic", "share", "streams")),
        ("classic", "consumer", "streams"),
    ),
    _groups("offsets.load.buffer.size", int32(1), 5_242_880),
    _groups("offsets.topic.compression.codec", int32(), 0),
)
