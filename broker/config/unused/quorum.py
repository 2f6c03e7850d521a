"""Keys of the controller's quorum, which have no effect here."""

from __future__ import annotations

from broker.config.key import no_effect
from broker.config.kinds import LONG_MAX, AnyList, Boolean, ListOf, Text, int32, int64

_quorum = no_effect("the controller runs in the broker process")

KEYS = (
    _quorum("controller.listener.names", AnyList(), None),
    _quorum("controller.quorum.bootstrap.servers", AnyList(), ()),
    _quorum("controller.quorum.voters", AnyList(), ()),
    _quorum("process.roles", ListOf(("broker", "controller")), None),
    _quorum("broker.heartbeat.interval.ms", int32(), 2000),
    _quorum("controlled.shutdown.enable", Boolean(), default=True),
    _quorum("controller.performance.always.log.threshold.ms", int64(0), 2000, internal=True),
    _quorum("controller.performance.sample.period.ms", int64(100), 60_000, internal=True),
    _quorum("controller.quorum.append.linger.ms", int32(0), 25),
    _quorum("controller.quorum.auto.join.enable", Boolean(), default=False),
    _quorum("controller.quorum.election.backoff.max.ms", int32(0), 1000),
    _quorum("controller.quorum.election.timeout.ms", int32(0), 1000),
    _quorum("controller.quorum.fetch.max.bytes", int32(1), 1_048_576),
    _quorum("controller.quorum.fetch.snapshot.max.bytes", int32(1), 1_048_576),
    _quorum("controller.quorum.fetch.timeout.ms", int32(0), 2000),
    _quorum("controller.quorum.retry.backoff.ms", int32(0), 20),
    _quorum("initial.broker.registration.timeout.ms", int32(), 60_000),
    _quorum("internal.metadata.delete.delay.millis", int64(), 60_000, internal=True),
    _quorum("internal.metadata.log.segment.bytes", int32(), None, internal=True),
    _quorum("internal.metadata.max.batch.size.in.bytes", int32(), 8_388_608, internal=True),
    _quorum("metadata.log.dir", Text(), None),
    _quorum("metadata.log.max.record.bytes.between.snapshots", int64(1), 20_971_520),
    _quorum("metadata.log.max.snapshot.interval.ms", int64(0), 3_600_000),
    _quorum("metadata.log.segment.bytes", int32(8_388_608), 1_073_741_824),
    _quorum("metadata.log.segment.ms", int64(), 604_800_000),
    _quorum("metadata.max.idle.interval.ms", int32(0), 500),
    _quorum("metadata.max.retention.bytes", int64(), 104_857_600),
    _quorum("metadata.max.retention.ms", int64(), 604_800_000),
    _quorum("server.max.startup.time.ms", int64(0), LONG_MAX, internal=True),
    _quorum("unstable.api.versions.enable", Boolean(), default=False, internal=True),
    _quorum("unstable.feature.versions.enable", Boolean(), default=False, internal=True),
)
