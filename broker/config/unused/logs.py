"""Keys of logs and coordinators that this broker implements in another way, without effect here."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import DOUBLE_MAX, Boolean, Decimal, int32, int64

_cleaner = no_effect("the cleaner has no permanent thread")
_files = no_effect("segment files are not preallocated")
_failures = no_effect("a failed directory is reported immediately")
_groups = no_effect("group records are appended without delay and loaded in one pass")

KEYS = (
    _cleaner("log.cleaner.dedupe.buffer.size", int64(), 134_217_728, CLUSTER_WIDE),
    _cleaner("log.cleaner.io.buffer.load.factor", Decimal(), 0.9, CLUSTER_WIDE),
    _cleaner("log.cleaner.io.buffer.size", int32(0), 524_288, CLUSTER_WIDE),
    _cleaner("log.cleaner.io.max.bytes.per.second", Decimal(), DOUBLE_MAX, CLUSTER_WIDE),
    _cleaner("log.cleaner.threads", int32(0), 1, CLUSTER_WIDE),
    _files("log.preallocate", Boolean(), default=False, update_mode=CLUSTER_WIDE),
    _failures("log.dir.failure.timeout.ms", int64(1), 30_000),
    _groups("group.coordinator.append.linger.ms", int32(-1), -1),
    _groups("group.coordinator.cached.buffer.max.bytes", int32(524_288), 1_048_588, CLUSTER_WIDE),
    _groups("offsets.load.buffer.size", int32(1), 5_242_880),
    _groups("offsets.topic.compression.codec", int32(), 0),
)
