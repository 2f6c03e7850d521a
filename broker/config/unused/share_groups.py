"""Keys of share groups (KIP-932) that have no effect here."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import AnyList, Text, int32

_assignors = no_effect("share groups have one assignor")
_threads = no_effect("the share coordinator runs in the event loop")
_batches = no_effect("the share coordinator reads and appends without buffers of its own")
_compression = no_effect("the topic of share partitions is not compressed")
_plugin = no_effect("the state of share partitions is always stored by the share coordinator")

KEYS = (
    _assignors("group.share.assignors", AnyList(), ("simple",)),
    _plugin(
        "group.share.persister.class.name",
        Text(),
        "org.apache.kafka.server.share.persister.DefaultStatePersister",
        internal=True,
    ),
    _batches("share.coordinator.append.linger.ms", int32(-1), -1),
    _batches("share.coordinator.cached.buffer.max.bytes", int32(524_288), 1_048_588, CLUSTER_WIDE),
    _batches("share.coordinator.load.buffer.size", int32(1), 5_242_880),
    _compression("share.coordinator.state.topic.compression.codec", int32(), 0),
    _threads("share.coordinator.threads", int32(1), 1),
)
